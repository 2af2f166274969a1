import { createHash } from 'node:crypto';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { readRange } from '../byteRange.ts';
import type { Catalogue } from '../catalogue.ts';
import { HttpError, invalidRequest } from '../httpError.ts';
import { taskContent } from '../servedRoutes.ts';
import { routerPath } from '../server/routePath.ts';
import type { TaskFile } from '../taskFile.ts';
import { type StoredTask, stateOf } from '../taskState.ts';
import type { PlannedResult } from '../upstreams/upstream.ts';
import { conflict, findTask, type TaskRoute } from './tasks.ts';

interface ContentRoute extends TaskRoute {
  Querystring: { readonly index?: string };
}

/** Serves the bytes of a task's results, also in ranges. taskRecord.ts describes the route. */
export function serveTaskContent(app: FastifyInstance, catalogue: Catalogue, tasks: TaskFile): void {
  const { path, group } = taskContent;
  app.get<ContentRoute>(routerPath(path), { config: { group } }, async (request, reply) => {
    const task = findTask(tasks.open(), request.params.task_id);
    const result = resultOf(task, readIndex(request.query.index));
    const video = catalogue.videoOf(task.upstream);
    if (!video) throw notServed(task.upstream);
    return sendBytes(await video.read(result), result.mimeType, request, reply);
  });
}

function readIndex(index = '0'): number {
  if (/^\d{1,3}$/.test(index)) return Number(index);
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

function sendBytes(
  bytes: Buffer,
  mimeType: string,
  { headers }: FastifyRequest<ContentRoute>,
  reply: FastifyReply<ContentRoute>,
) {
  const tag = `"${createHash('sha256').update(bytes).digest('base64url')}"`;
  reply.headers({ 'Accept-Ranges': 'bytes', ETag: tag });
  // A range of another version does not fit the bytes that the caller has.
  const isSame = headers['if-range'] === undefined || headers['if-range'] === tag;
  const range = isSame ? readRange(headers.range, bytes.length) : undefined;
  if (range === 'unsatisfiable') {
    return reply
      .code(416)
      .headers({ 'Content-Range': `bytes */${bytes.length}` })
      .send();
  }
  reply.header('Content-Type', mimeType);
  if (!range) return reply.send(bytes);
  const { first, last } = range;
  return reply
    .code(206)
    .header('Content-Range', `bytes ${first}-${last}/${bytes.length}`)
    .send(bytes.subarray(first, last + 1));
}
