import { decodeBody } from '../../http/contentEncoding.ts';
import { classifyNetworkError, listErrorCodes, type NetworkErrorKind } from '../../http/networkError.ts';
import { ProxyError } from '../../http/proxy.ts';
import { findRedirectTarget, isRedirect } from '../../http/redirects.ts';
import { type TextFormatId, textFormat } from '../../wire/apis/textFormats.ts';
import { type ErrorReport, readErrorBody } from '../../wire/failures/errorBody.ts';
import { findInterception, isChallenge } from '../../wire/failures/interception.ts';
import { findRefusalKind } from '../../wire/failures/replyFailure.ts';
import { findLimitResetMs, readRetryAfterMs } from '../../wire/failures/retryHint.ts';
import { redact } from '../../wire/secrets/redact.ts';
import { doNotRetry, HttpError, invalidRequestError, provesUnbilled } from '../http/httpError.ts';
import { ProxySettingError } from './dispatcher.ts';
import type { KeyFault, RestingKey } from './keys/keyRing.ts';
import type { UpstreamReplyBody } from './replyBody.ts';
import type { HttpReply } from './upstreamExchange.ts';

/** The details of an upstream in the message of a failure. */
export interface FailingUpstream {
  readonly name: string;
  readonly origin: string;
  /** The source of its key, such as "in the environment variable X". */
  readonly keyLocation?: string;
}

/** The error for an upstream that cannot be used until its configuration changes. */
export function unusableError({ name }: FailingUpstream, reason: string): HttpError {
  return upstreamError(424, `Upstream '${name}' cannot be used: ${reason}.`, 'upstream_unusable', {
    headers: doNotRetry,
    neverSent: true,
  });
}

/**
 * The error for an upstream that did not reply, or whose proxy replied instead of it.
 *
 * @param wasSent whether the upstream may have received the request
 */
export function noReplyError(upstream: FailingUpstream, error: unknown, wasSent: boolean): HttpError {
  if (error instanceof ProxySettingError) return unusableError(upstream, error.message);
  if (error instanceof ProxyError) return proxyFailureError(upstream, error);
  const { cause, hasTimedOut } = describeConnectionFailure(error);
  const message = endSentence(`Upstream '${upstream.name}' at ${upstream.origin} did not reply: ${cause}`);
  return hasTimedOut
    ? upstreamError(504, message, 'upstream_timeout', { neverSent: !wasSent })
    : upstreamError(502, message, 'upstream_unreachable', { neverSent: !wasSent });
}

function proxyFailureError({ name }: FailingUpstream, { proxy, status, cause }: ProxyError): HttpError {
  const problem = `Upstream '${name}' was not reached, because of the proxy ${proxy}`;
  if (status === undefined) {
    const { cause: causeText, hasTimedOut } = describeConnectionFailure(cause);
    return upstreamError(hasTimedOut ? 504 : 502, endSentence(`${problem}: ${causeText}`), 'upstream_proxy', {
      neverSent: true,
    });
  }
  const explanation = proxyStatusTexts[status] ?? '';
  // A refusal by the proxy is permanent. A failure behind the proxy may be temporary.
  const isTemporary = status >= 500;
  return upstreamError(
    isTemporary ? 502 : 424,
    `${problem}: it returned ${status}${explanation}.`,
    'upstream_proxy',
    {
      headers: isTemporary ? {} : doNotRetry,
      neverSent: true,
    },
  );
}

const proxyStatusTexts: Readonly<Record<number, string>> = {
  403: ', so it does not allow this address',
  407: '; it requires a user name and a password in its address, or rejects the given ones',
};

/**
 * The error for a redirect (3xx), or another status that is not a valid reply to the request.
 *
 * @param keys the keys to hide in the target of the redirect
 */
export function redirectError(
  { name, origin }: FailingUpstream,
  { statusCode, headers }: Pick<HttpReply, 'statusCode' | 'headers'>,
  keys: readonly string[],
): HttpError {
  if (!isRedirect(statusCode)) {
    const message = `Upstream '${name}' returned ${statusCode}, which is not a valid status for this request. Check its address and the path in its baseUrl.`;
    return upstreamError(502, message, 'upstream_status', { headers: doNotRetry });
  }
  const target = findRedirectTarget(statusCode, headers, new URL(origin));
  const targetText = redact(target?.origin ?? 'elsewhere', keys);
  const message = `Upstream '${name}' redirected to ${targetText}. Redirects are not followed: set its baseUrl to the final address.`;
  return new RedirectError(message, target);
}

