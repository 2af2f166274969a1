import { decoded } from '../../http/contentEncoding.ts';
import { ProxyError } from '../../http/proxy.ts';
import { isRedirect, redirectTarget } from '../../http/redirects.ts';
import { type ErrorReport, readErrorBody } from '../../wire/errorBody.ts';
import { blamesCredential } from '../../wire/errorMapping.ts';
import { interception, isChallenge } from '../../wire/interception.ts';
import { redact } from '../../wire/secrets/redact.ts';
import { HttpError } from '../http/httpError.ts';
import { doNotRetry } from '../http/nothingMade.ts';
import { describeConnectionFailure } from './connectionFailure.ts';
import { ProxySettingError } from './proxy.ts';
import type { ReplyBody } from './replyBody.ts';
import type { HttpReply } from './upstreamExchange.ts';

/** An upstream, for the text of a failure. */
export interface FailingUpstream {
  readonly name: string;
  readonly origin: string;
  /** Where its key comes from, such as "in the environment variable X". */
  readonly keyPlace?: string;
}

/** The error for an upstream that cannot be used until its configuration changes. */
export function unusable({ name }: FailingUpstream, reason: string): HttpError {
  return upstreamError(424, `Upstream '${name}' cannot be used: ${reason}.`, 'upstream_unusable', {
    headers: doNotRetry,
    neverSent: true,
  });
}

/**
 * The error for an upstream that did not answer, or whose proxy answered in its place.
 *
 * @param sent whether the upstream may have received the request
 */
export function unanswered(upstream: FailingUpstream, error: unknown, sent: boolean): HttpError {
  if (error instanceof ProxySettingError) return unusable(upstream, error.message);
  if (error instanceof ProxyError) return stoppedByProxy(upstream, error);
  const { cause, timedOut } = describeConnectionFailure(error);
  const message = sentence(`Upstream '${upstream.name}' at ${upstream.origin} did not answer: ${cause}`);
  return timedOut
    ? upstreamError(504, message, 'upstream_timeout', { neverSent: !sent })
    : upstreamError(502, message, 'upstream_unreachable', { neverSent: !sent });
}

function stoppedByProxy({ name }: FailingUpstream, { proxy, status, cause }: ProxyError): HttpError {
  const told = `Upstream '${name}' was not reached, because of the proxy ${proxy}`;
  if (status === undefined) {
    const { cause: words, timedOut } = describeConnectionFailure(cause);
    return upstreamError(timedOut ? 504 : 502, sentence(`${told}: ${words}`), 'upstream_proxy', {
      neverSent: true,
    });
  }
  const words = proxyAnswers[status] ?? '';
  // A proxy refuses the same request again. A failure behind it may pass.
  const again = status >= 500;
  return upstreamError(again ? 502 : 424, `${told}: it answered ${status}${words}.`, 'upstream_proxy', {
    headers: again ? {} : doNotRetry,
    neverSent: true,
  });
}

const proxyAnswers: Readonly<Record<number, string>> = {
  403: ', which means that it does not let this address through',
  407: '; it wants a user name and a password in its address, or refuses those it was given',
};

/**
 * The error for an upstream that answers, in place of a reply, where one is to be found (3xx).
 *
 * @param key is hidden in the host that the upstream names
 */
export function elsewhere(
  { name, origin }: FailingUpstream,
  { statusCode, headers }: Pick<HttpReply, 'statusCode' | 'headers'>,
  key: string | undefined,
): HttpError {
  if (!isRedirect(statusCode)) {
    const message = `Upstream '${name}' answered ${statusCode}, which is no answer to this request. Check its address and the path in its baseUrl.`;
    return upstreamError(502, message, 'upstream_status', { headers: doNotRetry });
  }
  const named = redirectTarget(statusCode, headers, new URL(origin))?.origin ?? 'elsewhere';
  const target = redact(named, secretsOf(key));
  const message = `Upstream '${name}' redirected to ${target}. Redirects are not followed: set its baseUrl to the final address.`;
  return upstreamError(502, message, 'upstream_redirect', { headers: doNotRetry });
}

/** The code of the error for an upstream that refuses this gateway's key. */
export const credentialCode = 'upstream_credential';

/**
 * The error for a reply that does not concern the caller: the upstream refuses this gateway's key, whatever the
 * status, or something in front of the upstream did not let the request through. Undefined for any other reply,
 * which the caller gets as it is.
 *
 * @param key is hidden in the upstream's text
 */
export async function refusal(
  upstream: FailingUpstream,
  reply: HttpReply,
  key: string | undefined,
): Promise<HttpError | undefined> {
  const { statusCode: status, headers, body } = reply;
  if (status < 400 || (status >= 500 && !isChallenge(headers))) return undefined;
  const text = await textOf(body, headers['content-encoding'] ?? '');
  const report = readErrorBody(text);
  const error = interceptedReply(upstream, reply, text, report, key);
  const isKeyRefused = status === 401 || status === 407 || blamesCredential(report, status);
  if (!error && !isKeyRefused) return undefined;
  body.destroy();
  return error ?? refusedKey(upstream, status, wordsOf(report, text, key), key);
}

