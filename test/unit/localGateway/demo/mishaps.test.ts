import assert from 'node:assert/strict';
import { mishapPhrases, readMishap } from '../../../../src/localGateway/demo/simulatedFaults.ts';

describe('mishaps of the demo models', () => {
  it('happen at every phrase the help names', () => {
    for (const [phrase] of mishapPhrases) assert.ok(readMishap(`Please ${phrase}.`), phrase);
    assert.deepEqual(readMishap('fail with 503'), { kind: 'status', status: 503 });
  });

  it('do not happen to questions that merely mention them', () => {
    assert.equal(readMishap('why does it fail with 200'), undefined);
    assert.equal(readMishap('my connection is slow'), undefined);
    assert.equal(readMishap(`${'log line '.repeat(20)} cut the stream`), undefined);
  });
});
