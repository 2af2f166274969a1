import { randomUUID } from 'node:crypto';
import type { Catalogue } from '../catalogue.ts';
import { HttpError } from '../httpError.ts';
import type { TaskCall, Upstream, UpstreamTasks } from '../upstreams/upstream.ts';
import type { RemoteTask } from './remoteTask.ts';

/** How long an upstream may take to tell of a task, in milliseconds. */
const tellTimeoutMs = 30_000;

/**
 * The upstream that makes a task, and its tasks of that format.
 *
 * @throws {HttpError} 503 when it is not served now
 */
export function taskUpstream(
  catalogue: Pick<Catalogue, 'upstreamOf'>,
  task: Pick<RemoteTask, 'upstream' | 'format'>,
): { readonly upstream: Upstream; readonly tasks: UpstreamTasks } {
  const upstream = catalogue.upstreamOf(task.upstream);
  const tasks = upstream?.tasks[task.format];
  if (upstream && tasks) return { upstream, tasks };
  throw new HttpError({
    status: 503,
    message: `This task is of the upstream '${task.upstream}', which this gateway does not serve now. Put it into the configuration again.`,
    type: 'server_error',
    code: 'upstream_not_served',
  });
}

/** A short question about a task, which no caller asks: many may wait for its answer. */
export function questionAbout(upstreamId: string, life: AbortSignal): TaskCall {
  const signal = AbortSignal.any([life, AbortSignal.timeout(tellTimeoutMs)]);
  return { task: upstreamId, headers: {}, requestId: randomUUID(), signal };
}
