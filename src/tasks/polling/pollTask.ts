import { isMissing, isUnknown, saysMissing } from '../../client/missingTask.ts';
import type { TaskSnapshot } from '../../wire/apis/taskRecord/snapshot.ts';
import type { Ledger } from '../ledger/ledger.ts';
import { problemOf } from '../record/problem.ts';
import type { Problem, Task } from '../record/task.ts';
import type { ClockReading, PolledTask } from './polledTask.ts';
import { type FoundTask, reconcile, type SearchClient } from './reconcile.ts';

/** The result of a poll. */
export type PollResult =
  /** `changed`: news, so the next poll follows sooner. */
  | { readonly kind: 'same' | 'changed' }
  | { readonly kind: 'ended' | 'missing' }
  /** A task of unknown outcome was found. */
  | { readonly kind: 'found'; readonly taskId: string }
  /** A task of unknown outcome was not found; one of these may be it. */
  | { readonly kind: 'searched'; readonly candidates: readonly FoundTask[] };

export interface PollContext {
  readonly ledger: Ledger;
  readonly client: SearchClient;
  readonly reading: ClockReading;
  readonly signal: AbortSignal;
}

/** How long a gateway may not show a new task, in milliseconds. */
const graceMs = 60_000;
/** Some gateways report a task as completed before they name its results. */
const maxEmptyPolls = 3;
/** Timeouts of a poll in milliseconds: a gateway in good order answers it soon. */
export const pollTimeouts = { firstByte: 30_000, idle: 30_000, total: 60_000 };

/**
 * Polls a task once and stores what it learns: reads the task, or searches for it when its id is unknown.
 *
 * @throws {GatewayError} when the gateway could not be asked, or does not know a task that ended long ago
 * @throws {StorageError} when the result could not be stored
 */
export function pollTask(polled: PolledTask, task: Task, context: PollContext): Promise<PollResult> {
  return task.taskId === undefined ? search(polled, task, context) : read(polled, task, task.taskId, context);
}

async function read(
  polled: PolledTask,
  task: Task,
  taskId: string,
  context: PollContext,
): Promise<PollResult> {
  const { ledger, client, signal } = context;
  let snapshot: TaskSnapshot;
  try {
    const read = await client.readTask(taskId, { signal, timeouts: pollTimeouts });
    snapshot = polled.steady.settled(read, context.reading.monotonic);
  } catch (error) {
    signal.throwIfAborted();
    if (!saysMissing(error) || task.status !== 'running') throw error;
    return missing(polled, task, context, problemOf(error));
  }
  signal.throwIfAborted();
  if (isMissing(snapshot) && task.status === 'running') return missing(polled, task, context);
  if (isUnknown(snapshot) && task.status === 'running') return unknown(polled, context, snapshot);
  polled.unknownSince = undefined;
  polled.emptyPolls = isEmpty(snapshot) ? polled.emptyPolls + 1 : 0;
  if (polled.emptyPolls > 0 && polled.emptyPolls <= maxEmptyPolls) return { kind: 'changed' };
  return { kind: await ledger.change(() => ledger.recordSnapshot(task.key, snapshot)) };
}

async function missing(
  polled: PolledTask,
  task: Task,
  { ledger, reading }: PollContext,
  problem?: Problem,
): Promise<PollResult> {
  if (problem && polled.isNewProblem(problem, reading))
    await ledger.change(() => ledger.pollFailed(polled.key, problem));
  const isMissingForGood =
    staysUnknown(polled, reading) || (task.watching !== 'on' && isOld(polled, reading));
  if (!isMissingForGood) return { kind: 'same' };
  await ledger.change(() => ledger.markMissing(polled.key));
  return { kind: 'missing' };
}

/** The age of a task alone does not decide, because the wall clock may be wrong. */
function staysUnknown(polled: PolledTask, reading: ClockReading): boolean {
  polled.unknownSince ??= reading.monotonic;
  return reading.monotonic - polled.unknownSince >= graceMs && isOld(polled, reading);
}

function isOld(polled: PolledTask, reading: ClockReading): boolean {
  return polled.ageMs(reading) >= graceMs;
}

/** The same status belongs to a new task for a while, and to one that the provider has forgotten for ever. */
async function unknown(
  polled: PolledTask,
  { ledger, reading }: PollContext,
  snapshot: TaskSnapshot,
): Promise<PollResult> {
  const kind = await ledger.change(() => ledger.recordSnapshot(polled.key, snapshot));
  if (!staysUnknown(polled, reading)) return { kind };
  await ledger.change(() => ledger.markMissing(polled.key));
  return { kind: 'missing' };
}

/** Whether the task has completed, and its record names no result. */
export function isEmpty({ status, results }: TaskSnapshot): boolean {
  return status === 'completed' && results.length === 0;
}

async function search(
  polled: PolledTask,
  task: Task,
  { ledger, client, signal }: PollContext,
): Promise<PollResult> {
  const { found, candidates } = await reconcile(task, { ledger, client, signal });
  signal.throwIfAborted();
  polled.searches += 1;
  if (!found) return { kind: 'searched', candidates };
  await ledger.change(() => {
    ledger.accept(task.key, found.id);
    if (!isEmpty(found) && !isMissing(found)) ledger.recordSnapshot(task.key, found);
  });
  return { kind: 'found', taskId: found.id };
}
