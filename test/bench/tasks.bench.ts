// The cost of storing and watching tasks: writes to the ledger compared with SQLite's own bare writes in the same
// run, reading ten thousand tasks, and a minute of watching a thousand.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as pause } from 'node:timers/promises';
import { createGatewayClient } from '../../src/client/gatewayClient.ts';
import { WindowRegistry } from '../../src/storage/windowRegistry.ts';
import { Ledger } from '../../src/tasks/ledger/ledger.ts';
import { openLedgerDatabase } from '../../src/tasks/ledger/ledgerSchema.ts';
import { TaskWatcher } from '../../src/tasks/taskWatcher.ts';
import { decodeTask } from '../../src/wire/apis/taskRecord/decodeTask.ts';
import { median, report } from './report.ts';
import { startServer } from './startServer.ts';

const runningCount = 1_000;
const taskCount = 10_000;
const writeCount = 2_000;
const durableWriteCount = 200;
const watchMs = 60_000;
const maxCpuPercent = 2;
const maxPollsInFlight = 4;
const maxWriteMs = 5;
const maxListMs = 200;
/** The longest acceptable block of the extension host. */
const maxBlockMs = 20;

const folder = mkdtempSync(join(tmpdir(), 'tasks-bench-'));
try {
  await measureWrites();
  measureList();
  await measureWatching();
} finally {
  rmSync(folder, { recursive: true, force: true });
}

function open(name: string): { ledger: Ledger; windows: WindowRegistry } {
  const database = openLedgerDatabase({ path: join(folder, name), isNonBlocking: true });
  const window = `window of ${name}`;
  return { ledger: new Ledger(database, { window }), windows: new WindowRegistry(database, { window }) };
}

function fill(ledger: Ledger, count: number, status: 'running' | 'completed'): void {
  for (let nth = 0; nth < count; nth++) {
    const snapshot = decodeTask({ id: `task-${nth}`, status, model: 'bench' });
    const names = { gateway: 'http://bench', gatewayName: 'bench', model: 'bench' };
    ledger.adopt({
      ...names,
      prompt: `Prompt number ${nth} of many`,
      snapshot: { ...snapshot, id: `task-${nth}` },
    });
  }
}

function p99(times: readonly number[]): number {
  return times.toSorted((a, b) => a - b)[Math.floor(times.length * 0.99)] ?? Number.NaN;
}

function times(count: number, act: (nth: number) => void): readonly number[] {
  return Array.from({ length: count }, (_, nth) => {
    const before = performance.now();
    act(nth);
    return performance.now() - before;
  });
}

async function measureWrites(): Promise<void> {
  const { ledger } = open('writes.sqlite');
  fill(ledger, durableWriteCount, 'running');
  const [task] = ledger.list();
  const key = task?.key ?? '';
  const looks = times(writeCount, (nth) => {
    ledger.recordSnapshot(key, decodeTask({ id: task?.taskId, status: `state ${nth}`, progress: nth % 100 }));
  });
  const durable: number[] = [];
  const blocked: number[] = [];
  for (let nth = 0; nth < durableWriteCount; nth++) {
    const draft = { gateway: 'g', gatewayName: 'p', route: 'interactions', model: 'm', prompt: 'x' } as const;
    const before = performance.now();
    const written = ledger.change(() =>
      ledger.create({ ...draft, key: `key-${nth}`, request: { model: 'm', input: 'x' } }),
    );
    blocked.push(performance.now() - before);
    await written;
    durable.push(performance.now() - before);
  }
  ledger.close();
  const bare = bareWrites();
  report({
    figure: 'a write to the ledger that need not be durable, 99th percentile',
    value: `${p99(looks).toFixed(2)} ms (bare SQLite ${p99(bare.looks).toFixed(2)} ms)`,
    target: `<= ${maxWriteMs} ms`,
    met: p99(looks) <= maxWriteMs,
  });
  const ratio = median(durable) / median(bare.durable);
  report({
    figure: 'a durable write to the ledger / the same rows written by bare SQLite, median',
    value: `${ratio.toFixed(2)} (${median(durable).toFixed(2)} ms, 99th percentile ${p99(durable).toFixed(2)} ms)`,
    target: '<= 3',
    met: ratio <= 3,
  });
  report({
    figure: 'the longest that a durable write to the ledger keeps its thread',
    value: `${Math.max(...blocked).toFixed(2)} ms (the disk takes up to ${Math.max(...durable).toFixed(2)} ms)`,
    target: `<= ${maxBlockMs} ms`,
    met: Math.max(...blocked) <= maxBlockMs,
  });
}

