import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Route, RouteGroup } from '../wire/routes.ts';
import { errorBody, groupNear } from './errorForm.ts';
import { maxBodyBytes, type Refusal } from './guard.ts';
import { HttpError } from './httpError.ts';
import { requestIdOf } from './requestId.ts';

/** Ends a request the guard refused, and its connection. Only a caller who showed the credential is told why. */
export function refuse(
  req: IncomingMessage,
  res: ServerResponse,
  refusal: Refusal,
  served: readonly Route[],
) {
  if (refusal.credentialShown) {
    const group = refusal.group ?? groupNear(req.url ?? '');
    endWithError(req, res, explain(req, refusal, served), group);
    return;
  }
  if (refusal.allow) res.setHeader('Allow', refusal.allow.join(', '));
  if (refusal.status === 401) res.setHeader('WWW-Authenticate', 'Bearer');
  res.writeHead(refusal.status, { Connection: 'close', 'Content-Length': 0 });
  res.end();
}

/**
 * Writes an error as the last answer of its connection, whether or not the request was read to its end.
 *
 * @param group the routes in whose form it is told
 */
export function endWithError(
  req: IncomingMessage,
  res: ServerResponse,
  error: HttpError,
  group: RouteGroup,
): void {
  const requestId = requestIdOf(req);
  const body = JSON.stringify(errorBody(error, group, requestId));
  res.setHeader('X-Request-Id', requestId);
  res.writeHead(error.status, {
    ...error.headers,
    Connection: 'close',
    'Content-Type': 'application/json',
    'Content-Length': Buffer.byteLength(body),
  });
  res.write(body);
  // Closing with unread bytes resets the connection and can take the answer with it.
  const end = () => res.end();
  if (req.complete) {
    end();
    return;
  }
  const patience = setTimeout(end, 2_000);
  req.once('close', () => clearTimeout(patience));
  req.once('end', end);
  req.resume();
}

function explain(req: IncomingMessage, refusal: Refusal, served: readonly Route[]): HttpError {
  const invalid = (message: string, code: string, headers?: Record<string, string>) =>
    new HttpError({ status: refusal.status, message, type: 'invalid_request_error', code, headers });
  const routes = served.map(({ method, path }) => `${method} ${path}`).join(', ');
  switch (refusal.reason) {
    case 'route':
      return invalid(`This local gateway has no such route. It serves: ${routes}.`, 'unknown_route');
    case 'method': {
      const allow = (refusal.allow ?? []).join(', ');
      return invalid(`This path takes ${allow}, not ${req.method}.`, 'method_not_allowed', { Allow: allow });
    }
    case 'content-type':
      return invalid(
        'The header Content-Type must be application/json. Send the body as JSON with that header.',
        'unsupported_content_type',
      );
    default:
      return bodyTooLarge();
  }
}

export function bodyTooLarge(): HttpError {
  return new HttpError({
    status: 413,
    message: `The request body is larger than ${maxBodyBytes / 1024 / 1024} MiB. Send a shorter conversation or smaller attachments.`,
    type: 'invalid_request_error',
    code: 'request_too_large',
  });
}
