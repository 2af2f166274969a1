import assert from 'node:assert/strict';
import { faultPhrases, readSimulatedFault } from '../../../../src/localGateway/demo/simulatedFaults.ts';

describe('simulated faults of the demo models', () => {
  it('are triggered by every phrase in the help', () => {
    for (const [phrase] of faultPhrases) assert.ok(readSimulatedFault(`Please ${phrase}.`), phrase);
    assert.deepEqual(readSimulatedFault('fail with 503'), { kind: 'status', status: 503 });
  });

  it('are not triggered by questions that only mention them', () => {
    assert.equal(readSimulatedFault('why does it fail with 200'), undefined);
    assert.equal(readSimulatedFault('my connection is slow'), undefined);
    assert.equal(readSimulatedFault(`${'log line '.repeat(20)} cut the stream`), undefined);
  });
});
