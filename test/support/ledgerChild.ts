/**
 * A window in its own process, for tests that kill it. It makes tasks at its parent's gateway, as fast as it can.
 * Arguments: the ledger's file, the name of this window, and a mode:
 *
 * - `work`: makes tasks and watches them, in an endless loop.
 * - `finish`: finishes all unfinished tasks.
 * - `once`: makes one task.
 */
import { randomUUID } from 'node:crypto';
import { type Database, StorageError } from '../../src/storage/database.ts';
import { retryWhileBusy } from '../../src/storage/retryWhileBusy.ts';
import { Ledger } from '../../src/tasks/ledger/ledger.ts';
import { openLedgerDatabase } from '../../src/tasks/ledger/ledgerSchema.ts';
import type { Task } from '../../src/tasks/record/task.ts';
import type { ChildReport, ChildRequest, ParentReply } from './ledgerChildMessages.ts';

const tasksAtOnce = 3;
const gateway = 'https://gateway.example';

const [file = '', window = '', sibling = '', mode = ''] = process.argv.slice(2);
const { database, setAside } = await open();
const ledger = new Ledger(database, { window });
const waiting = new Map<number, (reply: ParentReply) => void>();
let requestCount = 0;

process.on('message', (reply: ParentReply) => {
  waiting.get(reply.requestNumber)?.(reply);
  waiting.delete(reply.requestNumber);
});
process.on('disconnect', () => process.exit());

report({ type: 'ready', ...(setAside !== undefined && { setAside }) });
switch (mode) {
  case 'once':
    await makeTask();
    break;
  case 'finish':
    await continueTasks();
    break;
  case 'work':
    await Promise.all([continueTasks(), ...Array.from({ length: tasksAtOnce }, makeTasksForever)]);
}
ledger.close();
process.disconnect();

/**
 * Opens the ledger as a window does. A damaged file is first repaired on a connection that waits, like that of a
 * worker.
 */
async function open(): Promise<{ readonly database: Database; readonly setAside?: string | undefined }> {
  try {
    return { database: await openAsWindow() };
  } catch (error) {
    if (!(error instanceof StorageError && error.kind === 'damaged')) throw error;
  }
  const repaired = openLedgerDatabase({ path: file });
  const { setAside } = repaired;
  repaired.close();
  return { database: await openAsWindow(), setAside };
}

/** Another process may have locked the file; a window retries later. */
function openAsWindow(): Promise<Database> {
  return retryWhileBusy(() => openLedgerDatabase({ path: file, isNonBlocking: true }));
}

function report(message: ChildReport): void {
  process.send?.(message);
}

function sendRequest(question: ChildRequest): Promise<ParentReply> {
  const number = ++requestCount;
  return new Promise((resolve) => {
    waiting.set(number, resolve);
    process.send?.({ ...question, number });
  });
}

/** Continues the tasks of earlier windows, as a window does after it opens. */
async function continueTasks(): Promise<void> {
  const lost = await ledger.change(() => ledger.recover((name) => name === sibling));
  report({ type: 'recovered', count: lost.length });
  for (const task of ledger.listUnfinished()) {
    if (task.status === 'unknown') await findTask(task);
    else if (task.status !== 'submitting') await finishTask(task.key);
  }
}

async function makeTasksForever(): Promise<void> {
  for (;;) await makeTask();
}

async function makeTask(): Promise<void> {
  const key = randomUUID();
  const model = 'film-1';
  const request = { model, prompt: 'a cat '.repeat(200) };
  const draft = { gateway, gatewayName: 'work', route: 'videoSynthesis', model, prompt: 'a cat' } as const;
  await ledger.change(() => ledger.create({ ...draft, key, request }));
  const isClaimed = await ledger.change(() => ledger.claimSubmission(key, `request-${key}`));
  if (!isClaimed) throw new Error('Another window sends a new task.');
  const { taskId } = await sendRequest({ type: 'create', key });
  if (taskId === undefined) throw new Error('The gateway made no task.');
  await ledger.change(() => ledger.accept(key, taskId));
  report({ type: 'stored', key, taskId });
  await finishTask(key);
}

async function findTask({ key }: Task): Promise<void> {
  const { taskId } = await sendRequest({ type: 'find', key });
  if (taskId === undefined) return;
  await ledger.change(() => ledger.accept(key, taskId));
  await finishTask(key);
}

async function finishTask(key: string): Promise<void> {
  for (const progress of [10, 60]) {
    await ledger.change(() =>
      ledger.recordSnapshot(key, {
        status: 'running',
        rawStatus: `RUNNING ${progress}`,
        progress,
        results: [],
        raw: { progress },
      }),
    );
    await sendRequest({ type: 'poll', key });
  }
  const results = [{ url: `https://files.example/${key}.mp4` }];
  await ledger.change(() =>
    ledger.recordSnapshot(key, {
      status: 'completed',
      rawStatus: 'SUCCEEDED',
      results,
      raw: { key, filler: 'x'.repeat(2000) },
    }),
  );
  if (await ledger.change(() => ledger.claimNotice(key, 'ended'))) report({ type: 'noticed', key });
  if (await ledger.change(() => ledger.claimDownload(key, 0, (name) => name === sibling))) {
    const saved = { state: 'saved', path: `/films/${key}.mp4`, bytes: 1, sha256: 'ab' } as const;
    await ledger.change(() => ledger.updateResult(key, 0, saved));
  }
}
