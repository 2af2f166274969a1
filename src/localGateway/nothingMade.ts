import type { RouteGroup } from '../wire/routes.ts';
import { HttpError } from './httpError.ts';

/** By this header SDKs know that they must not send a request again by themselves. */
export const doNotRetry = { 'x-should-retry': 'false' } as const;

/** Whatever it is, it came before anything was made or sent to an upstream. */
export class NothingMade extends Error {
  override readonly name = 'NothingMade';

  constructor(cause: unknown) {
    super('nothing was made', { cause });
  }
}

/**
 * A failure as it is told on a route that makes what is paid for. A 5xx leaves open whether it was made, and
 * SDKs send the request again; where it certainly was not, the status says so.
 */
export function toldWhere(error: HttpError, group: RouteGroup): HttpError {
  const makes = group === 'interactions' || group === 'video-synthesis';
  return makes && error.neverSent && error.status >= 500 ? nothingMade(error) : error;
}

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
