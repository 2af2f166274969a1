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
import { type ScriptedUpstream, startUpstream } from '../support/scriptedUpstream.ts';
import { createUpstreamConfig } from '../support/testUpstreams.ts';

const program = fileURLToPath(new URL('../support/spendingChild.ts', import.meta.url));
const allowed = 10;

/** The dollars of today's requests in a file. */
function countedIn(file: string, limit: number): number {
  const store = new SpendingStore(file, Date.now);
  const [use] = store.readUses([{ name: 'day', per: 'day', allowed: limit * 1e9, currency: 'USD' }]);
  store.close();
  return ((use?.used ?? 0) + (use?.reserved ?? 0)) / 1e9;
}

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
    assert.equal(countedIn(folder.file(), allowed), allowed, 'no killed request is forgotten');
  });
});

describe('P17 two windows and the local gateway', function () {
  this.timeout(60_000);
  const prices = [{ models: 'm', input: 0, output: 1_000 }];
  let folder: string;
  let upstream: ScriptedUpstream;
  let isSilent: boolean;

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'spending-side-by-side-'));
    isSilent = true;
    upstream = await startUpstream((_, response) => {
      const usage = { prompt_tokens: 1, completion_tokens: 1_000 };
      if (!isSilent)
        response.setHeader('content-type', 'application/json').end(JSON.stringify({ choices: [], usage }));
    });
  });

  afterEach(async () => {
    await upstream.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const start = () =>
    startGateway({
      demo: false,
      state: folder,
      config: {
        upstreams: [createUpstreamConfig('one', upstream.baseUrl, { models: ['m'], prices })],
        limits: [{ per: 'day', money: allowed }],
      },
    });

  const send = ({ baseUrl, credential }: RunningGateway) =>
    fetch(`${baseUrl}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${credential}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'm', messages: [], max_tokens: 1_000 }),
    }).catch(() => undefined);

  /** A window whose requests are all refused ends at once. */
  async function ended(each: ChildProcess | undefined): Promise<void> {
    if (each?.exitCode === null && each.signalCode === null) await once(each, 'exit');
  }

  async function kill(...processes: readonly ChildProcess[]): Promise<void> {
    for (const each of processes) {
      each.kill('SIGKILL');
      await ended(each);
    }
  }

  async function waitForRequests(count: number): Promise<void> {
    while (upstream.requests.length < count) await new Promise((resolve) => setTimeout(resolve, 5));
  }

  it('P12 with one file of counts stay within the limit after one of each was killed before its replies arrived', async () => {
    const startWindow = (count: number) =>
      fork(program, [join(folder, 'spending.sqlite'), upstream.baseUrl, String(allowed), String(count)]);
    const gateway = await start();
    const cut = [send(gateway), send(gateway)];
    const killed = startWindow(3);
    await waitForRequests(5);
    await kill(killed, gateway.process);
    await Promise.all(cut);
    isSilent = false;
    const second = await start();
    const windows = [startWindow(50), startWindow(50)];
    const replies = await Promise.all([
      ...Array.from({ length: 50 }, () => send(second)),
      ...windows.map(ended),
    ]);
    assert.equal(replies.length, 52);
    assert.equal(upstream.requests.length, allowed);
    await second.stop();
  });

  it('P12 with a limit each stay within both while the gateway is killed, with a hundred requests at once', async () => {
    const file = join(folder, 'windows.sqlite');
    const ofWindows = 14;
    const startWindow = ({ baseUrl, credential }: RunningGateway) =>
      fork(program, [file, `${baseUrl}/v1/chat/completions`, String(ofWindows), '50', credential]);
    const first = await start();
    const windows = [startWindow(first), startWindow(first)];
    await waitForRequests(4);
    await kill(windows[0] ?? assert.fail(), first.process);
    await ended(windows[1]);
    isSilent = false;
    const second = await start();
    const more = [startWindow(second), startWindow(second)];
    await Promise.all([...Array.from({ length: 100 }, () => send(second)), ...more.map(ended)]);
    // A request that was counted just before the end of the gateway did not leave.
    assert.ok(upstream.requests.length <= allowed, `${upstream.requests.length} requests left`);
    assert.equal(countedIn(join(folder, 'spending.sqlite'), allowed), allowed);
    assert.equal(countedIn(file, ofWindows), ofWindows);
    await second.stop();
  });
});
