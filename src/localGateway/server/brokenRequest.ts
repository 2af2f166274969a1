import { randomUUID } from 'node:crypto';
import { type ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { createErrorBody, guessGroup } from '../http/errorReply.ts';
import { HttpError } from '../http/httpError.ts';
import { createOwnHeaders } from './refuseRequest.ts';

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
 * Replies to bytes that are not HTTP, or that are too many or too slow, and closes their connection.
 *
 * @param lastResponse the last response on this connection
 * @returns undefined if a reply can no longer be sent
 */
export function respondToBrokenRequest(
  broken: BrokenRequest,
  socket: Socket,
  lastResponse: ServerResponse | undefined,
): BrokenRequestResponse | undefined {
  if (socket.destroyed || !socket.writable || isUnderWay(lastResponse)) {
    socket.destroy();
    return undefined;
  }
  const error = createError(broken.code);
  const requestId = randomUUID();
  const body = JSON.stringify(createErrorBody(error, readGroup(broken.rawPacket), requestId));
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
function isUnderWay(response: ServerResponse | undefined): boolean {
  return (
    response !== undefined && !response.writableFinished && (response.headersSent || response.req.complete)
  );
}

/** Reads the group of routes from the request line, if the bytes begin with one. */
function readGroup(bytes: Buffer | undefined): string {
  const [, target = ''] = /^[A-Z]+ (\S+) HTTP/.exec(bytes?.toString('latin1', 0, 1_024) ?? '') ?? [];
  return guessGroup(target);
}

function createError(code: string | undefined): HttpError {
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
