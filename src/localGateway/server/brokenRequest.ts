import { randomUUID } from 'node:crypto';
import { type ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { errorBody, nearestGroup } from '../http/errorFormat.ts';
import { HttpError } from '../http/httpError.ts';
import { ownHeaders } from './refusal.ts';

/** What Node's parser, or its clock, has against the bytes of a connection. */
export interface BrokenRequest {
  readonly code?: string;
  /** The bytes that it read last. */
  readonly rawPacket?: Buffer;
}

/** What was answered to bytes that are no request. */
export interface BrokenAnswer {
  readonly status: number;
  readonly requestId: string;
  readonly bytes: number;
}

/**
 * Answers bytes that are no HTTP, too many or too slow, and closes their connection. The words say nothing that
 * only a holder of the credential may know.
 *
 * @param answering the last response on this connection
 * @returns undefined where nothing can be answered any more
 */
export function answerBroken(
  broken: BrokenRequest,
  socket: Socket,
  answering: ServerResponse | undefined,
): BrokenAnswer | undefined {
  if (socket.destroyed || !socket.writable || isUnderWay(answering)) {
    socket.destroy();
    return undefined;
  }
  const error = errorOf(broken.code);
  const requestId = randomUUID();
  const body = JSON.stringify(errorBody(error, groupOf(broken.rawPacket), requestId));
  const headers = {
    ...ownHeaders(requestId),
    connection: 'close',
    'content-type': 'application/json',
    'content-length': String(Buffer.byteLength(body)),
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  const statusLine = `HTTP/1.1 ${error.status} ${STATUS_CODES[error.status]}\r\n`;
  socket.end(`${statusLine}${lines.join('')}\r\n${body}`, () => socket.destroy());
  return { status: error.status, requestId, bytes: body.length };
}

/** Whether another status would break into a reply, or be taken for that of a request that was sent on. */
function isUnderWay(response: ServerResponse | undefined): boolean {
  return (
    response !== undefined && !response.writableFinished && (response.headersSent || response.req.complete)
  );
}

/** Of the path in a request line, where the bytes begin with one. */
function groupOf(bytes: Buffer | undefined): string {
  const [, target = ''] = /^[A-Z]+ (\S+) HTTP/.exec(bytes?.toString('latin1', 0, 1_024) ?? '') ?? [];
  return nearestGroup(target);
}

function errorOf(code: string | undefined): HttpError {
  const refused = (status: number, message: string, name: string) =>
    new HttpError({ status, message, type: 'invalid_request_error', code: name, neverSent: true });
  switch (code) {
    case 'HPE_HEADER_OVERFLOW':
      return refused(
        431,
        'The headers of the request, with its target, are larger than 16 KiB. Send fewer or shorter ones.',
        'headers_too_large',
      );
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return refused(408, 'The request did not arrive in time. Send it all at once.', 'request_timeout');
    default:
      return refused(
        400,
        'This is no request of HTTP/1.1. Ask by http://, as this local gateway has no TLS, and check the lengths that the request tells of its body.',
        'invalid_http',
      );
  }
}