const interceptions: Readonly<Record<string, string>> = {
  challenge: 'A protection in front of it lets only browsers through.',
  blocked: 'A firewall or a proxy in front of it blocked the request.',
  region: 'It does not serve the region of this gateway.',
};

/** The error, with the same status, for a request that a firewall stopped, which no API format has words for. */
function interceptedReply(
  { name }: FailingUpstream,
  { statusCode: status, headers }: HttpReply,
  text: string,
  report: ErrorReport,
  key: string | undefined,
): HttpError | undefined {
  const { reason = '' } = interception(status, headers, text, report) ?? {};
  const advice = interceptions[reason];
  if (advice === undefined || status === 401 || status === 407) return undefined;
  const told = wordsOf(report, '', key);
  const answer = sentence(`Upstream '${name}' answered ${status}${told === '' ? '' : `: ${told}`}`);
  return upstreamError(status, `${answer} ${advice}`, `upstream_${reason}`, { headers: doNotRetry });
}

/** It is not a 401, after which the caller would change its own credential. */
function refusedKey(
  { name, keyPlace }: FailingUpstream,
  status: number,
  told: string,
  key: string | undefined,
): HttpError {
  const place = keyPlace === undefined ? '' : `, ${keyPlace},`;
  const advice =
    key === undefined
      ? 'This gateway sends it no key. Its keyEnv is to name the environment variable that holds one.'
      : `The key of this gateway for it${place} is wrong or may not do this.`;
  const answer = `Upstream '${name}' answered ${status}${told === '' ? '' : `: ${told}`}`;
  return upstreamError(424, `${sentence(answer)} ${advice}`, credentialCode, {
    headers: { ...doNotRetry, 'x-upstream': name },
  });
}

/**
 * The error for an upstream that answers the request for its models with a failure.
 *
 * @param body its words
 * @param key is hidden in them
 */
export function unlisted(
  { name }: FailingUpstream,
  status: number,
  body: Buffer | undefined,
  key: string | undefined,
): HttpError {
  const told = wordsIn(body?.toString() ?? '', key);
  const words = told === '' || told.startsWith('<') ? '' : `: ${told}`;
  const answer = sentence(`Upstream '${name}' answered ${status} to the request for its models${words}`);
  const isMissing = status === 404 || status === 405;
  const advice = isMissing ? ` ${modelListAdvice}` : '';
  return upstreamError(502, answer + advice, 'upstream_model_list');
}

/** The error for an upstream that answers something else than a list of models. */
export function noModelList({ name }: FailingUpstream): HttpError {
  return upstreamError(
    502,
    `Upstream '${name}' sent no model list. ${modelListAdvice}`,
    'upstream_model_list',
  );
}

const modelListAdvice =
  'Check that its address (baseUrl) ends where its paths begin, which is often at /v1, or name its models in the configuration.';

const maxErrorBytes = 256 * 1024;
const maxWordCharacters = 2_000;
const maxBodyMs = 5_000;

/** The text of an error, as much of it as arrives in time. */
async function textOf(body: ReplyBody, encoding: string): Promise<string> {
  const { promise: late, resolve } = Promise.withResolvers<Buffer>();
  const timer = setTimeout(() => resolve(Buffer.alloc(0)), maxBodyMs);
  const bytes = await Promise.race([body.beginning(), late]).finally(() => clearTimeout(timer));
  return decoded(bytes, encoding, maxErrorBytes).then(String, () => '');
}

function wordsIn(text: string, secret: string | undefined): string {
  return wordsOf(readErrorBody(text), text, secret);
}

function wordsOf({ message }: ErrorReport, text: string, secret: string | undefined): string {
  // Hidden before anything is cut, because a cut could leave a part of the key.
  const words = redact(message ?? text, secretsOf(secret));
  return words.replace(/\s+/g, ' ').trim().slice(0, maxWordCharacters);
}

function secretsOf(key: string | undefined): readonly string[] {
  return key === undefined ? [] : [key];
}

/**
 * Reads a body to its end.
 *
 * @returns undefined for more than `cap` bytes
 */
export async function readCapped(body: AsyncIterable<Uint8Array>, cap: number): Promise<Buffer | undefined> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.byteLength;
    if (size > cap) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function sentence(text: string): string {
  return /[.!?。！？…]$/.test(text) ? text : `${text}.`;
}

/**
 * A failure after the upstream answered with 2xx, so the request may be billed. Its status is one after which no
 * client library sends the request again.
 */
export function invalidReply(message: string, code: string, status: 400 | 402 | 404 | 424 = 424): HttpError {
  return new HttpError({ status, message, type: 'invalid_reply_error', code, headers: doNotRetry });
}

/** A failure of an upstream. `neverSent`: the upstream got no part of the request, so nothing was made. */
export function upstreamError(
  status: number,
  message: string,
  code: string,
  more: { readonly headers?: Readonly<Record<string, string>>; readonly neverSent?: boolean } = {},
): HttpError {
  return new HttpError({ status, message, type: 'upstream_error', code, ...more });
}
