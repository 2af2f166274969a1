import { randomUUID } from 'node:crypto';
import { isObject, type JsonObject, parseExactJson } from '../../base/json.ts';
import { decodeBody } from '../../http/contentEncoding.ts';
import { HttpError } from '../http/httpError.ts';
import type { Catalogue } from '../models/catalogue.ts';
import type { TaskCall, Upstream, UpstreamReply, UpstreamTaskApi } from '../upstreams/upstream.ts';
import type { UpstreamTask } from './upstreamTask.ts';

/** The time limit for an upstream's reply about a task, in milliseconds. */
const recordTimeoutMs = 30_000;

/**
 * Finds the upstream of a task, and its API for the format of the task.
 *
 * @throws {HttpError} 503 if the gateway does not serve the upstream now
 */
export function findUpstreamOfTask(
  catalogue: Pick<Catalogue, 'findUpstream'>,
  task: Pick<UpstreamTask, 'upstream' | 'format'>,
): { readonly upstream: Upstream; readonly tasks: UpstreamTaskApi } {
  const upstream = catalogue.findUpstream(task.upstream);
  const tasks = upstream?.tasks[task.format];
  if (upstream && tasks) return { upstream, tasks };
  throw new HttpError({
    status: 503,
    message: `This task belongs to the upstream '${task.upstream}', which this gateway does not serve now. Add it to the configuration again.`,
    type: 'server_error',
    code: 'upstream_not_served',
  });
}

/**
 * Creates a request about a task that the gateway itself sends. It has a time limit, and does not have headers of a
 * caller.
 */
export function createTaskCall(
  { upstreamId = '', keyName }: Pick<UpstreamTask, 'upstreamId' | 'keyName'>,
  shutdown: AbortSignal,
): TaskCall {
  const signal = AbortSignal.any([shutdown, AbortSignal.timeout(recordTimeoutMs)]);
  return { task: upstreamId, headers: {}, requestId: randomUUID(), signal, keyName };
}

/** The largest record in bytes. Some records contain a video. */
const maxRecordBytes = 64 * 1024 * 1024;

/**
 * Reads the body of a reply to its end, and returns the record in it; undefined if the body is not a record or was
 * cut.
 */
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
    const bytes = await decodeBody(Buffer.concat(chunks), encoding, maxRecordBytes);
    const value = parseExactJson(bytes.toString().replace(/^\uFEFF/, ''));
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
