import assert from 'node:assert/strict';
import { lineLog } from '../../../../src/localGateway/operation/gatewayLog.ts';

describe('the log of the local gateway', () => {
  const written: string[] = [];
  const lines = lineLog((text) => written.push(text));
  afterEach(() => {
    written.length = 0;
  });

  it('writes lines that come close together at once', async () => {
    lines.add('one');
    lines.add('two');
    assert.deepEqual(written, []);
    while (written.length === 0) await new Promise(setImmediate);
    assert.deepEqual(written, ['one\ntwo\n']);
  });

  it('writes a line that may not wait after those that wait', () => {
    lines.add('one');
    lines.write('two');
    assert.deepEqual(written, ['one\ntwo\n']);
  });

  it('writes what waits at its end, once', () => {
    lines.add('one');
    lines.flush();
    lines.flush();
    assert.deepEqual(written, ['one\n']);
  });
});
