import { STATUS_CODES } from 'node:http';
import type { ReplyContent } from '../requestContent.ts';
import type { OpenedRequest, RequestFigures } from '../requestRecord.ts';

/** The program that writes a HAR file. */
interface HarCreator {
  readonly name: string;
  readonly version: string;
}

/**
 * Creates a HAR 1.2 document of requests, oldest first (http://www.softwareishard.com/blog/har-12-spec/). An unknown
 * time is included in the next known time.
 */
export function createHar(requests: readonly OpenedRequest[], creator: HarCreator): object {
  const entries = [...requests]
    .sort((one, other) => one.figures.requestedAt - other.figures.requestedAt)
    .map(createEntry);
  return { log: { version: '1.2', creator, entries } };
}

function createEntry(opened: OpenedRequest): object {
  const { figures, content } = opened;
  const reply = content?.reply;
  const { requestId, gatewayRequestId, failure, gateway, route } = figures;
  return {
    startedDateTime: new Date(figures.requestedAt).toISOString(),
    time: figures.totalMs,
    request: createRequest(opened),
    response: createResponse(opened),
    cache: {},
    timings: createTimings(figures),
    ...(failure && { comment: failure.message }),
    // The format allows custom names that start with an underscore.
    _requestId: requestId,
    ...(gatewayRequestId !== undefined && { _gatewayRequestId: gatewayRequestId }),
    _gateway: gateway,
    _route: route,
    ...(reply?.isStream && { _events: [...reply.beginning, ...reply.end] }),
  };
}

function createRequest({ figures: { method, url }, content }: OpenedRequest): object {
  const { requestHeaders = {}, requestBody } = content ?? {};
  const shortened = requestBody && requestBody.omitted > 0;
  return {
    method,
    url,
    httpVersion: 'HTTP/1.1',
    cookies: [],
    headers: toPairs(Object.entries(requestHeaders)),
    queryString: toPairs([...new URL(url).searchParams]),
    ...(requestBody && {
      postData: {
        mimeType: requestHeaders['content-type'] ?? 'application/json',
        text: requestBody.text,
        ...(shortened && { comment: `${requestBody.omitted} more characters are not stored` }),
      },
    }),
    headersSize: -1,
    bodySize: requestBody && !shortened ? Buffer.byteLength(requestBody.text) : requestBody ? -1 : 0,
  };
}

/** HAR requires a status, which is 0 without a reply. */
function createResponse({ figures: { status = 0, bytesReceived }, content }: OpenedRequest): object {
  const { replyHeaders = {}, reply } = content ?? {};
  const text = reply && joinTexts(reply);
  return {
    status,
    statusText: STATUS_CODES[status] ?? '',
    httpVersion: 'HTTP/1.1',
    cookies: [],
    headers: toPairs(Object.entries(replyHeaders)),
    content: {
      size: text === undefined ? bytesReceived : Buffer.byteLength(text),
      mimeType: replyHeaders['content-type'] ?? '',
      ...(text !== undefined && { text }),
      ...(reply && reply.omittedBytes > 0 && { comment: `${reply.omittedBytes} bytes are not stored` }),
    },
    redirectURL: '',
    headersSize: -1,
    bodySize: bytesReceived,
  };
}

function createTimings({ sentMs, headersMs, totalMs }: RequestFigures): object {
  const connected = Math.min(sentMs ?? totalMs, totalMs);
  const headersReceived = Math.max(connected, Math.min(headersMs ?? totalMs, totalMs));
  return {
    blocked: -1,
    dns: -1,
    ssl: -1,
    connect: connected,
    send: 0,
    wait: headersReceived - connected,
    receive: totalMs - headersReceived,
  };
}

function joinTexts({ isStream, beginning, end }: ReplyContent): string {
  const texts = [...beginning, ...end].map(({ text }) => text);
  return isStream ? texts.map((text) => `${text}\n\n`).join('') : texts.join('');
}

function toPairs(entries: readonly (readonly [name: string, value: string])[]): readonly object[] {
  return entries.map(([name, value]) => ({ name, value }));
}