/** The error for a redirect. Only reads of results follow it to its target. */
export class RedirectError extends HttpError {
  readonly target: URL | undefined;

  constructor(message: string, target: URL | undefined) {
    super({
      status: 502,
      message,
      type: 'upstream_error',
      code: 'upstream_redirect',
      headers: doNotRetry,
    });
    this.target = target;
  }
}

/** The code of the error for an upstream that refuses this gateway's key. */
const credentialCode = 'upstream_credential';

/** The evaluation of a reply with a failure status. */
export interface UpstreamRefusal {
  /** The error for the caller; undefined if the reply is passed on. */
  readonly error?: HttpError;
  /** Undefined if the request would fail with any key. */
  readonly keyFault?: KeyFault;
}

/**
 * Reads a refusal. The result has an error if the refusal does not concern the caller: the upstream refuses this
 * gateway's key, with any status, or something in front of the upstream blocked the request.
 *
 * @param keys the keys to hide in the upstream's text
 * @param hasKey whether a key was sent
 */
export async function readRefusal(
  upstream: FailingUpstream,
  reply: HttpReply,
  keys: readonly string[],
  hasKey: boolean,
): Promise<UpstreamRefusal> {
  const { statusCode: status, headers, body } = reply;
  if (status < 400 || (status >= 500 && !isChallenge(headers))) return {};
  const text = await readErrorText(body, headers['content-encoding'] ?? '');
  const report = readErrorBody(text);
  const interception = interceptionError(upstream, reply, text, report, keys);
  if (interception) return { error: interception };
  const isKeyRefused =
    status === 401 || status === 407 || findRefusalKind(report, status) === 'authentication';
  const keyFault = readKeyFault(reply, report);
  return {
    ...(isKeyRefused && {
      error: refusedKeyError(upstream, status, formatUpstreamText(report, text, keys), hasKey),
    }),
    ...(keyFault && { keyFault }),
  };
}

/**
 * Returns a fault if another key may succeed. A 403 may concern the model or the region, so it is a fault only if a
 * quota is exhausted.
 */
function readKeyFault({ statusCode: status, headers }: HttpReply, report: ErrorReport): KeyFault | undefined {
  if (!provesUnbilled(status) || status === 407) return undefined;
  const kind = findRefusalKind(report, status);
  const isRefused = status === 401 || (kind === 'authentication' && status !== 403);
  const isForAllModels = isRefused || status === 402 || kind === 'quota';
  if (!isForAllModels && status !== 429 && kind !== 'rate-limited') return undefined;
  const now = new Date();
  const waitMs =
    readRetryAfterMs(headers, report.retryDelayMs, now) ??
    findLimitResetMs({ ...report.headers, ...headers }, now);
  return { status, isForAllModels, waitMs };
}

/** The error for a request that was not sent, because all keys rest. */
export function keysRestingError(
  { name }: FailingUpstream,
  resting: readonly RestingKey[],
  shortestRestMs = 0,
): HttpError {
  const seconds = Math.max(1, Math.ceil(shortestRestMs / 1_000));
  const keys = resting.map((each) => `'${each.name}' (${each.status})`).join(', ');
  const message = `Upstream '${name}' refused all keys of this gateway: ${keys}. The next one is used again in ${seconds} s. This request was not sent.`;
  const isLimited = resting.some(({ status }) => status === 429 || status === 402);
  if (!isLimited)
    return upstreamError(424, message, credentialCode, { headers: doNotRetry, neverSent: true });
  const headers = { 'retry-after': String(seconds) };
  return upstreamError(429, message, 'upstream_keys_resting', { headers, neverSent: true });
}

const interceptionAdvice: Readonly<Record<string, string>> = {
  challenge: 'A protection in front of it accepts only browsers.',
  blocked: 'A firewall or a proxy in front of it blocked the request.',
  region: 'It does not serve the region of this gateway.',
};

