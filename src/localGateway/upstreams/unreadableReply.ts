import { decodedBody } from '../../http/contentEncoding.ts';
import type { HttpError } from '../http/httpError.ts';
import { ReplyBody } from './replyBody.ts';
import type { UpstreamReply } from './upstream.ts';
import type { HttpReply } from './upstreamExchange.ts';
import { type FailingUpstream, invalidReply, unanswered, upstreamError } from './upstreamFailure.ts';

/**
 * Refuses a reply that no API sends: a web page, or nothing where something was asked for, or where the reason of a
 * failure belongs. Of a reply that does not say its length and streams nothing, the first bytes are waited for; of
 * any other nothing is.
 *
 * @throws {HttpError} with the status of a failure, and with when to come again
 */
export function refuseUnreadable(
  upstream: FailingUpstream,
  reply: HttpReply,
  mayBeEmpty: boolean,
): Promise<void> | undefined {
  const { statusCode, headers, body } = reply;
  const type = headers['content-type']?.toLowerCase() ?? '';
  if (isWebPage(type)) {
    body.destroy();
    throw unreadable(upstream, reply, 'upstream_web_page', `answered ${statusCode} with a web page`);
  }
  if (mayBeEmpty || (statusCode < 300 && type.startsWith('text/event-stream'))) return undefined;
  const length = headers['content-length'];
  return length !== undefined && length !== '0' ? undefined : refuseNothing(upstream, reply);
}

function isWebPage(type: string): boolean {
  return type.startsWith('text/html') || type.startsWith('application/xhtml+xml');
}

async function refuseNothing(upstream: FailingUpstream, reply: HttpReply): Promise<void> {
  const { statusCode } = reply;
  const isSomething = await reply.body.isSomething().catch((error: unknown) => {
    throw isGood(reply) ? replyCut(upstream.name) : unanswered(upstream, error, true);
  });
  if (isSomething) return;
  const did = statusCode < 400 ? 'answered with nothing' : `answered ${statusCode}, and nothing more`;
  throw unreadable(upstream, reply, 'upstream_empty', did);
}

function isGood({ statusCode }: HttpReply): boolean {
  return statusCode >= 200 && statusCode < 300;
}

/** Keeps the status of a failure, and its headers that say when to ask again. */
function unreadable({ name }: FailingUpstream, reply: HttpReply, code: string, did: string): HttpError {
  const { statusCode, headers } = reply;
  const message = `Upstream '${name}' ${did}. Check its address and the path in its baseUrl.`;
  if (isGood(reply)) return invalidReply(message, code);
  const isFailure = statusCode >= 400;
  const told = ['retry-after', 'retry-after-ms'].flatMap((each) => {
    const value = headers[each];
    // Nothing but a time, so that no key is repeated in it.
    const isTime = typeof value === 'string' && /^[\w ,:.+-]{1,40}$/.test(value);
    return isFailure && isTime ? [[each, value] as const] : [];
  });
  return upstreamError(isFailure ? statusCode : 502, message, code, { headers: Object.fromEntries(told) });
}

/** How long the head of a reply that is not streamed waits for its body, which some servers send over minutes. */
const maxHoldMs = 10_000;

/**
 * Holds back a reply that is not streamed until it is whole, if it is short. AI SDK sends a request again when the
 * connection closes within such a reply, so a cut one becomes an error.
 */
export async function holdReply({ name }: FailingUpstream, reply: UpstreamReply): Promise<void> {
  const { status, headers, body } = reply;
  const isStream = headers['content-type']?.startsWith('text/event-stream') ?? false;
  if (status >= 300 || isStream || !(body instanceof ReplyBody)) return;
  await body.hold(maxHoldMs).catch(() => {
    throw replyCut(name);
  });
}

/** The error for an event stream that ended before its first byte. */
export function streamedNothing(name = ''): HttpError {
  const message = `Upstream '${name}' answered with nothing: its stream ended before anything came.`;
  return invalidReply(message, 'upstream_empty');
}

/** The error for a reply that ended before it was whole. */
export function replyCut(name?: string): HttpError {
  const owner = name === undefined ? 'the upstream' : `upstream '${name}'`;
  return invalidReply(`The reply of ${owner} was cut.`, 'upstream_reply_cut');
}

/**
 * The reply as it was before it was compressed, as some servers do unasked.
 *
 * @throws {HttpError} for one that is compressed in an unknown way
 */
export function uncompressed(reply: UpstreamReply, upstream: string): UpstreamReply {
  const { 'content-encoding': encoding } = reply.headers;
  const body = encoding === undefined ? reply.body : decodedBody(reply.body, encoding);
  if (body === reply.body) return reply;
  if (!body) throw compressed(upstream, reply);
  const { 'content-encoding': _, 'content-length': __, ...headers } = reply.headers;
  return { ...reply, headers, body };
}

function compressed(upstream: string, { status }: UpstreamReply): HttpError {
  const message = `Upstream '${upstream}' sent a reply that is compressed in an unknown way, though it was asked not to. It cannot be read.`;
  const code = 'upstream_reply_encoding';
  return status >= 200 && status < 300 ? invalidReply(message, code) : upstreamError(502, message, code);
}
