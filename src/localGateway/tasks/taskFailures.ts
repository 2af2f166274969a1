import { HttpError } from '../httpError.ts';
import { doNotRetry } from '../nothingMade.ts';
import type { Upstream } from '../upstreams/upstream.ts';

/** The header that names the task of a request whose answer was lost. */
export const taskHeader = 'x-gateway-task';

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

/** @param act continues "when it was asked to " */
export function failedAt({ name }: Upstream, status: number, act: string): HttpError {
  return new HttpError({
    status: 502,
    message: `Upstream '${name}' answered ${status} when it was asked to ${act}. Try again.`,
    type: 'upstream_error',
    code: 'upstream_failed',
  });
}
