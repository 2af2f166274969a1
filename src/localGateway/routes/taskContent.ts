import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { readRange } from '../byteRange.ts';
import { HttpError, invalidRequest } from '../httpError.ts';
import type { Query } from '../query.ts';
import { taskContent } from '../servedRoutes.ts';
import type { Answer, ServedRoute } from '../server/handler.ts';
import { type StoredTask, stateOf } from '../tasks/taskState.ts';
import type { PlannedResult } from '../upstreams/upstream.ts';
import type { VideoService } from './makeVideo.ts';
import { conflict, findTask, taskId } from './tasks.ts';

/** Serves the bytes of a task's results, also in ranges. taskRecord.ts describes the route. */
export function taskContentRoute({ catalogue, tasks }: VideoService): ServedRoute {
  return {
    route: taskContent,
    async answer(request) {
      const task = findTask(tasks.open(), taskId(request));
      const result = resultOf(task, readIndex(request.query.index));
      const video = catalogue.videoOf(task.upstream);
      if (!video) throw notServed(task.upstream);
      return bytesOf(await video.read(result), result.mimeType, request.headers);
    },
  };
}

function readIndex(index: Query[string] = '0'): number {
  if (typeof index === 'string' && /^\d{1,3}$/.test(index)) return Number(index);
  throw invalidRequest('index: expected the place of a result, from 0.', 'invalid_value', 'index');
}

function resultOf(task: StoredTask, index: number): PlannedResult {
  const { status, expiresAt } = stateOf(task, Date.now());
  if (status !== 'completed')
    throw conflict(`This task is ${status}; it has no result.`, 'task_not_completed');
  const result = task.plan.results[index];
  if (!result || expiresAt === undefined) throw noResult(404, 'There is no such result.', 'result_not_found');
  if (Date.now() >= expiresAt) throw noResult(410, 'The result is not kept any more.', 'result_expired');
  return result;
}

function noResult(status: number, message: string, code: string): HttpError {
  return new HttpError({ status, message, type: 'invalid_request_error', code });
}

function notServed(upstream: string): HttpError {
  return new HttpError({
    status: 503,
    message: `The result is kept by the upstream '${upstream}', which this gateway does not serve now.`,
    type: 'server_error',
    code: 'upstream_not_served',
  });
}

function bytesOf(bytes: Buffer, mimeType: string, asked: IncomingHttpHeaders): Answer {
  const tag = `"${createHash('sha256').update(bytes).digest('base64url')}"`;
  const headers = { 'accept-ranges': 'bytes', etag: tag };
  // A range of another version does not fit the bytes that the caller has.
  const isSame = asked['if-range'] === undefined || asked['if-range'] === tag;
  const range = isSame ? readRange(asked.range, bytes.length) : undefined;
  if (range === 'unsatisfiable') {
    const contentRange = `bytes */${bytes.length}`;
    return { status: 416, headers: { ...headers, 'content-range': contentRange }, bytes: Buffer.alloc(0) };
  }
  const typed = { ...headers, 'content-type': mimeType };
  if (!range) return { headers: typed, bytes };
  const { first, last } = range;
  return {
    status: 206,
    headers: { ...typed, 'content-range': `bytes ${first}-${last}/${bytes.length}` },
    bytes: bytes.subarray(first, last + 1),
  };
}
