import { isMissingRecord, isMissingTaskError, isUnknownRecord } from '../../client/missingTask.ts';
import type { TaskSnapshot } from '../../wire/apis/taskRecord/snapshot.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { Problem, Task } from '../record/task.ts';
import { toProblem } from '../record/taskProblem.ts';
import type { ClockReading, PollState } from './pollState.ts';
import { type SearchClient, searchTask } from './searchTask.ts';

/** The result of a poll. */
export type PollResult =
  /** Whether the task changed. After a change, the next poll follows sooner. */
  | { readonly kind: 'same' | 'changed' }
  | { readonly kind: 'ended' | 'missing' }
  /** A task of unknown outcome was found. */
  | { readonly kind: 'found'; readonly taskId: string };

interface PollContext {
  readonly ledger: Ledger;
  readonly client: SearchClient;
  readonly reading: ClockReading;
  readonly signal: AbortSignal;
}

/** The time in milliseconds that a gateway may need until it knows a new task. */
const graceMs = 60_000;
/** Some gateways report a task as completed before they list its results. */
const maxEmptyPolls = 3;
/** Timeouts of a poll in milliseconds. They are short because a working gateway replies soon. */
export const pollTimeouts = { firstByte: 30_000, idle: 30_000, total: 60_000 };

/**
 * Polls a task once and stores the result. It reads the task, or searches for it if its id is unknown.
 *
 * @throws {GatewayError} if a request failed, or the gateway no longer knows an ended task
 * @throws {StorageError} if the result could not be stored
 */
export function pollTask(polled: PollState, task: Task, context: PollContext): Promise<PollResult> {
  return task.taskId === undefined
    ? searchAndStore(polled, task, context)
    : readAndStore(polled, task, task.taskId, context);
}

async function readAndStore(
  polled: PollState,
  task: Task,
  taskId: string,
  context: PollContext,
): Promise<PollResult> {
  const { ledger, client, signal } = context;
  let snapshot: TaskSnapshot;
  try {
    const read = await client.readTask(taskId, { signal, timeouts: pollTimeouts });
    snapshot = polled.steady.update(read, context.reading.monotonic);
  } catch (error) {
    signal.throwIfAborted();
    if (!isMissingTaskError(error) || task.status !== 'running') throw error;
    return handleMissing(polled, task, context, toProblem(error));
  }
  signal.throwIfAborted();
  if (isMissingRecord(snapshot) && task.status === 'running') return handleMissing(polled, task, context);
  if (isUnknownRecord(snapshot) && task.status === 'running') return handleUnknown(polled, context, snapshot);
  polled.unknownSince = undefined;
  polled.emptyPolls = hasNoResult(snapshot) ? polled.emptyPolls + 1 : 0;
  if (polled.emptyPolls > 0 && polled.emptyPolls <= maxEmptyPolls) return { kind: 'changed' };
  return { kind: await ledger.change(() => ledger.recordSnapshot(task.key, snapshot)) };
}

async function handleMissing(
  polled: PollState,
  task: Task,
  { ledger, reading }: PollContext,
  problem?: Problem,
): Promise<PollResult> {
  if (problem && polled.isNewProblem(problem, reading))
    await ledger.change(() => ledger.recordFailedPoll(polled.key, problem));
  const isPermanent = hasStayedUnknown(polled, reading) || (task.watching !== 'on' && isOld(polled, reading));
  if (!isPermanent) return { kind: 'same' };
  await ledger.change(() => ledger.markMissing(polled.key));
  return { kind: 'missing' };
}

/** The age of a task alone is not enough, because the wall clock may be wrong. */
function hasStayedUnknown(polled: PollState, reading: ClockReading): boolean {
  polled.unknownSince ??= reading.monotonic;
  return reading.monotonic - polled.unknownSince >= graceMs && isOld(polled, reading);
}

function isOld(polled: PollState, reading: ClockReading): boolean {
  return polled.computeAgeMs(reading) >= graceMs;
}

/** The same status may mean a new task, or a task that the provider has forgotten. Only time shows which. */
async function handleUnknown(
  polled: PollState,
  { ledger, reading }: PollContext,
  snapshot: TaskSnapshot,
): Promise<PollResult> {
  const kind = await ledger.change(() => ledger.recordSnapshot(polled.key, snapshot));
  if (!hasStayedUnknown(polled, reading)) return { kind };
  await ledger.change(() => ledger.markMissing(polled.key));
  return { kind: 'missing' };
}

/** Whether the task has completed and its record does not contain a result. */
export function hasNoResult({ status, results }: TaskSnapshot): boolean {
  return status === 'completed' && results.length === 0;
}

async function searchAndStore(
  polled: PollState,
  task: Task,
  { ledger, client, signal }: PollContext,
): Promise<PollResult> {
  const { found } = await searchTask(task, { ledger, client, signal });
  signal.throwIfAborted();
  polled.searches += 1;
  if (!found) return { kind: 'same' };
  await ledger.change(() => {
    ledger.accept(task.key, found.id);
    if (!hasNoResult(found) && !isMissingRecord(found)) ledger.recordSnapshot(task.key, found);
  });
  return { kind: 'found', taskId: found.id };
}
