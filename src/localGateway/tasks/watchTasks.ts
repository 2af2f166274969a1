import { errorTrace } from '../../base/errors.ts';
import { hasEnded, type RemoteTask } from './remoteTask.ts';
import type { RemoteTasks } from './remoteTasks.ts';
import type { TaskFile } from './taskFile.ts';

/** How often it is looked whether a task is due, in milliseconds. */
const lookIntervalMs = 5_000;
/** The pause between two reads of one task grows with its age, between these, in milliseconds. */
const minPauseMs = 15_000;
const maxPauseMs = 5 * 60_000;
/** How often files that are of no task any more are removed, in milliseconds. */
const sweepIntervalMs = 60 * 60_000;
/** At most as many tasks are asked for at once. */
const maxAtOnce = 4;

/**
 * Follows the tasks that upstreams make, also when nobody reads them, so that their results are kept before
 * their addresses end. A file of tasks that is not there is not made.
 */
export function watchTasks(
  remote: RemoteTasks,
  file: TaskFile,
  log: (line: string) => void,
): { dispose(): void } {
  const askedAt = new Map<string, number>();
  let sweptAt = Number.NEGATIVE_INFINITY;
  let isLooking = false;

  async function look(): Promise<void> {
    if (isLooking || !file.exists()) return;
    isLooking = true;
    try {
      const now = performance.now();
      const due = file
        .open()
        .unfinished()
        .filter((task) => now >= (askedAt.get(task.id) ?? 0) + pauseOf(task));
      for (let from = 0; from < due.length; from += maxAtOnce) {
        await Promise.all(due.slice(from, from + maxAtOnce).map(follow));
      }
      if (now - sweptAt < sweepIntervalMs) return;
      sweptAt = now;
      await remote.results.sweep();
    } catch (error) {
      log(`tasks are not followed now: ${errorTrace(error)}`);
    } finally {
      isLooking = false;
    }
  }

  async function follow(task: RemoteTask): Promise<void> {
    askedAt.set(task.id, performance.now());
    if (hasEnded(task)) await remote.results.keepAll(task);
    else await remote.fresh(task);
  }

  const timer = setInterval(look, lookIntervalMs).unref();
  void look();
  return { dispose: () => clearInterval(timer) };
}

function pauseOf({ createdAt }: RemoteTask): number {
  return Math.max(minPauseMs, Math.min(maxPauseMs, (Date.now() - createdAt) / 8));
}
