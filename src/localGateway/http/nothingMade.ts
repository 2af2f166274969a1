import { videoRoutes } from '../../wire/apis/videoRoutes.ts';
import { HttpError } from './httpError.ts';

/** SDKs do not repeat a request by themselves after a reply with this header. */
export const doNotRetry = { 'x-should-retry': 'false' } as const;

/** A failure before anything was made or sent to an upstream. */
export class NothingMadeError extends Error {
  override readonly name = 'NothingMadeError';

  constructor(cause: unknown) {
    super('nothing was made', { cause });
  }
}

/**
 * Chooses the status of a failure for a group of routes. On a paid route a 5xx leaves open whether something
 * was made, and SDKs repeat the request; when certainly nothing was made, the status says so.
 */
export function errorForGroup(error: HttpError, group: string): HttpError {
  const makes = group === 'videos' || videoRoutes.some(({ id }) => id === group);
  return makes && error.neverSent && error.status >= 500 ? nothingMade(error) : error;
}

/** The same failure as a 424, which says that nothing was made and tells SDKs not to repeat the request. */
export function nothingMade({ message, type, param, code, headers }: HttpError): HttpError {
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
