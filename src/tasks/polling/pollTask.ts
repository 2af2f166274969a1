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
export function pollTask(pollState: PollState, task: Task, context: PollContext): Promise<PollResult> {
  return task.taskId === undefined
    ? searchAndStore(pollState, task, context)
    : readAndStore(pollState, task, task.taskId, context);
}

async function readAndStore(
  pollState: PollState,
  task: Task,
  taskId: string,
  context: PollContext,
): Promise<PollResult> {
  const { ledger, client, signal } = context;
  let snapshot: TaskSnapshot;
  try {
    const latest = await client.readTask(taskId, { signal, timeouts: pollTimeouts });
    snapshot = pollState.steady.update(latest, context.reading.monotonic);
  } catch (error) {
    signal.throwIfAborted();
    if (!isMissingTaskError(error) || task.status !== 'running') throw error;
    return handleMissing(pollState, task, context, toProblem(error));
  }
  signal.throwIfAborted();
  if (isMissingRecord(snapshot) && task.status === 'running') return handleMissing(pollState, task, context);
  if (isUnknownRecord(snapshot) && task.status === 'running')
    return handleUnknown(pollState, context, snapshot);
  pollState.unknownSince = undefined;
  pollState.emptyPolls = hasNoResult(snapshot) ? pollState.emptyPolls + 1 : 0;
  if (pollState.emptyPolls > 0 && pollState.emptyPolls <= maxEmptyPolls) return { kind: 'changed' };
  return { kind: await ledger.change(() => ledger.recordSnapshot(task.key, snapshot)) };
}

async function handleMissing(
  pollState: PollState,
  task: Task,
  { ledger, reading }: PollContext,
  problem?: Problem,
): Promise<PollResult> {
  if (problem && pollState.isNewProblem(problem, reading))
    await ledger.change(() => ledger.recordFailedPoll(pollState.key, problem));
  const isPermanent =
    hasStayedUnknown(pollState, reading) || (task.watching !== 'on' && isOld(pollState, reading));
  if (!isPermanent) return { kind: 'same' };
  await ledger.change(() => ledger.markMissing(pollState.key));
  return { kind: 'missing' };
}

/** The age of a task alone is not enough, because the wall clock may be wrong. */
function hasStayedUnknown(pollState: PollState, reading: ClockReading): boolean {
  pollState.unknownSince ??= reading.monotonic;
  return reading.monotonic - pollState.unknownSince >= graceMs && isOld(pollState, reading);
}

function isOld(pollState: PollState, reading: ClockReading): boolean {
  return pollState.computeAgeMs(reading) >= graceMs;
}

/** The same status may mean a new task, or a task that the provider has forgotten. Only time shows which. */
async function handleUnknown(
  pollState: PollState,
  { ledger, reading }: PollContext,
  snapshot: TaskSnapshot,
): Promise<PollResult> {
  const kind = await ledger.change(() => ledger.recordSnapshot(pollState.key, snapshot));
  if (!hasStayedUnknown(pollState, reading)) return { kind };
  await ledger.change(() => ledger.markMissing(pollState.key));
  return { kind: 'missing' };
}

/** Whether the task has completed and its record does not contain a result. */
export function hasNoResult({ status, results }: TaskSnapshot): boolean {
  return status === 'completed' && results.length === 0;
}

async function searchAndStore(
  pollState: PollState,
  task: Task,
  { ledger, client, signal }: PollContext,
): Promise<PollResult> {
  const { found } = await searchTask(task, { ledger, client, signal });
  signal.throwIfAborted();
  pollState.searches += 1;
  if (!found) return { kind: 'same' };
  await ledger.change(() => {
    ledger.accept(task.key, found.id);
    if (!hasNoResult(found) && !isMissingRecord(found)) ledger.recordSnapshot(task.key, found);
  });
  return { kind: 'found', taskId: found.id };
}
