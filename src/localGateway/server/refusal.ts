import type { IncomingMessage, ServerResponse } from 'node:http';
import { errorBody, nearestGroup } from '../http/errorFormat.ts';
import { HttpError } from '../http/httpError.ts';
import type { ExchangeNotes } from './exchangeNotes.ts';
import { maxBodyBytes, type Refusal } from './guard.ts';
import { mainRoutes } from './servedRoutes.ts';

/** A request that has no answer yet. */
export interface OpenRequest {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  readonly requestId: string;
  readonly notes: ExchangeNotes;
}

/** The headers that every reply has. */
export function ownHeaders(requestId: string): Record<string, string> {
  return { 'x-request-id': requestId, 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' };
}

/**
 * Answers a request that the guard refused, and closes its connection. Only a caller who showed the
 * credential learns the reason, but anyone learns that the credential is missing: SDKs show the body to their
 * users.
 */
export function refuse(request: OpenRequest, refusal: Refusal): void {
  const { req, res, requestId } = request;
  if (refusal.credentialShown || refusal.reason === 'credential') {
    const group = refusal.group ?? nearestGroup(req.url ?? '');
    endWithError(request, explain(req, refusal), group);
    return;
  }
  if (refusal.allow) res.setHeader('Allow', refusal.allow.join(', '));
  res.writeHead(refusal.status, { ...ownHeaders(requestId), Connection: 'close', 'Content-Length': 0 });
  res.end();
}

/**
 * Writes an error as the last response of its connection, even when the request was not read to its end.
 *
 * @param group the group of routes in whose format the error is written
 */
export function endWithError(
  { req, res, requestId, notes }: OpenRequest,
  error: HttpError,
  group: string,
): void {
  const body = JSON.stringify(errorBody(error, group, requestId));
  res.writeHead(error.status, {
    ...ownHeaders(requestId),
    ...error.headers,
    connection: 'close',
    'content-type': 'application/json',
    'content-length': String(Buffer.byteLength(body)),
  });
  notes.wrote(body);
  res.write(body);
  // Closing a connection with unread bytes resets it, and the caller may lose the response. A caller that
  // waits for "100 Continue" has sent no body.
  const end = () => res.end();
  if (req.complete || (req.headers.expect !== undefined && !req.readableDidRead)) {
    end();
    return;
  }
  const closeTimer = setTimeout(end, 2_000);
  req.once('close', () => clearTimeout(closeTimer));
  req.once('end', end);
  req.resume();
}

function explain(req: IncomingMessage, refusal: Refusal): HttpError {
  const invalid = (message: string, code: string, headers?: Record<string, string>) =>
    new HttpError({ status: refusal.status, message, type: 'invalid_request_error', code, headers });
  const routes = mainRoutes.map(({ method, path }) => `${method} ${path}`).join(', ');
  switch (refusal.reason) {
    case 'credential':
      return credentialMissing();
    case 'host':
      return invalid(
        `This local gateway is asked as 127.0.0.1, localhost or [::1], with its own port in the header Host. Where something forwards to it, let that set the header Host to 127.0.0.1:${req.socket.localPort}.`,
        'wrong_host',
      );
    case 'origin':
    case 'fetch-site':
      return invalid(
        'This local gateway answers programs, and no web pages: leave out the headers Origin and Sec-Fetch-Site.',
        'web_page_refused',
      );
    case 'route':
      return invalid(`This local gateway has no such route. ${meantOr(refusal, routes)}`, 'unknown_route');
    case 'method': {
      const allow = (refusal.allow ?? []).join(', ');
      return invalid(`This path takes ${allow}, not ${req.method}.`, 'method_not_allowed', { Allow: allow });
    }
    case 'content-type':
      return bodyNotJson();
    case 'content-encoding':
      return bodyEncoded();
    default:
      return bodyTooLarge();
  }
}

function meantOr({ meant }: Refusal, routes: string): string {
  if (meant === undefined) return `It serves: ${routes}.`;
  return `Did you mean ${meant.slice(0, 200)}? Check whether the base address of your client has to end in /v1.`;
}

/** The same text for any wrong credential, so that it says nothing about how close a guess was. */
function credentialMissing(): HttpError {
  return new HttpError({
    status: 401,
    message:
      "The credential of this local gateway is missing or wrong. Send it as Authorization: Bearer, or in the header of your client's API format, and no other credential beside it.",
    type: 'invalid_request_error',
    code: 'invalid_api_key',
    headers: { 'WWW-Authenticate': 'Bearer' },
  });
}

export function tooManyRequests(): HttpError {
  return new HttpError({
    status: 503,
    message: 'This local gateway answers as many requests as it can at once. Try again when some have ended.',
    type: 'server_error',
    code: 'too_many_requests',
    headers: { 'Retry-After': '1' },
    neverSent: true,
  });
}

/** The credential has used what the configuration grants it. */
export function limitReached(limit: string, waitMs: number): HttpError {
  return new HttpError({
    status: 429,
    message: `This credential has used what it is granted: ${limit}. Try again in ${Math.ceil(waitMs / 1000)} s.`,
    type: 'rate_limit_error',
    code: 'rate_limit_exceeded',
    headers: { 'retry-after': String(Math.ceil(waitMs / 1000)) },
    neverSent: true,
  });
}

export function bodyNotJson(): HttpError {
  return new HttpError({
    status: 415,
    message:
      'The header Content-Type must be application/json where there is a body. Send it as JSON with that header.',
    type: 'invalid_request_error',
    code: 'unsupported_content_type',
  });
}

function bodyEncoded(): HttpError {
  return new HttpError({
    status: 415,
    message:
      'This local gateway reads no compressed bodies. Send the request without the header Content-Encoding.',
    type: 'invalid_request_error',
    code: 'unsupported_content_encoding',
    headers: { 'Accept-Encoding': 'identity' },
  });
}

export function bodyTooLarge(): HttpError {
  return new HttpError({
    status: 413,
    message: `The request body is larger than ${maxBodyBytes / 1024 / 1024} MiB. Send a shorter conversation, smaller attachments or fewer tools.`,
    type: 'invalid_request_error',
    code: 'request_too_large',
  });
}

export function bodyTooSlow(): HttpError {
  return new HttpError({
    status: 408,
    message: 'The request body did not arrive in time. Nothing was sent on. Send it all at once.',
    type: 'invalid_request_error',
    code: 'request_timeout',
    neverSent: true,
  });
}
