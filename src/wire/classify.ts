import { type ErrorReport, readErrorBody, readErrorValue } from './errorBody.ts';
import type { FailureFacts, FailureKind, FailureReason } from './failure.ts';
import { type ReplyHeaders, retryAfterMs } from './retryHint.ts';
import type { RouteGroup } from './routes.ts';

/** What a reply alone tells of a failure. The call adds when it was asked and under which id. */
export type Diagnosis = Omit<FailureFacts, 'requestedAt' | 'requestId'>;

/** A reply whose status says that the call failed. */
export interface FailedReply {
  readonly status: number;
  readonly headers: ReplyHeaders;
  /** The body as text, cut where the caller stopped reading. */
  readonly body: string;
  readonly group: RouteGroup;
  /** The address that was asked, to resolve where a redirect leads. */
  readonly url: URL;
  readonly now: Date;
}

interface Verdict {
  readonly kind: Exclude<FailureKind, 'cancelled' | 'malformed-reply'>;
  readonly reason?: FailureReason;
}

/**
 * Words that beat the status, because gateways send them under any. Machine words first; the few patterns
 * for people's text are of gateways that send no word at all, in the languages they write.
 */
const verdictsByWord: readonly {
  readonly words: RegExp;
  readonly text?: RegExp;
  readonly verdict: Verdict;
}[] = [
  {
    words: /(?<!rate)quota|balance|billing|arrear|budget|payment_required|spend_limit|PerDay/i,
    verdict: { kind: 'quota' },
  },
  {
    words: /model_?not_?found|model_not_allowed|model\.?access_?denied/i,
    text: /no available channel|invalid model name|not allowed to use publisher model|无可用渠道|无权使用模型/i,
    verdict: { kind: 'model-unavailable' },
  },
  {
    words: /invalid_?api_?key|api_?key_?invalid|^authentication|^unauthenticated$|^invalid_token$/i,
    verdict: { kind: 'authentication' },
  },
  {
    words: /rate_?limit|throttling|limit_requests|resource_?exhausted|too_many_requests/i,
    verdict: { kind: 'rate-limited' },
  },
  {
    words: /content_?(policy|filter)|sensitive_words|prompt_blocked|datainspection|moderation|bio_policy/i,
    verdict: { kind: 'invalid-parameters', reason: 'content-filter' },
  },
];

/** For an error inside a reply that began well, where there is no status to go by. */
const REQUEST_AT_FAULT =
  /bad_?request|invalid_?(request|argument|parameter|prompt)|context_?length|unprocessable|image|residency/i;

/** Classes a reply outside 2xx: its words, then its status, in the order wire facts have shown to be right. */
export function diagnoseReply(reply: FailedReply): Diagnosis {
  const { status, headers, body, now } = reply;
  if (status >= 300 && status < 400) return redirected(reply);
  const report = readErrorBody(body);
  const verdict = verdictOfWords(report) ?? verdictOfStatus(status, report, reply.group);
  const waitMs = retryAfterMs(headers, report.retryDelayMs, now);
  return {
    ...verdict,
    message: explain(verdict, status, waitMs),
    status,
    body,
    ...(report.message !== undefined && { gatewayMessage: report.message }),
    ...(waitMs !== undefined && { retryAfterMs: waitMs }),
  };
}

/** Classes an error that a gateway wrote into a reply with a good status. */
export function diagnoseInnerError(error: unknown): Diagnosis {
  const report = readErrorValue(error);
  const verdict = verdictOfWords(report) ?? verdictOfInnerCode(report);
  return {
    ...verdict,
    message: explain(verdict, undefined, report.retryDelayMs),
    ...(report.message !== undefined && { gatewayMessage: report.message }),
    ...(report.retryDelayMs !== undefined && { retryAfterMs: report.retryDelayMs }),
  };
}

function verdictOfWords({ words, message = '' }: ErrorReport): Verdict | undefined {
  return verdictsByWord.find(
    (entry) => words.some((word) => entry.words.test(word)) || entry.text?.test(message),
  )?.verdict;
}

/** The status that a provider's word stands for, where an error comes without one. */
const statusesByWord: ReadonlyMap<string, number> = new Map([
  ['failed_precondition', 400],
  ['parameter_unknown', 400],
  ['out_of_range', 400],
  ['permission_denied', 403],
  ['not_found', 404],
  ['already_exists', 409],
  ['aborted', 409],
  ['cancelled', 499],
]);

function verdictOfInnerCode(report: ErrorReport): Verdict {
  const { words } = report;
  const told = words
    .map((word) => statusesByWord.get(word.toLowerCase()))
    .find((status) => status !== undefined);
  const code = report.code ?? told ?? 0;
  if (code >= 400 && code < 600) return verdictOfStatus(code, report, 'chat');
  return { kind: words.some((word) => REQUEST_AT_FAULT.test(word)) ? 'invalid-parameters' : 'server' };
}