/**
 * The error for a request that a firewall blocked, with the status of the reply. API formats do not define such an
 * error.
 */
function interceptionError(
  { name }: FailingUpstream,
  { statusCode: status, headers }: HttpReply,
  text: string,
  report: ErrorReport,
  keys: readonly string[],
): HttpError | undefined {
  const { reason = '' } = findInterception(status, headers, text, report) ?? {};
  const advice = interceptionAdvice[reason];
  if (advice === undefined || status === 401 || status === 407) return undefined;
  const upstreamText = formatUpstreamText(report, '', keys);
  const problem = endSentence(
    `Upstream '${name}' returned ${status}${upstreamText === '' ? '' : `: ${upstreamText}`}`,
  );
  return upstreamError(status, `${problem} ${advice}`, `upstream_${reason}`, { headers: doNotRetry });
}

/** The error for a refused key. Its status is not 401, because a caller would then replace its own credential. */
function refusedKeyError(
  { name, keyLocation }: FailingUpstream,
  status: number,
  upstreamText: string,
  hasKey: boolean,
): HttpError {
  const keyHint = keyLocation === undefined ? '' : `, ${keyLocation},`;
  const advice = hasKey
    ? `The key of this gateway for it${keyHint} is wrong or lacks a permission.`
    : 'This gateway sends no key to it. Set its keyEnv to the environment variable that holds the key.';
  const problem = `Upstream '${name}' returned ${status}${upstreamText === '' ? '' : `: ${upstreamText}`}`;
  return upstreamError(424, `${endSentence(problem)} ${advice}`, credentialCode, {
    headers: { ...doNotRetry, 'x-upstream': name },
    isUnbilled: provesUnbilled(status),
  });
}

/**
 * The error for an upstream whose list of models failed.
 *
 * @param body the text of the failure
 * @param keys the keys to hide in the text
 */
export function modelListError(
  { name }: FailingUpstream,
  status: number,
  body: Buffer | undefined,
  keys: readonly string[],
): HttpError {
  const text = body?.toString() ?? '';
  const upstreamText = formatUpstreamText(readErrorBody(text), text, keys);
  const suffix = upstreamText === '' || upstreamText.startsWith('<') ? '' : `: ${upstreamText}`;
  const problem = endSentence(`Upstream '${name}' returned ${status} to the request for its models${suffix}`);
  const isMissing = status === 404 || status === 405;
  const advice = isMissing ? ` ${modelListAdvice}` : '';
  return upstreamError(502, problem + advice, 'upstream_model_list');
}

/**
 * The error for an upstream that returns something other than a list of models.
 *
 * @param maxBytes the size limit, if the list exceeds it
 */
export function noModelListError({ name }: FailingUpstream, maxBytes?: number): HttpError {
  const problem =
    maxBytes === undefined
      ? `Upstream '${name}' did not return a model list. ${modelListAdvice}`
      : `The model list of upstream '${name}' is larger than ${maxBytes / 1024 / 1024} MiB. List its models in the configuration.`;
  return upstreamError(502, problem, 'upstream_model_list');
}

const modelListAdvice =
  'Check that its address (baseUrl) ends before the paths of its API, often with /v1, or list its models in the configuration.';

const maxErrorBytes = 256 * 1024;
const maxTextCharacters = 2_000;
const maxBodyMs = 5_000;

/** Reads the text of an error; empty if it does not arrive in time. */
async function readErrorText(body: UpstreamReplyBody, encoding: string): Promise<string> {
  const { promise: late, resolve } = Promise.withResolvers<Buffer>();
  const timer = setTimeout(() => resolve(Buffer.alloc(0)), maxBodyMs);
  const bytes = await Promise.race([body.readBeginning(), late]).finally(() => clearTimeout(timer));
  return decodeBody(bytes, encoding, maxErrorBytes).then(String, () => '');
}

function formatUpstreamText({ message }: ErrorReport, text: string, keys: readonly string[]): string {
  // Keys are hidden before the text is cut, because a cut could leave a part of a key.
  const safeText = redact(message ?? text, keys);
  return safeText.replace(/\s+/g, ' ').trim().slice(0, maxTextCharacters);
}

