import assert from 'node:assert/strict';
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { SpendingStore } from '../../src/storage/spending/spendingStore.ts';
import { DatabaseFolder } from '../support/databaseFolder.ts';
import { type RunningGateway, startGateway } from '../support/gatewayProcess.ts';
import { startUpstream } from '../support/scriptedUpstream.ts';
import { createUpstreamConfig } from '../support/testUpstreams.ts';

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

  it('allows ten of 100 simultaneous requests from two windows', async () => {
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
    const [use] = store.readUses([{ name: 'day', per: 'day', allowed: allowed * 1e9, currency: 'USD' }]);
    store.close();
    assert.equal((use?.used ?? 0) + (use?.reserved ?? 0), allowed * 1e9, 'no killed request is forgotten');
  });
});

describe('P17 two windows and the local gateway with one file of counts', function () {
  this.timeout(60_000);

  it('P12 together stay within the limit after one of each was killed before its replies arrived', async () => {
    const state = mkdtempSync(join(tmpdir(), 'spending-side-by-side-'));
    let isSilent = true;
    const upstream = await startUpstream((_, response) => {
      const usage = { prompt_tokens: 1, completion_tokens: 1_000 };
      if (!isSilent)
        response.setHeader('content-type', 'application/json').end(JSON.stringify({ choices: [], usage }));
    });
    const prices = [{ models: 'm', input: 0, output: 1_000 }];
    const config = {
      upstreams: [createUpstreamConfig('one', upstream.baseUrl, { models: ['m'], prices })],
      limits: [{ per: 'day', money: allowed }],
    };
    const windowFor = (count: number) =>
      fork(program, [join(state, 'spending.sqlite'), upstream.baseUrl, String(allowed), String(count)]);
    const send = ({ baseUrl, credential }: RunningGateway) =>
      fetch(`${baseUrl}/v1/chat/completions`, {
        method: 'POST',
        headers: { authorization: `Bearer ${credential}`, 'content-type': 'application/json' },
        body: JSON.stringify({ model: 'm', messages: [], max_tokens: 1_000 }),
      }).catch(() => undefined);
    const gateway = await startGateway({ demo: false, state, config });
    const cut = [send(gateway), send(gateway)];
    const killed = windowFor(3);
    while (upstream.requests.length < 5) await new Promise((resolve) => setTimeout(resolve, 5));
    for (const each of [killed, gateway.process]) {
      each.kill('SIGKILL');
      await once(each, 'exit');
    }
    await Promise.all(cut);
    isSilent = false;
    const second = await startGateway({ demo: false, state, config });
    const windows = [windowFor(50), windowFor(50)];
    const replies = await Promise.all([
      ...Array.from({ length: 50 }, () => send(second)),
      ...windows.map((window) => once(window, 'exit')),
    ]);
    assert.equal(replies.length, 52);
    assert.equal(upstream.requests.length, allowed);
    await second.stop();
    await upstream.close();
    rmSync(state, { recursive: true, force: true });
  });
});