/** The minimum time of SQLite for the same rows: one for a poll, three in a transaction for an intent. */
function bareWrites() {
  const database = new DatabaseSync(join(folder, 'bare.sqlite'));
  database.exec('PRAGMA journal_mode = WAL; CREATE TABLE rows (id INTEGER PRIMARY KEY, text TEXT)');
  database.exec('CREATE TABLE requests (key TEXT PRIMARY KEY, body TEXT) WITHOUT ROWID');
  database.exec('CREATE TABLE sightings (id INTEGER PRIMARY KEY, key TEXT, at INTEGER)');
  const insert = database.prepare('INSERT INTO rows (text) VALUES (?)');
  const insertRequest = database.prepare('INSERT INTO requests VALUES (?, ?)');
  const insertSighting = database.prepare('INSERT INTO sightings (key, at) VALUES (?, ?)');
  database.exec('PRAGMA synchronous = NORMAL');
  const looks = times(writeCount, (nth) => insert.run(`state ${nth}`));
  database.exec('PRAGMA synchronous = FULL');
  const durable = times(durableWriteCount, (nth) => {
    database.exec('BEGIN IMMEDIATE');
    insert.run(`state ${nth}`);
    insertRequest.run(`key-${nth}`, '{}');
    insertSighting.run(`key-${nth}`, nth);
    database.exec('COMMIT');
  });
  database.close();
  return { looks, durable };
}

function measureList(): void {
  const { ledger } = open('many.sqlite');
  fill(ledger, taskCount, 'completed');
  ledger.close();
  const before = performance.now();
  const opened = open('many.sqlite').ledger;
  const count = opened.list().length;
  const took = performance.now() - before;
  opened.close();
  report({
    figure: `opening a ledger of ${taskCount} tasks and reading all`,
    value: `${took.toFixed(0)} ms`,
    target: `<= ${maxListMs} ms`,
    met: count === taskCount && took <= maxListMs,
  });
}

async function measureWatching(): Promise<void> {
  const server = await startServer('taskServer.ts');
  const client = createGatewayClient({ baseUrl: server.baseUrl, credential: async () => 'test-credential' });
  const { ledger, windows } = open('watched.sqlite');
  fill(ledger, runningCount, 'running');
  let inFlight = 0;
  let most = 0;
  const reader = {
    listModels: client.listModels,
    listTaskPage: client.listTaskPage,
    async readTask(...args: Parameters<typeof client.readTask>) {
      inFlight += 1;
      most = Math.max(most, inFlight);
      return client.readTask(...args).finally(() => {
        inFlight -= 1;
      });
    },
  };
  const pollOptions = {
    intervalMs: 5_000,
    maxIntervalMs: 30_000,
    timeoutMs: 3_600_000,
    pollsInFlight: maxPollsInFlight,
  };
  const watcher = new TaskWatcher({
    ledger,
    windows,
    getClient: async () => reader,
    pollOptions: () => pollOptions,
  });
  watcher.start();
  // New tasks are polled more often at first.
  await pause(watchMs);
  const before = process.cpuUsage();
  await pause(watchMs);
  const { user, system } = process.cpuUsage(before);
  const percent = ((user + system) / 1000 / watchMs) * 100;
  await watcher.stop();
  await client.close();
  ledger.close();
  server.close();
  report({
    figure: `watching ${runningCount} running tasks for a minute, of one core`,
    value: `${percent.toFixed(2)} %`,
    target: `<= ${maxCpuPercent} %`,
    met: percent <= maxCpuPercent,
  });
  report({
    figure: `polls under way at once while ${runningCount} tasks are watched`,
    value: String(most),
    target: `<= ${maxPollsInFlight}`,
    met: most <= maxPollsInFlight,
  });
}
