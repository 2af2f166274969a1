import { errorTrace } from '../../base/errors.ts';
import { hasEnded, type RemoteTask } from './remoteTask.ts';
import type { RemoteTasks } from './remoteTasks.ts';
import type { TaskFile } from './taskFile.ts';

/** The interval between two looks for due tasks, in milliseconds. */
const lookIntervalMs = 5_000;
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
  let sweptAt = Number.NEGATIVE_INFINITY;
  let isLooking = false;

  async function look(): Promise<void> {
    if (isLooking || !file.exists()) return;
    isLooking = true;
    try {
      const now = performance.now();
      const due = file.open().takeDue();
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
    if (hasEnded(task)) await remote.results.keepAll(task);
    else await remote.fresh(task);
  }

  const timer = setInterval(look, lookIntervalMs).unref();
  void look();
  return { dispose: () => clearInterval(timer) };
}
