/**
 * A window of its own process, for tests that kill it: makes tasks at a gateway of its parent, as fast as
 * it can. Arguments: the ledger's file, this window's name, and what to do.
 *
 * - `work`: makes tasks and watches them, for ever.
 * - `finish`: brings everything that was begun to its end.
 * - `once`: makes one task.
 */
import { randomUUID } from 'node:crypto';
import { openDatabase } from '../../src/storage/database.ts';
import { ledgerMigrations } from '../../src/tasks/ledger/ledgerSchema.ts';
import { Ledger } from '../../src/tasks/ledger.ts';
import type { Task } from '../../src/tasks/task.ts';
import type { ChildQuestion, ChildReport, ParentReply } from './ledgerChildMessages.ts';

const tasksAtOnce = 3;
const gateway = 'https://gateway.example';

const [file = '', window = '', sibling = '', mode = ''] = process.argv.slice(2);
const database = openDatabase({ path: file, migrations: ledgerMigrations });
const ledger = new Ledger(database, { window });
const waiting = new Map<number, (reply: ParentReply) => void>();
let asked = 0;

process.on('message', (reply: ParentReply) => {
  waiting.get(reply.to)?.(reply);
  waiting.delete(reply.to);
});
process.on('disconnect', () => process.exit());

report({ type: 'ready', ...(database.setAside !== undefined && { setAside: database.setAside }) });
switch (mode) {
  case 'once':
    await make();
    break;
  case 'finish':
    await goOn();
    break;
  case 'work':
    await Promise.all([goOn(), ...Array.from({ length: tasksAtOnce }, makeForEver)]);
}
ledger.close();
process.disconnect();

function report(message: ChildReport): void {
  process.send?.(message);
}

function ask(question: ChildQuestion): Promise<ParentReply> {
  const number = ++asked;
  return new Promise((resolve) => {
    waiting.set(number, resolve);
    process.send?.({ ...question, number });
  });
}

/** What a window does when it opens. */
async function goOn(): Promise<void> {
  const lost = ledger.recover((name) => name === sibling);
  report({ type: 'recovered', count: lost.length });
  for (const task of ledger.unfinished()) {
    if (task.status === 'unknown') await search(task);
    else if (task.status !== 'submitting') await finish(task.key);
  }
}

async function makeForEver(): Promise<void> {
  for (;;) await make();
}

async function make(): Promise<void> {
  const key = randomUUID();
  const model = 'film-1';
  const request = { model, prompt: 'a cat '.repeat(200) };
  ledger.create({
    key,
    gateway,
    gatewayName: 'work',
    route: 'videoSynthesis',
    model,
    prompt: 'a cat',
    request,
  });
  if (!ledger.claimSubmit(key, `request-${key}`)) throw new Error('Somebody else sends a new task.');
  const { taskId } = await ask({ type: 'create', key });
  if (taskId === undefined) throw new Error('The gateway made nothing.');
  ledger.accept(key, taskId);
  report({ type: 'kept', key, taskId });
  await finish(key);
}

async function search({ key }: Task): Promise<void> {
  const { taskId } = await ask({ type: 'find', key });
  if (taskId === undefined) return;
  ledger.accept(key, taskId);
  await finish(key);
}

async function finish(key: string): Promise<void> {
  for (const progress of [10, 60]) {
    ledger.recordSnapshot(key, {
      status: 'running',
      rawStatus: `RUNNING ${progress}`,
      progress,
      results: [],
      raw: { progress },
    });
    await ask({ type: 'poll', key });
  }
  const results = [{ url: `https://files.example/${key}.mp4` }];
  ledger.recordSnapshot(key, {
    status: 'completed',
    rawStatus: 'SUCCEEDED',
    results,
    raw: { key, filler: 'x'.repeat(2000) },
  });
  if (ledger.claimNotice(key, 'ended')) report({ type: 'noticed', key });
  if (ledger.claimFetch(key, 0, (name) => name === sibling)) {
    ledger.updateResult(key, 0, { state: 'saved', path: `/films/${key}.mp4`, bytes: 1, sha256: 'ab' });
  }
}