function verdictOfStatus(status: number, report: ErrorReport, group: RouteGroup): Verdict {
  switch (status) {
    case 401:
    case 403:
      return { kind: 'authentication' };
    case 407:
      return { kind: 'authentication', reason: 'proxy' };
    case 402:
      return { kind: 'quota' };
    case 404:
    case 405:
    case 410:
      return missing(status, report, group);
    case 408:
    case 424:
    case 425:
    case 499:
      return { kind: 'server' };
    case 413:
      return { kind: 'invalid-parameters', reason: 'too-large' };
    case 429:
      return { kind: 'rate-limited' };
    default:
      return { kind: status >= 400 && status < 500 ? 'invalid-parameters' : 'server' };
  }
}

/** No model list, or a web page where an answer belongs: nothing of a gateway lives at this address. */
function missing(status: number, { html }: ErrorReport, group: RouteGroup): Verdict {
  if (html || group === 'models') return { kind: 'unreachable', reason: 'not-a-gateway' };
  if (status === 405 || group === 'tasks' || group === 'stored-responses')
    return { kind: 'invalid-parameters' };
  return { kind: 'model-unavailable' };
}

function redirected({ status, headers, body, url }: FailedReply): Diagnosis {
  const location = Array.isArray(headers.location) ? headers.location[0] : headers.location;
  const target =
    location && URL.canParse(location, url.href) ? new URL(location, url).origin : 'an unnamed address';
  return {
    kind: 'unreachable',
    reason: 'redirect',
    message: `The address redirects to ${target} (HTTP ${status}), where nothing was sent: check the base URL.`,
    status,
    body,
  };
}

const explanations: Record<Verdict['kind'], readonly [cause: string, nextStep: string]> = {
  unreachable: ['There is no gateway at this address', 'check the base URL'],
  authentication: ['The gateway refused the credential', 'check it, or enter it again'],
  'model-unavailable': ['This account cannot use the model', 'choose another one from the model list'],
  'invalid-parameters': ['The gateway refused the request', 'change what it objects to and send it again'],
  'rate-limited': ['The gateway asks to slow down', 'try again later'],
  quota: ['The account has no quota or balance left', 'top it up, or use another one'],
  server: ['The gateway or the provider behind it failed', 'try again'],
};

const finerExplanations: Partial<Record<FailureReason, readonly [cause: string, nextStep: string]>> = {
  proxy: ['The proxy in between wants credentials of its own', 'sign in to the proxy'],
  'content-filter': ["The provider's content filter refused the request", 'rephrase it'],
  'too-large': ['The request is larger than the gateway accepts', 'shorten it'],
};

function explain({ kind, reason }: Verdict, status: number | undefined, waitMs: number | undefined): string {
  const [cause, nextStep] = (reason && finerExplanations[reason]) ?? explanations[kind];
  const where = status === undefined ? '' : ` (HTTP ${status})`;
  const step = waitMs && kind === 'rate-limited' ? `try again in ${Math.ceil(waitMs / 1000)} s` : nextStep;
  return `${cause}${where}: ${step}.`;
}

/** A web page under a good status: a captive portal, a login page, or simply the wrong address. */
export function webPage(body: string): Diagnosis {
  return {
    kind: 'unreachable',
    reason: 'not-a-gateway',
    message:
      'The address answered with a web page instead of a reply: check the base URL, or sign in to the network.',
    body,
  };
}

export function emptyReply(): Diagnosis {
  return {
    kind: 'malformed-reply',
    reason: 'empty-reply',
    message: 'The gateway sent an empty reply: try again, or check the base URL.',
  };
}

/** @param trouble what does not hold, without any of the reply's own text */
export function malformedReply(trouble: string): Diagnosis {
  return {
    kind: 'malformed-reply',
    message: `The reply is not one of the known shapes (${trouble}): check the base URL, or try again.`,
  };
}

export function tooLargeReply(what: string): Diagnosis {
  return {
    kind: 'malformed-reply',
    reason: 'too-large',
    message: `${what}; reading stopped there.`,
  };
}

/** The bytes ended before the shape's own end mark. */
export function cutReply(): Diagnosis {
  return {
    kind: 'server',
    reason: 'cut',
    message:
      'The gateway ended the reply before it was finished: what came so far is kept, ask again for the rest.',
  };
}

export function cancelled(): Diagnosis {
  return { kind: 'cancelled', message: 'The call was cancelled.' };
}

/** The request broke the rules of HTTP before anything left. */
export function unsendable(cause: unknown): Diagnosis {
  return { kind: 'invalid-parameters', message: 'The request holds what cannot be sent over HTTP.', cause };
}
