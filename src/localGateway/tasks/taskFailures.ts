import type { JsonObject } from '../../base/json.ts';
import type { StorageError, StorageErrorKind } from '../../storage/database.ts';
import { readErrorValue } from '../../wire/failures/errorBody.ts';
import { conflictError, doNotRetry, HttpError, invalidRequestError } from '../http/httpError.ts';
import type { Upstream, UpstreamReply } from '../upstreams/upstream.ts';

/** The header that names the task of a request whose reply was lost. */
export const taskHeader = 'x-gateway-task';

/** The error for requests about tasks while their file cannot be used. */
export function tasksUnavailableError(error: StorageError, log: (line: string) => void): HttpError {
  log(`tasks cannot be stored (${error.kind}): ${error.message}`);
  return new HttpError({
    status: 503,
    message: `The local gateway cannot store tasks now: ${storageCauses[error.kind]}. See its log for details.`,
    type: 'server_error',
    code: 'tasks_unavailable',
    ...(error.kind === 'busy' && { headers: { 'Retry-After': '1' } }),
  });
}

/** Reasons why the file cannot be used, each as the end of a sentence. */
const storageCauses: Record<StorageErrorKind, string> = {
  full: 'the disk is full',
  'read-only': 'the task file cannot be written; start the gateway with another one (--tasks FILE)',
  busy: 'another program has locked the task file; try again',
  damaged: 'the task file is damaged beyond repair or was removed; start the gateway again',
  io: 'the disk reports an error',
  other: 'the task file cannot be used',
};

/** Explains in two sentences that a reply does not show whether something was made. */
export function describeUnknownOutcome(id: string): string {
  return `It may have been made and billed, and the request is not sent again. It is stored as the task ${id} with the state "unknown".`;
}

/** The error for a task whose creation reply cannot be read. */
export function unreadableCreationError(id: string, { name }: Upstream): HttpError {
  return new HttpError({
    status: 502,
    message: `Upstream '${name}' accepted the request, but its reply cannot be read. ${describeUnknownOutcome(id)}`,
    type: 'upstream_error',
    code: 'outcome_unknown',
    headers: { ...doNotRetry, [taskHeader]: id },
  });
}

/** The error for a task that the upstream made, but whose ID cannot be stored yet. */
export function taskNotStoredError(
  {
    id,
    upstreamId,
    upstream,
  }: { readonly id: string; readonly upstreamId: string; readonly upstream: Upstream },
  { kind }: StorageError,
): HttpError {
  return new HttpError({
    status: 500,
    message: `Upstream '${upstream.name}' created the task ${upstreamId}, but the local gateway cannot store its ID now: ${storageCauses[kind]}. It will be stored as the task ${id} when this is fixed. Do not send the request again.`,
    type: 'server_error',
    code: 'task_not_kept',
    headers: { ...doNotRetry, [taskHeader]: id },
  });
}

/** The error for a repeated request if the outcome of the first one is unknown. */
export function outcomeUnknownError(id: string): HttpError {
  return new HttpError({
    status: 409,
    message: `The same request was sent before, and its reply was lost. ${describeUnknownOutcome(id)} Check the provider's own list, and use a new Idempotency-Key to send the request again.`,
    type: 'invalid_request_error',
    code: 'outcome_unknown',
    headers: { ...doNotRetry, [taskHeader]: id },
  });
}

/** @param reason the end of a sentence that begins with "This task cannot be cancelled: " */
export function notCancellableError(reason: string): HttpError {
  return conflictError(
    `This task cannot be cancelled: ${reason}. It continues until it ends.`,
    'task_not_cancellable',
  );
}

/** The error for an upstream that does not list the input of its tasks. */
export function inputNotListedError(upstream: string): HttpError {
  return new HttpError({
    status: 501,
    message: `Upstream '${upstream}' does not list the input items of its tasks. See the request that made this task.`,
    type: 'invalid_request_error',
    code: 'not_implemented',
  });
}

/** The error for an upstream that cannot make a video from another one. */
export function remixUnsupportedError(upstream: string): HttpError {
  const message = `Upstream '${upstream}' cannot make a video from another one. Make a new video with POST /v1/videos.`;
  return invalidRequestError(message, 'unsupported_operation', 'video_id');
}

/**
 * The error for an action on a task that the upstream refused, or that failed there. Preserves the status and the
 * message of the reply.
 *
 * @param action the failed action
 */
export function upstreamActionError(
  { name }: Upstream,
  { status, headers }: UpstreamReply,
  action: FailedAction,
): HttpError {
  const { 'retry-after': retryAfter } = headers;
  return new HttpError({
    status: status >= 400 ? status : 502,
    message: `Upstream '${name}' returned ${status} to the request to ${action.act}${formatUpstreamMessage(action.record)}.`,
    type: status === 429 ? 'rate_limit_error' : 'upstream_error',
    code: 'upstream_failed',
    headers: { 'x-upstream': name, ...(retryAfter !== undefined && { 'retry-after': retryAfter }) },
  });
}

interface FailedAction {
  /** A verb and an object, such as `cancel this task`. */
  readonly act: string;
  /** The body of the upstream's reply. */
  readonly record: JsonObject | undefined;
}

const maxMessageCharacters = 2_000;

/** Formats the message in the body of a failure as the end of a sentence without a full stop; empty if there is none. */
export function formatUpstreamMessage(record: JsonObject | undefined): string {
  const message = record && readErrorValue(record).message;
  return message ? `: ${message.slice(0, maxMessageCharacters).replace(/[.\s]+$/, '')}` : '';
}
