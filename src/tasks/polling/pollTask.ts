import type { TaskSnapshot } from '../../client/gatewayClient.ts';
import { isMissing, isUnknown, saysMissing } from '../../client/missingTask.ts';
import type { Ledger } from '../ledger.ts';
import { problemOf } from '../problem.ts';
import { type FoundTask, reconcile, type TaskReader } from '../reconcile.ts';
import type { Problem, Task } from '../task.ts';
import type { ClockReading, PolledTask } from './polledTask.ts';

/** What a look at a task brought. */
export type PollResult =
  /** As before, or with news worth a closer watch. */
  | { readonly kind: 'same' | 'changed' }
  | { readonly kind: 'ended' | 'gone' }
  /** A lost task turned up. */
  | { readonly kind: 'found'; readonly taskId: string }
  /** A lost task did not turn up; one of these may be it. */
  | { readonly kind: 'searched'; readonly candidates: readonly FoundTask[] };

export interface PollContext {
  readonly ledger: Ledger;
  readonly reader: TaskReader;
  readonly moment: ClockReading;
  readonly signal: AbortSignal;
}

/** A gateway may not show a task right after it was made. */
const PATIENCE_MS = 60_000;
/** Some gateways call a task completed before they name what it made. */
const MOST_EMPTY_LOOKS = 3;
/** A gateway that is asked how a task is doing answers soon, or is in trouble. */
export const pollTimeouts = { firstByte: 30_000, idle: 30_000, total: 60_000 };

/**
 * Looks at a task once, and keeps what it learns: reads it, or searches for it where its id is not known.
 *
 * @throws {GatewayError} when the gateway could not be asked, or does not know a task that ended long ago
 * @throws {StorageError} when what was learnt could not be kept
 */
export function pollTask(watched: PolledTask, task: Task, looking: PollContext): Promise<PollResult> {
  return task.taskId === undefined
    ? search(watched, task, looking)
    : read(watched, task, task.taskId, looking);
}

async function read(
  watched: PolledTask,
  task: Task,
  taskId: string,
  looking: PollContext,
): Promise<PollResult> {
  const { ledger, reader, signal } = looking;
  let snapshot: TaskSnapshot;
  try {
    snapshot = await reader.readTask(taskId, { signal, timeouts: pollTimeouts });
  } catch (error) {
    signal.throwIfAborted();
    if (!saysMissing(error) || task.stage !== 'running') throw error;
    return missing(watched, task, looking, problemOf(error));
  }
  signal.throwIfAborted();
  if (isMissing(snapshot) && task.stage === 'running') return missing(watched, task, looking);
  if (isUnknown(snapshot) && task.stage === 'running') return unknown(watched, looking, snapshot);
  watched.unknownSince = undefined;
  watched.emptyLooks = isEmpty(snapshot) ? watched.emptyLooks + 1 : 0;
  if (watched.emptyLooks > 0 && watched.emptyLooks <= MOST_EMPTY_LOOKS) return { kind: 'changed' };
  return { kind: ledger.recordSnapshot(task.key, snapshot) };
}

function missing(
  watched: PolledTask,
  task: Task,
  { ledger, moment }: PollContext,
  problem?: Problem,
): PollResult {
  if (problem && watched.isNews(problem, moment)) ledger.pollFailed(watched.key, problem);
  const isGone = staysUnknown(watched, moment) || (task.watching !== 'on' && isOld(watched, moment));
  if (!isGone) return { kind: 'same' };
  ledger.markMissing(watched.key);
  return { kind: 'gone' };
}

/** No task is given up by its age alone, which a clock may get wrong. */
function staysUnknown(watched: PolledTask, moment: ClockReading): boolean {
  watched.unknownSince ??= moment.monotonic;
  return moment.monotonic - watched.unknownSince >= PATIENCE_MS && isOld(watched, moment);
}

function isOld(watched: PolledTask, moment: ClockReading): boolean {
  return watched.ageMs(moment) >= PATIENCE_MS;
}

/** A word that a new task may have for a while, and one that the provider has forgotten has for ever. */
function unknown(watched: PolledTask, { ledger, moment }: PollContext, snapshot: TaskSnapshot): PollResult {
  const kind = ledger.recordSnapshot(watched.key, snapshot);
  if (!staysUnknown(watched, moment)) return { kind };
  ledger.markMissing(watched.key);
  return { kind: 'gone' };
}

export function isEmpty({ status, results }: TaskSnapshot): boolean {
  return status === 'completed' && results.length === 0;
}

async function search(
  watched: PolledTask,
  task: Task,
  { ledger, reader, signal }: PollContext,
): Promise<PollResult> {
  const { found, candidates } = await reconcile(task, { ledger, reader, signal });
  signal.throwIfAborted();
  watched.searches += 1;
  if (!found) return { kind: 'searched', candidates };
  ledger.accept(task.key, found.id);
  if (!isEmpty(found) && !isMissing(found)) ledger.recordSnapshot(task.key, found);
  return { kind: 'found', taskId: found.id };
}
