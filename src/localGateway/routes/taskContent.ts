import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { ServedTaskStatus } from '../../wire/apis/taskRecord/taskRecordFormat.ts';
import { conflictError, HttpError, invalidRequestError } from '../http/httpError.ts';
import type { Query } from '../http/query.ts';
import type { GatewayRequest, HandlerResponse, ServedRoute } from '../server/routeHandler.ts';
import { taskContent } from '../server/servedRoutes.ts';
import { ResultError } from '../tasks/resultFolder.ts';
import { isUpstreamTask, type PlannedTask, readTaskState } from '../tasks/taskState.ts';
import type { UpstreamTask } from '../tasks/upstreamTask.ts';
import type { PlannedResult } from '../upstreams/upstream.ts';
import type { TaskRouteServices } from './makeVideo.ts';
import { refreshTask } from './tasks.ts';

/** Serves the bytes of a task's results, also in ranges. `TaskRecord` describes the route. */
export function createTaskContentRoute(services: TaskRouteServices): ServedRoute {
  return { route: taskContent, handle: (request) => readTaskContent(services, request) };
}

/** Reads the bytes of a task's result; of the first one by default. */
export async function readTaskContent(
  services: TaskRouteServices,
  request: GatewayRequest,
): Promise<HandlerResponse> {
  const { catalogue } = services;
  const { task } = await refreshTask(services, request);
  const index = readIndex(request.query.index);
  if (isUpstreamTask(task)) return readUpstreamResult(services, task, index, request.headers);
  const result = requireResult(task, index);
  const video = catalogue.findVideo(task.upstream);
  if (!video) throw notServedError(task.upstream);
  return createBytesReply(await video.read(result), result.mimeType, request.headers);
}

/** Reads a result that an upstream made. It is fetched first if it is not stored. */
async function readUpstreamResult(
  { upstreamTasks }: TaskRouteServices,
  task: UpstreamTask,
  index: number,
  requestHeaders: IncomingHttpHeaders,
): Promise<HandlerResponse> {
  if (task.status !== 'completed') throw notCompletedError(task.status);
  if (!task.report.results[index]) throw noResultError(404, 'There is no such result.', 'result_not_found');
  const storedResult = await upstreamTasks.results.ensureStored(task, index).catch((error: unknown) => {
    if (error instanceof ResultError) throw notFetchedError(error.message);
    throw error;
  });
  const { headers, range } = selectRange(storedResult.digest, storedResult.bytes, requestHeaders);
  const typedHeaders = { ...headers, 'content-type': storedResult.mimeType };
  if (range === 'unsatisfiable') return createUnsatisfiableReply(headers, storedResult.bytes);
  const { first, last } = range ?? { first: 0, last: storedResult.bytes - 1 };
  const length = { 'content-length': String(last - first + 1) };
  const part = range && { 'content-range': `bytes ${first}-${last}/${storedResult.bytes}` };
  const body = upstreamTasks.results.folder.stream(storedResult, first, last);
  return { relayed: { status: range ? 206 : 200, headers: { ...typedHeaders, ...length, ...part }, body } };
}

function notFetchedError(reason: string): HttpError {
  return new HttpError({
    status: 502,
    message: `The result cannot be fetched from its upstream: ${reason}.`,
    type: 'upstream_error',
    code: 'result_not_fetched',
  });
}

function readIndex(index: Query[string] = '0'): number {
  if (typeof index === 'string' && /^\d{1,3}$/.test(index)) return Number(index);
  throw invalidRequestError('index: expected the index of a result, from 0.', 'invalid_value', 'index');
}

function requireResult(task: PlannedTask, index: number): PlannedResult {
  const { status, expiresAt } = readTaskState(task, Date.now());
  if (status !== 'completed') throw notCompletedError(status);
  const result = task.plan.results[index];
  if (!result || expiresAt === undefined)
    throw noResultError(404, 'There is no such result.', 'result_not_found');
  if (Date.now() >= expiresAt)
    throw noResultError(410, 'The result is no longer available.', 'result_expired');
  return result;
}

function notCompletedError(status: ServedTaskStatus): HttpError {
  return conflictError(`This task is ${status}; it has no result.`, 'task_not_completed');
}

function noResultError(status: number, message: string, code: string): HttpError {
  return new HttpError({ status, message, type: 'invalid_request_error', code });
}

function notServedError(upstream: string): HttpError {
  return new HttpError({
    status: 503,
    message: `The result is stored at the upstream '${upstream}', which this gateway does not serve now.`,
    type: 'server_error',
    code: 'upstream_not_served',
  });
}

function createBytesReply(
  bytes: Buffer,
  mimeType: string,
  requestHeaders: IncomingHttpHeaders,
): HandlerResponse {
  const digest = createHash('sha256').update(bytes).digest('base64url');
  const { headers, range } = selectRange(digest, bytes.length, requestHeaders);
  if (range === 'unsatisfiable') return createUnsatisfiableReply(headers, bytes.length);
  const typedHeaders = { ...headers, 'content-type': mimeType };
  if (!range) return { headers: typedHeaders, bytes };
  const { first, last } = range;
  return {
    status: 206,
    headers: { ...typedHeaders, 'content-range': `bytes ${first}-${last}/${bytes.length}` },
    bytes: bytes.subarray(first, last + 1),
  };
}

function selectRange(digest: string, length: number, requestHeaders: IncomingHttpHeaders) {
  const tag = `"${digest}"`;
  // A range of another version does not fit the caller's bytes.
  const isSame = requestHeaders['if-range'] === undefined || requestHeaders['if-range'] === tag;
  const headers = { 'accept-ranges': 'bytes', etag: tag };
  return { headers, range: isSame ? readRange(requestHeaders.range, length) : undefined };
}

function createUnsatisfiableReply(
  headers: Readonly<Record<string, string>>,
  length: number,
): HandlerResponse {
  const range = { 'content-range': `bytes */${length}` };
  return { status: 416, headers: { ...headers, ...range }, bytes: Buffer.alloc(0) };
}

/** A range of bytes; both ends are included. */
interface ByteRange {
  readonly first: number;
  readonly last: number;
}

/**
 * Reads a Range header (RFC 9110, section 14).
 *
 * @param size length of the representation in bytes
 * @returns undefined if the header has to be ignored: it is absent, has another unit, or requests several ranges
 */
export function readRange(header: string | undefined, size: number): ByteRange | 'unsatisfiable' | undefined {
  const [, from = '', to = ''] = /^bytes=\s*(\d*)-(\d*)\s*$/.exec(header ?? '') ?? [];
  if (from === '' && to === '') return undefined;
  if (from === '') return checkRange({ first: Math.max(0, size - Number(to)), last: size - 1 }, size);
  if (to !== '' && Number(to) < Number(from)) return undefined;
  return checkRange({ first: Number(from), last: Math.min(to === '' ? size : Number(to), size - 1) }, size);
}

function checkRange(range: ByteRange, size: number): ByteRange | 'unsatisfiable' {
  return range.first < size ? range : 'unsatisfiable';
}
