import { decodeStream } from '../../http/contentEncoding.ts';
import type { HttpError } from '../http/httpError.ts';
import { UpstreamReplyBody } from './replyBody.ts';
import type { UpstreamReply } from './upstream.ts';
import type { HttpReply } from './upstreamExchange.ts';
import { type FailingUpstream, invalidReplyError, noReplyError, upstreamError } from './upstreamFailure.ts';

/**
 * Refuses a reply that an API does not send: a web page, or an empty reply to a request for data.
 *
 * @returns undefined if the reply is accepted at once; otherwise a promise, because only the first bytes of a reply
 * without a length show that it is not empty
 * @throws {HttpError} with the status of a failure, and its retry time
 */
export function refuseUnreadable(
  upstream: FailingUpstream,
  reply: HttpReply,
  allowsEmpty: boolean,
): Promise<void> | undefined {
  const { statusCode, headers, body } = reply;
  const type = headers['content-type']?.toLowerCase() ?? '';
  if (/^(text\/html|application\/xhtml\+xml)/.test(type)) {
    body.destroy();
    throw unreadableReplyError(
      upstream,
      reply,
      'upstream_web_page',
      `returned ${statusCode} with a web page`,
    );
  }
  if (allowsEmpty || (statusCode < 300 && type.startsWith('text/event-stream'))) return undefined;
  const length = headers['content-length'];
  return length !== undefined && length !== '0' ? undefined : refuseEmpty(upstream, reply);
}

async function refuseEmpty(upstream: FailingUpstream, reply: HttpReply): Promise<void> {
  const { statusCode } = reply;
  const hasBytes = await reply.body.waitForBytes().catch((error: unknown) => {
    throw isSuccess(reply) ? replyCutError(upstream.name) : noReplyError(upstream, error, true);
  });
  if (hasBytes) return;
  const problem = statusCode < 400 ? 'returned an empty reply' : `returned ${statusCode} with an empty body`;
  throw unreadableReplyError(upstream, reply, 'upstream_empty', problem);
}

function isSuccess({ statusCode }: HttpReply): boolean {
  return statusCode >= 200 && statusCode < 300;
}

/** Preserves the status of a failure, and its headers with the retry time. */
function unreadableReplyError(
  { name }: FailingUpstream,
  reply: HttpReply,
  code: string,
  problem: string,
): HttpError {
  const { statusCode, headers } = reply;
  const message = `Upstream '${name}' ${problem}. Check its address and the path in its baseUrl.`;
  if (isSuccess(reply)) return invalidReplyError(message, code);
  const isFailure = statusCode >= 400;
  const retryHeaders = ['retry-after', 'retry-after-ms'].flatMap((each) => {
    const value = headers[each];
    // Only a time is passed on, so that the header cannot contain the key.
    const isTime = typeof value === 'string' && /^[\w ,:.+-]{1,40}$/.test(value);
    return isFailure && isTime ? [[each, value] as const] : [];
  });
  return upstreamError(isFailure ? statusCode : 502, message, code, {
    headers: Object.fromEntries(retryHeaders),
  });
}

/**
 * How long the head of a non-streamed reply waits for its body, in milliseconds. Some servers send a body over several
 * minutes.
 */
const maxHoldMs = 10_000;

/**
 * Holds back a short reply until it is complete, if it is not streamed. AI SDK sends a request again if the
 * connection closes within such a reply, so a cut reply becomes an error.
 */
export async function holdReply(upstream: string, reply: UpstreamReply): Promise<void> {
  const { status, headers, body } = reply;
  const isStream = headers['content-type']?.startsWith('text/event-stream') ?? false;
  if (status >= 300 || isStream || !(body instanceof UpstreamReplyBody)) return;
  await body.waitForEnd(maxHoldMs).catch(() => {
    throw replyCutError(upstream);
  });
}

/** The error for an event stream that ended before its first byte. */
export function emptyStreamError(name = ''): HttpError {
  const message = `Upstream '${name}' returned an empty reply: its stream ended before the first byte.`;
  return invalidReplyError(message, 'upstream_empty');
}

/** The error for a reply that ended before it was complete. */
export function replyCutError(name?: string): HttpError {
  const owner = name === undefined ? 'the upstream' : `upstream '${name}'`;
  return invalidReplyError(`The reply of ${owner} was cut off.`, 'upstream_reply_cut');
}

/**
 * Decompresses a reply. Some servers compress replies although the gateway does not accept compression.
 *
 * @throws {HttpError} if the compression is unknown
 */
export function decompressReply(reply: UpstreamReply, upstream: string): UpstreamReply {
  const { 'content-encoding': encoding } = reply.headers;
  const body = encoding === undefined ? reply.body : decodeStream(reply.body, encoding);
  if (body === reply.body) return reply;
  if (!body) throw unsupportedCompressionError(upstream, reply);
  const { 'content-encoding': _, 'content-length': __, ...headers } = reply.headers;
  return { ...reply, headers, body };
}

function unsupportedCompressionError(upstream: string, { status }: UpstreamReply): HttpError {
  const message = `Upstream '${upstream}' sent a reply with an unsupported compression, although the gateway did not accept any. The reply cannot be read.`;
  const code = 'upstream_reply_encoding';
  return status >= 200 && status < 300 ? invalidReplyError(message, code) : upstreamError(502, message, code);
}
