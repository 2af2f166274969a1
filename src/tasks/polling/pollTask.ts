import type { TaskSnapshot } from '../../client/gatewayClient.ts';
import { isMissing, isUnknown, saysMissing } from '../../client/missingTask.ts';
import type { Ledger } from '../ledger.ts';
import { problemOf } from '../problem.ts';
import { type FoundTask, reconcile, type TaskReader } from '../reconcile.ts';
import type { Problem, Task } from '../task.ts';
import type { Moment, Watched } from './polledTask.ts';

/** What a look at a task brought. */
export type LookResult =
  /** As before, or with news worth a closer watch. */
  | { readonly kind: 'same' | 'changed' }
  | { readonly kind: 'ended' | 'gone' }
  /** A lost task turned up. */
  | { readonly kind: 'found'; readonly taskId: string }
  /** A lost task did not turn up; one of these may be it. */
  | { readonly kind: 'searched'; readonly candidates: readonly FoundTask[] };

export interface Looking {
  readonly ledger: Ledger;
  readonly reader: TaskReader;
  readonly moment: Moment;
  readonly signal: AbortSignal;
}

/** A gateway may not show a task right after it was made. */
const PATIENCE_MS = 60_000;
/** Some gateways call a task completed before they name what it made. */
const MOST_EMPTY_LOOKS = 3;
/** A gateway that is asked how a task is doing answers soon, or is in trouble. */
export const pollBudgets = { firstByte: 30_000, idle: 30_000, total: 60_000 };

/**
 * Looks at a task once, and keeps what it learns: reads it, or searches for it where its id is not known.
 *
 * @throws {GatewayError} when the gateway could not be asked, or does not know a task that ended long ago
 * @throws {StorageError} when what was learnt could not be kept
 */
export function lookAt(watched: Watched, task: Task, looking: Looking): Promise<LookResult> {
  return task.taskId === undefined
    ? search(watched, task, looking)
    : read(watched, task, task.taskId, looking);
}

async function read(watched: Watched, task: Task, taskId: string, looking: Looking): Promise<LookResult> {
  const { ledger, reader, signal } = looking;
  let snapshot: TaskSnapshot;
  try {
    snapshot = await reader.readTask(taskId, { signal, budgets: pollBudgets });
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
  return { kind: ledger.saw(task.key, snapshot) };
}

function missing(watched: Watched, task: Task, { ledger, moment }: Looking, problem?: Problem): LookResult {
  if (problem && watched.isNews(problem, moment)) ledger.pollFailed(watched.key, problem);
  const isGone = staysUnknown(watched, moment) || (task.watching !== 'on' && isOld(watched, moment));
  if (!isGone) return { kind: 'same' };
  ledger.gone(watched.key);
  return { kind: 'gone' };
}

/** No task is given up by its age alone, which a clock may get wrong. */
function staysUnknown(watched: Watched, moment: Moment): boolean {
  watched.unknownSince ??= moment.monotonic;
  return moment.monotonic - watched.unknownSince >= PATIENCE_MS && isOld(watched, moment);
}

function isOld(watched: Watched, moment: Moment): boolean {
  return watched.ageMs(moment) >= PATIENCE_MS;
}

/** A word that a new task may have for a while, and one that the provider has forgotten has for ever. */
function unknown(watched: Watched, { ledger, moment }: Looking, snapshot: TaskSnapshot): LookResult {
  const kind = ledger.saw(watched.key, snapshot);
  if (!staysUnknown(watched, moment)) return { kind };
  ledger.gone(watched.key);
  return { kind: 'gone' };
}

export function isEmpty({ state, results }: TaskSnapshot): boolean {
  return state === 'completed' && results.length === 0;
}

async function search(
  watched: Watched,
  task: Task,
  { ledger, reader, signal }: Looking,
): Promise<LookResult> {
  const { found, candidates } = await reconcile(task, { ledger, reader, signal });
  signal.throwIfAborted();
  watched.searches += 1;
  if (!found) return { kind: 'searched', candidates };
  ledger.accept(task.key, found.id);
  if (!isEmpty(found) && !isMissing(found)) ledger.saw(task.key, found);
  return { kind: 'found', taskId: found.id };
}
