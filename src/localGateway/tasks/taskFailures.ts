import type { JsonObject } from '../../base/json.ts';
import type { StorageError, StorageErrorKind } from '../../storage/database.ts';
import { readErrorValue } from '../../wire/errorBody.ts';
import { HttpError, invalidRequest } from '../http/httpError.ts';
import { doNotRetry } from '../http/nothingMade.ts';
import type { Upstream, UpstreamReply } from '../upstreams/upstream.ts';

/** The header that names the task of a request whose answer was lost. */
export const taskHeader = 'x-gateway-task';

/** The error for requests about tasks while their file cannot be used. */
export function tasksUnavailable(error: StorageError, log: (line: string) => void): HttpError {
  log(`tasks cannot be kept (${error.kind}): ${error.message}`);
  return new HttpError({
    status: 503,
    message: `The local gateway cannot keep tasks now: ${storageCauses[error.kind]}. Its log says more.`,
    type: 'server_error',
    code: 'tasks_unavailable',
    ...(error.kind === 'busy' && { headers: { 'Retry-After': '1' } }),
  });
}

/** Why the file cannot be used, as the end of a sentence. */
const storageCauses: Record<StorageErrorKind, string> = {
  full: 'the disk is full',
  'read-only': 'their file cannot be written; start the gateway with another one (--tasks FILE)',
  busy: 'another program holds their file; try again',
  damaged: 'their file is damaged beyond repair or was taken away; start the gateway again',
  io: 'the disk reports an error',
  other: 'their file cannot be used',
};

/** What is told of a request whose answer does not say whether something was made. */
export function unknownWords(id: string): string {
  return `It may have been made and billed, and is not sent again: the task ${id} keeps this with the state "unknown".`;
}

/** The upstream made something, and nobody can read what. */
export function unreadable(id: string, { name }: Upstream): HttpError {
  return new HttpError({
    status: 502,
    message: `Upstream '${name}' accepted the request, and its answer cannot be read. ${unknownWords(id)}`,
    type: 'upstream_error',
    code: 'outcome_unknown',
    headers: { ...doNotRetry, [taskHeader]: id },
  });
}

/** The upstream made something, and its id cannot be stored yet. */
export function notKept(
  {
    id,
    upstreamId,
    upstream,
  }: { readonly id: string; readonly upstreamId: string; readonly upstream: Upstream },
  { kind }: StorageError,
): HttpError {
  return new HttpError({
    status: 500,
    message: `Upstream '${upstream.name}' made this as ${upstreamId}, which the local gateway cannot keep now: ${storageCauses[kind]}. It is kept as the task ${id} once that is mended. Do not send the request again.`,
    type: 'server_error',
    code: 'task_not_kept',
    headers: { ...doNotRetry, [taskHeader]: id },
  });
}

/** The same request came again, and nobody knows what became of the first one. */
export function outcomeUnknown(id: string): HttpError {
  return new HttpError({
    status: 409,
    message: `The same request was sent before, and its answer was lost. ${unknownWords(id)} Look at the provider's own list, and use a new Idempotency-Key to ask again.`,
    type: 'invalid_request_error',
    code: 'outcome_unknown',
    headers: { ...doNotRetry, [taskHeader]: id },
  });
}

/** @param reason continues "This task cannot be cancelled: " */
export function notCancellable(reason: string): HttpError {
  return new HttpError({
    status: 409,
    message: `This task cannot be cancelled: ${reason}. It goes on until it ends.`,
    type: 'invalid_request_error',
    code: 'task_not_cancellable',
  });
}

/** Nobody tells any more what a task was asked. */
export function listsNoInput(upstream: string): HttpError {
  return new HttpError({
    status: 501,
    message: `Upstream '${upstream}' lists no input items of its tasks. They are those of the request that made this one.`,
    type: 'invalid_request_error',
    code: 'not_implemented',
  });
}

/** The upstream makes no video from another. */
export function makesNoRemix(upstream: string): HttpError {
  const message = `Upstream '${upstream}' makes no video from another. Make a new one: POST /v1/videos.`;
  return invalidRequest(message, 'unsupported_operation', 'video_id');
}

/**
 * An upstream refused what it was asked about a task, or failed. Its status is kept, and its words.
 *
 * @param act continues "when it was asked to "
 */
export function failedAt({ name }: Upstream, { status, headers }: UpstreamReply, answer: Answer): HttpError {
  const { 'retry-after': retryAfter } = headers;
  return new HttpError({
    status: status >= 400 ? status : 502,
    message: `Upstream '${name}' answered ${status} when it was asked to ${answer.act}${wordsIn(answer.record)}.`,
    type: status === 429 ? 'rate_limit_error' : 'upstream_error',
    code: 'upstream_failed',
    headers: { 'x-upstream': name, ...(retryAfter !== undefined && { 'retry-after': retryAfter }) },
  });
}

/** What an upstream was asked to do, and the body of its answer. */
interface Answer {
  readonly act: string;
  readonly record: JsonObject | undefined;
}

const maxWordCharacters = 2_000;

/** What an upstream says of its failure, to be put behind a sentence without its full stop. */
export function wordsIn(record: JsonObject | undefined): string {
  const words = record && readErrorValue(record).message;
  return words ? `: ${words.slice(0, maxWordCharacters).replace(/[.\s]+$/, '')}` : '';
}
