import { randomUUID } from 'node:crypto';
import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { createErrorBody, guessGroup } from '../http/errorReply.ts';
import { HttpError } from '../http/httpError.ts';
import type { ExchangeNotes } from './exchangeNotes.ts';
import { maxBodyBytes, type Refusal } from './guard.ts';
import { mainRoutes } from './servedRoutes.ts';

/** A request whose reply has not begun. */
export interface OpenRequest {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  readonly requestId: string;
  readonly notes: ExchangeNotes;
}

/** Creates the headers that every reply has. */
export function createOwnHeaders(requestId: string): Record<string, string> {
  return { 'x-request-id': requestId, 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' };
}

/**
 * Replies to a request that the guard refused, and closes its connection. Only a caller with a valid credential
 * learns the reason, but every caller learns that the credential is missing: SDKs show the body to their users.
 */
export function refuseRequest(request: OpenRequest, refusal: Refusal): void {
  const { req, res, requestId } = request;
  if (refusal.hasValidCredential || refusal.reason === 'credential') {
    const group = refusal.group ?? guessGroup(req.url ?? '');
    endWithError(request, explainRefusal(req, refusal), group);
    return;
  }
  if (refusal.allow) res.setHeader('Allow', refusal.allow.join(', '));
  res.writeHead(refusal.status, { ...createOwnHeaders(requestId), Connection: 'close', 'Content-Length': 0 });
  res.end();
}

/**
 * Writes an error as the last response of its connection, even if the request was not read to its end.
 *
 * @param group the group of routes, which determines the format of the error
 */
export function endWithError(
  { req, res, requestId, notes }: OpenRequest,
  error: HttpError,
  group: string,
): void {
  const body = JSON.stringify(createErrorBody(error, group, requestId));
  res.writeHead(error.status, {
    ...createOwnHeaders(requestId),
    ...error.replyHeaders,
    connection: 'close',
    'content-type': 'application/json',
    'content-length': String(Buffer.byteLength(body)),
  });
  notes.addBytes(body);
  res.write(body);
  // Closing a connection with unread bytes resets it, so that the caller may lose the response. A caller that waits
  // for "100 Continue" has not sent a body.
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

function explainRefusal(req: IncomingMessage, refusal: Refusal): HttpError {
  const createError = (message: string, code: string, headers?: Record<string, string>) =>
    new HttpError({ status: refusal.status, message, type: 'invalid_request_error', code, headers });
  const routes = mainRoutes.map(({ method, path }) => `${method} ${path}`).join(', ');
  switch (refusal.reason) {
    case 'credential':
      return refusal.expiredAt === undefined
        ? credentialMissingError()
        : credentialExpiredError(refusal.expiredAt);
    case 'host':
      return createError(
        `The header Host must be 127.0.0.1, localhost or [::1] with the port of this local gateway. If a proxy forwards requests to it, the proxy must set the header Host to 127.0.0.1:${req.socket.localPort}.`,
        'wrong_host',
      );
    case 'origin':
    case 'fetch-site':
      return createError(
        'This local gateway does not accept requests from web pages. Leave out the headers Origin and Sec-Fetch-Site.',
        'web_page_refused',
      );
    case 'route':
      return createError(
        `This local gateway has no such route. ${adviseRoute(refusal, routes)}`,
        'unknown_route',
      );
    case 'method': {
      const allow = (refusal.allow ?? []).join(', ');
      return createError(`This path accepts ${allow}, not ${req.method}.`, 'method_not_allowed', {
        Allow: allow,
      });
    }
    case 'content-type':
      return bodyNotJsonError();
    case 'content-encoding':
      return createError(
        'This local gateway does not accept compressed bodies. Send the request without the header Content-Encoding.',
        'unsupported_content_encoding',
        { 'Accept-Encoding': 'identity' },
      );
    default:
      return bodyTooLargeError();
  }
}

function adviseRoute({ suggestedPath }: Refusal, routes: string): string {
  if (suggestedPath === undefined) return `It serves: ${routes}.`;
  return `Did you mean ${suggestedPath.slice(0, 200)}? Check whether the base address of your client has to end in /v1.`;
}

/**
 * The error for a missing or wrong credential. Its text is always the same, so that it does not reveal how close a
 * guess was.
 */
function credentialMissingError(): HttpError {
  return new HttpError({
    status: 401,
    message:
      "The credential of this local gateway is missing or wrong. Send it as Authorization: Bearer, or in the header of your client's API format, and send no other credential.",
    type: 'invalid_request_error',
    code: 'invalid_api_key',
    headers: { 'WWW-Authenticate': 'Bearer' },
  });
}

/** The error for an expired credential. Only the holder of the credential gets its text. */
function credentialExpiredError(at: number): HttpError {
  return new HttpError({
    status: 401,
    message: `This credential of the local gateway expired on ${new Date(at).toISOString()}. Ask the user who runs the gateway for a new one.`,
    type: 'invalid_request_error',
    code: 'credential_expired',
    headers: { 'WWW-Authenticate': 'Bearer' },
  });
}

export function tooManyRequestsError(): HttpError {
  return new HttpError({
    status: 503,
    message:
      'This local gateway has reached its limit of concurrent requests. Try again when some of them have ended.',
    type: 'server_error',
    code: 'too_many_requests',
    headers: { 'Retry-After': '1' },
    neverSent: true,
  });
}

/** The error for a credential that has reached one of its limits of requests. */
export function limitReachedError(limit: string, waitMs: number): HttpError {
  return new HttpError({
    status: 429,
    message: `This credential has reached its limit of ${limit}. Try again in ${Math.ceil(waitMs / 1000)} s.`,
    type: 'rate_limit_error',
    code: 'rate_limit_exceeded',
    headers: { 'retry-after': String(Math.ceil(waitMs / 1000)) },
    neverSent: true,
  });
}

export function bodyNotJsonError(): HttpError {
  return new HttpError({
    status: 415,
    message:
      'The header Content-Type must be application/json if there is a body. Send the body as JSON with this header.',
    type: 'invalid_request_error',
    code: 'unsupported_content_type',
  });
}

export function bodyTooLargeError(): HttpError {
  return new HttpError({
    status: 413,
    message: `The request body is larger than ${maxBodyBytes / 1024 / 1024} MiB. Send a shorter conversation, smaller attachments or fewer tools.`,
    type: 'invalid_request_error',
    code: 'request_too_large',
  });
}

export function bodyTooSlowError(): HttpError {
  return new HttpError({
    status: 408,
    message: 'The request body did not arrive in time. Nothing was passed on. Send it all at once.',
    type: 'invalid_request_error',
    code: 'request_timeout',
    neverSent: true,
  });
}

/** An error of Node's parser, or of its timeout, for the bytes of a connection. */
export interface BrokenRequest {
  readonly code?: string;
  /** The last bytes that the parser read. */
  readonly rawPacket?: Buffer;
}

/** The reply to bytes that are not a request. */
interface BrokenRequestResponse {
  readonly status: number;
  readonly requestId: string;
  readonly bytes: number;
}

/**
 * Replies to bytes that are not HTTP, or to a head that is too large or too slow, and closes the connection.
 *
 * @param lastResponse the last response on this connection
 * @returns undefined if a reply can no longer be sent
 */
export function respondToBrokenRequest(
  broken: BrokenRequest,
  socket: Socket,
  lastResponse: ServerResponse | undefined,
): BrokenRequestResponse | undefined {
  if (socket.destroyed || !socket.writable || hasReplyUnderWay(lastResponse)) {
    socket.destroy();
    return undefined;
  }
  const error = explainBrokenRequest(broken.code);
  const requestId = randomUUID();
  const body = JSON.stringify(createErrorBody(error, guessGroupOfBytes(broken.rawPacket), requestId));
  const headers = {
    ...createOwnHeaders(requestId),
    connection: 'close',
    'content-type': 'application/json',
    'content-length': String(Buffer.byteLength(body)),
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  const statusLine = `HTTP/1.1 ${error.status} ${STATUS_CODES[error.status]}\r\n`;
  socket.end(`${statusLine}${lines.join('')}\r\n${body}`, () => socket.destroy());
  return { status: error.status, requestId, bytes: Buffer.byteLength(body) };
}

/** Whether a reply would interrupt another one, or be mistaken for the reply to a complete request. */
function hasReplyUnderWay(response: ServerResponse | undefined): boolean {
  return (
    response !== undefined && !response.writableFinished && (response.headersSent || response.req.complete)
  );
}

/** Reads the group of routes from the request line, if the bytes begin with one. */
function guessGroupOfBytes(bytes: Buffer | undefined): string {
  const [, target = ''] = /^[A-Z]+ (\S+) HTTP/.exec(bytes?.toString('latin1', 0, 1_024) ?? '') ?? [];
  return guessGroup(target);
}

function explainBrokenRequest(code: string | undefined): HttpError {
  const createRefusal = (status: number, message: string, name: string) =>
    new HttpError({ status, message, type: 'invalid_request_error', code: name, neverSent: true });
  switch (code) {
    case 'HPE_HEADER_OVERFLOW':
      return createRefusal(
        431,
        'The target and the headers of the request are larger than 16 KiB. Send fewer or shorter headers.',
        'headers_too_large',
      );
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return createRefusal(
        408,
        'The request did not arrive in time. Send it all at once.',
        'request_timeout',
      );
    default:
      return createRefusal(
        400,
        'This is not a valid HTTP/1.1 request. Use http://, because this local gateway has no TLS, and check the body length in the headers of the request.',
        'invalid_http',
      );
  }
}
