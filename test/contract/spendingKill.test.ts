import assert from 'node:assert/strict';
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { SpendingStore } from '../../src/storage/spending/spendingStore.ts';
import { DatabaseFolder } from '../support/databaseFolder.ts';

const program = fileURLToPath(new URL('../support/spendingChild.ts', import.meta.url));
const allowed = 10;

describe('P17 a spending limit for ten requests', () => {
  let folder: DatabaseFolder;
  let server: Server;
  let arrived: ServerResponse[];
  let isSilent: boolean;
  const windows: ChildProcess[] = [];

  beforeEach(async () => {
    folder = new DatabaseFolder();
    arrived = [];
    isSilent = false;
    server = createServer((_, response) => {
      arrived.push(response);
      server.emit('arrived');
      if (!isSilent) response.end();
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
  });

  afterEach(async () => {
    for (const window of windows.splice(0)) window.kill('SIGKILL');
    server.closeAllConnections();
    server.close();
    folder.remove();
  });

  /** Starts a window that tries to send 50 requests at once. */
  function start(): { readonly window: ChildProcess; readonly exit: Promise<unknown> } {
    const { port } = server.address() as AddressInfo;
    const window = fork(program, [folder.file(), `http://127.0.0.1:${port}`, String(allowed)]);
    windows.push(window);
    return { window, exit: once(window, 'exit') };
  }

  it('lets ten of 100 requests leave that two windows send at once', async () => {
    const both = [start(), start()];
    const codes = (await Promise.all(both.map(({ exit }) => exit))) as number[][];
    assert.deepEqual(
      codes.map(([code]) => code),
      [0, 0],
    );
    assert.equal(arrived.length, allowed);
  });

  it('P12 counts requests whose window is killed before their replies arrive', async () => {
    isSilent = true;
    const { window, exit } = start();
    while (arrived.length < 4) await once(server, 'arrived');
    window.kill('SIGKILL');
    await exit;
    isSilent = false;
    await start().exit;
    assert.ok(arrived.length <= allowed, `${arrived.length} requests left`);
    const store = new SpendingStore(folder.file(), Date.now);
    const [use] = store.uses([{ name: 'day', per: 'day', allowed: allowed * 1e9, currency: 'USD' }]);
    store.close();
    assert.equal((use?.used ?? 0) + (use?.reserved ?? 0), allowed * 1e9, 'no killed request is forgotten');
  });
});