/**
 * Reads a body to its end.
 *
 * @returns undefined for a body of more than `cap` bytes, whose connection is then closed
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

function endSentence(text: string): string {
  return /[.!?。！？…]$/.test(text) ? text : `${text}.`;
}

/**
 * The error for an unusable reply with 2xx: the request may be billed. Client libraries do not retry after its status.
 */
export function invalidReplyError(
  message: string,
  code: string,
  status: 400 | 402 | 404 | 424 = 424,
): HttpError {
  return new HttpError({ status, message, type: 'invalid_reply_error', code, headers: doNotRetry });
}

/** The error for a failure of an upstream. With `neverSent`, no part of the request reached it. */
export function upstreamError(
  status: number,
  message: string,
  code: string,
  more: Partial<Pick<HttpError, 'headers' | 'neverSent' | 'isUnbilled'>> = {},
): HttpError {
  return new HttpError({ status, message, type: 'upstream_error', code, ...more });
}

/**
 * Explains why a request did not get a reply. Uses only the code of the error, because its message may contain sent
 * data.
 */
export function describeConnectionFailure(error: unknown): {
  readonly cause: string;
  readonly hasTimedOut: boolean;
} {
  const kind = classifyNetworkError(error);
  // An error for several addresses contains the errors of each address, which have more specific codes.
  const code = listErrorCodes(error).find((each) => each !== 'AggregateError') ?? 'unknown error';
  return {
    cause: (kind && causes[kind]) ?? otherCauses[code] ?? `the connection failed (${code})`,
    hasTimedOut: kind === 'connect-timeout' || kind === 'silent' || code === 'TimeoutError',
  };
}

const causes: { readonly [Kind in NetworkErrorKind]?: string } = {
  'not-private': 'its host name resolves to an address outside the private network',
  'name-unknown': 'its host name is not known',
  'name-not-looked-up': 'its host name could not be looked up; is this machine offline?',
  refused: 'the connection was refused; is it running?',
  'connect-timeout': 'connecting took too long',
  silent: 'it stayed silent for too long',
  'certificate-expired': 'its TLS certificate has expired, or is not valid yet',
  'certificate-of-another-host': 'its TLS certificate is for another host',
  'certificate-self-signed': 'its TLS certificate is self-signed',
  'certificate-of-unknown-authority': 'its TLS certificate comes from an authority not trusted here',
  'not-tls': 'it does not speak TLS; is it an http address?',
  'headers-too-large': 'the headers of its reply are too large',
  'not-http': 'its reply is not HTTP, or was cut off',
  'no-route': 'it cannot be reached from this network',
};

const otherCauses: Readonly<Record<string, string>> = {
  ECONNRESET: 'it closed the connection',
  UND_ERR_SOCKET: 'it closed the connection',
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: 'the length of its reply differs from its Content-Length header',
  UND_ERR_RES_EXCEEDED_MAX_SIZE: 'its reply is too long',
  TimeoutError: 'it took too long',
};

/**
 * The error for a format that a model does not support.
 *
 * @param formats the formats that the model supports
 */
export function unsupportedFormatError(
  upstream: string,
  model: string,
  formats: readonly TextFormatId[],
): HttpError {
  const formatDetails = formats.map(textFormat);
  const formatLabels = formatDetails.map(({ label }) => label).join(' and ') || 'no text';
  const routes = formatDetails.map(({ route }) => `${route.method} ${route.path}`).join(' or ');
  const advice = routes === '' ? 'Use another model.' : `Use ${routes}.`;
  const message = `The model "${model.slice(0, 100)}" comes from upstream '${upstream}', which serves only ${formatLabels}. ${advice}`;
  return invalidRequestError(message, 'unsupported_api_format', 'model');
}

/** The error for a request whose tokens cannot be counted. */
export function cannotCountError(upstream: string, model: string): HttpError {
  const message = `The tokens of "${model.slice(0, 100)}" cannot be counted: upstream '${upstream}' has no route for it.`;
  return invalidRequestError(message, 'unsupported_operation', 'model');
}
