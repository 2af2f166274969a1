import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openStateFolder } from '../../../../src/localGateway/config/stateFolder.ts';
import {
  NoReplyError,
  sendToRunningGateway,
} from '../../../../src/localGateway/operation/runningInstance.ts';

describe('a command to the running local gateway', () => {
  it('fails with the process to end if the gateway does not reply', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'instance-'));
    const socket = join(folder, 'socket');
    const silent = createServer(() => {}).listen(socket);
    try {
      const state = openStateFolder(folder);
      assert.equal(await sendToRunningGateway(state, 'stop'), false, 'without a gateway');
      writeFileSync(state.running, JSON.stringify({ pid: 4711, baseUrl: 'http://127.0.0.1:1', socket }));
      await assert.rejects(sendToRunningGateway(state, 'stop', 50), (error) => {
        assert.ok(error instanceof NoReplyError);
        assert.match(error.message, /process 4711, does not reply/);
        return true;
      });
    } finally {
      silent.close();
      rmSync(folder, { recursive: true });
    }
  });
});
