import { videoRoutes } from '../../wire/apis/videoRoutes.ts';
import { HttpError } from './httpError.ts';

/** SDKs do not automatically retry after a reply with this header. */
export const doNotRetry = { 'x-should-retry': 'false' } as const;

/** A failure before anything was made or sent to an upstream. Its `cause` is the reason. */
export class UnbilledError extends Error {
  override readonly name = 'UnbilledError';

  constructor(cause: unknown) {
    super('nothing was made', { cause });
  }
}

/**
 * Chooses the status of a failure for a group of routes. On a paid route a 5xx does not show whether something was
 * made, and SDKs retry. If certainly nothing was made, the status shows it.
 */
export function errorForGroup(error: HttpError, group: string): HttpError {
  const makes = group === 'videos' || videoRoutes.some(({ id }) => id === group);
  return makes && error.neverSent && error.status >= 500 ? unbilledError(error) : error;
}

/** The same failure as a 424, which means that nothing was made and prevents retries by SDKs. */
export function unbilledError({ message, type, param, code, headers }: HttpError): HttpError {
  return new HttpError({
    status: 424,
    message: `${message} This request made nothing.`,
    type,
    param,
    code,
    headers: { ...headers, ...doNotRetry },
    neverSent: true,
  });
}
