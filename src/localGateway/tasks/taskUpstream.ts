import { randomUUID } from 'node:crypto';
import { isObject, type JsonObject, parseExactJson } from '../../base/json.ts';
import { decoded } from '../../http/contentEncoding.ts';
import { HttpError } from '../http/httpError.ts';
import type { Catalogue } from '../models/catalogue.ts';
import type { TaskCall, Upstream, UpstreamReply, UpstreamTasks } from '../upstreams/upstream.ts';
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

/** The largest record in bytes: some hold a video. */
const maxRecordBytes = 64 * 1024 * 1024;

/** The record in a reply, whose body is read to its end; undefined when it holds none. */
export async function readRecord({ headers, body }: UpstreamReply): Promise<JsonObject | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of body) {
      size += chunk.length;
      if (size > maxRecordBytes) return undefined;
      chunks.push(Buffer.from(chunk));
    }
    const { 'content-encoding': encoding = '' } = headers;
    const bytes = await decoded(Buffer.concat(chunks), encoding, maxRecordBytes);
    const value = parseExactJson(bytes.toString().replace(/^\uFEFF/, ''));
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
