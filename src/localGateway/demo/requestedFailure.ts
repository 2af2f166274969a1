import { HttpError } from '../httpError.ts';

/** @param source where the user asked for the failure, such as "the question" */
export function requestedFailure(status: number, source: string): HttpError {
  return new HttpError({
    status,
    message: `The demo model fails with ${status}, because ${source} asked for it.`,
    type: status === 429 ? 'rate_limit_error' : status < 500 ? 'invalid_request_error' : 'server_error',
    code: status === 429 ? 'rate_limit_exceeded' : 'demo_failure',
    ...((status === 429 || status === 503) && { headers: { 'Retry-After': '2' } }),
  });
}
