import { errorTrace } from '../../base/errors.ts';
import type { TaskFile } from './taskFile.ts';
import { isSettledTask, type UpstreamTask } from './upstreamTask.ts';
import type { UpstreamTaskActions } from './upstreamTaskActions.ts';

/** The interval between two checks for due tasks, in milliseconds. */
const pollIntervalMs = 5_000;
/** The interval between two removals of files without a task, in milliseconds. */
const sweepIntervalMs = 60 * 60_000;
/** The most tasks that are read at once. */
const maxAtOnce = 4;

/**
 * Polls the tasks at upstreams even without callers, so that their results are stored before their addresses
 * expire. Does not create the file of tasks if it is missing.
 */
export function watchTasks(
  actions: UpstreamTaskActions,
  file: TaskFile,
  log: (line: string) => void,
): { dispose(): void } {
  let sweptAt = Number.NEGATIVE_INFINITY;
  let isPolling = false;

  async function poll(): Promise<void> {
    if (isPolling || !file.exists()) return;
    isPolling = true;
    try {
      const now = performance.now();
      const due = file.open().takeDue();
      for (let from = 0; from < due.length; from += maxAtOnce) {
        await Promise.all(due.slice(from, from + maxAtOnce).map(pollTask));
      }
      if (now - sweptAt < sweepIntervalMs) return;
      sweptAt = now;
      await actions.results.sweep();
    } catch (error) {
      log(`tasks cannot be polled now: ${errorTrace(error)}`);
    } finally {
      isPolling = false;
    }
  }

  async function pollTask(task: UpstreamTask): Promise<void> {
    if (isSettledTask(task)) await actions.results.fetchMissing(task);
    else await actions.readings.refresh(task);
  }

  const timer = setInterval(poll, pollIntervalMs).unref();
  void poll();
  return { dispose: () => clearInterval(timer) };
}
