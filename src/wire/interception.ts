import type { ErrorReport } from './errorBody.ts';
import type { FailureClass } from './errorWords.ts';
import type { ReplyHeaders } from './retryHint.ts';

type InterceptionReason = 'challenge' | 'blocked' | 'region';

/** What stands between a client and its gateway says by a header that it did not let a request through. */
const challengeHeaders: Readonly<Record<string, RegExp>> = {
  // Cloudflare: developers.cloudflare.com/cloudflare-challenges/challenge-types/challenge-pages/detect-response/
  'cf-mitigated': /^challenge$/i,
  // Vercel's firewall
  'x-vercel-mitigated': /^challenge$/i,
  // AWS WAF, which answers 202 to a challenge and 405 to a captcha
  'x-amzn-waf-action': /^(?:challenge|captcha)$/i,
};

const blockHeaders: Readonly<Record<string, RegExp>> = {
  'x-vercel-mitigated': /^deny$/i,
  'x-squid-error': /^ERR_(?:ACCESS_DENIED|\w*_IS_FORBIDDEN|TOO_BIG)\b/i,
};

/** Cloudflare's codes for its own refusals, in the words that it sends to programs and in the titles of its pages. */
const edgeCode = /\berror(?: code)?:? (1\d{3})\b/i;
const edgeReasons: ReadonlyMap<string, InterceptionReason> = new Map<string, InterceptionReason>([
  ['1009', 'region'],
  ...['1005', '1006', '1007', '1008', '1010', '1012', '1020', '1034', '1106'].map(
    (code) => [code, 'blocked'] as const,
  ),
]);

const regionPage = /\b(?:from )?your country\b|\bcountry or region banned\b/i;

/**
 * The failure for a reply that came from something in front of the gateway: a challenge for browsers, a firewall, or a
 * proxy. It says nothing about the credential, though its status may be that of a refused one.
 */
export function interception(
  status: number,
  headers: ReplyHeaders,
  body: string,
  report: ErrorReport,
): FailureClass | undefined {
  const reason = reasonOf(status, headers, body, report);
  return reason && { kind: 'unreachable', reason };
}

function reasonOf(
  status: number,
  headers: ReplyHeaders,
  body: string,
  { html, message = '' }: ErrorReport,
): InterceptionReason | undefined {
  if (tells(headers, challengeHeaders)) return 'challenge';
  if (tells(headers, blockHeaders)) return 'blocked';
  if (status !== 403 && status !== 409) return undefined;
  const isEdges = html || /^error code: 1\d{3}$/i.test(message);
  const ofEdge = isEdges ? edgeReasons.get(edgeCode.exec(message)?.[1] ?? '') : undefined;
  if (ofEdge || !html || status !== 403) return ofEdge;
  // No gateway answers a program with a page.
  return regionPage.test(body) ? 'region' : 'blocked';
}

/** Whether a reply with a good status is a challenge, and no answer. */
export function isChallenge(headers: ReplyHeaders): boolean {
  return tells(headers, challengeHeaders);
}

function tells(headers: ReplyHeaders, known: Readonly<Record<string, RegExp>>): boolean {
  return Object.entries(known).some(([name, value]) =>
    [headers[name] ?? []].flat().some((told) => value.test(told.trim())),
  );
}

const place = '(?:countr(?:y|ies)|regions?|territor(?:y|ies))';
const denied =
  "(?:(?:\\bnot|n['’]t)(?: \\w{1,20})? (?:supported|allowed|permitted|available|eligible|served)|\\b(?:unsupported|unavailable|blocked|banned|restricted|prohibited))\\b";

const sentences = new RegExp(
  [
    `\\b${place}\\b[^\\n.]{0,40}${denied}`,
    `${denied}[^\\n.]{0,30}\\b(?:in|from|for|to) (?:your|this|the) (?:\\w{1,20} )?(?:${place}|location)\\b`,
    `(?:\\bnot|n['’]t) support (?:your|this) ${place}\\b`,
    '(?:国家|地区|区域)[^\\n]{0,12}(?:不支持|不可用|不允许|受限|限制|禁止|无法使用|未开放)',
  ].join('|'),
  'i',
);

/** Then the place is where a resource of the account lies, and may be wrong in the request. */
const otherMatters =
  /\b(?:keys?|tokens?|credentials?|permissions?|roles?|accounts?|projects?|resources?|buckets?|endpoints?|parameters?|subscriptions?)\b|密钥|权限|令牌/i;

/** Whether the words of a 403 are about the place that the request came from, and about nothing else. */
export function refusesRegion(message: string): boolean {
  return sentences.test(message) && !otherMatters.test(message);
}
