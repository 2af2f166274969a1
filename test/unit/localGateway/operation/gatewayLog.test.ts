import assert from 'node:assert/strict';
import { createLineLog } from '../../../../src/localGateway/operation/gatewayLog.ts';

describe('the log of the local gateway', () => {
  const written: string[] = [];
  const lines = createLineLog((text) => written.push(text));
  afterEach(() => {
    written.length = 0;
  });

  it('writes lines that are added together in one batch', async () => {
    lines.add('one');
    lines.add('two');
    assert.deepEqual(written, []);
    while (written.length === 0) await new Promise(setImmediate);
    assert.deepEqual(written, ['one\ntwo\n']);
  });

  it('writes an urgent line after the waiting lines', () => {
    lines.add('one');
    lines.write('two');
    assert.deepEqual(written, ['one\ntwo\n']);
  });

  it('writes the waiting lines once when it is flushed', () => {
    lines.add('one');
    lines.flush();
    lines.flush();
    assert.deepEqual(written, ['one\n']);
  });
});
