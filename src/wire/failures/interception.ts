import type { ReplyHeaders } from '../../base/replyHeaders.ts';
import type { ErrorReport } from './errorBody.ts';
import type { FailureClass } from './errorWords.ts';

type InterceptionReason = 'challenge' | 'blocked' | 'region';

/** Headers of a challenge for browsers, by a server in front of the gateway. */
const challengeHeaders: Readonly<Record<string, RegExp>> = {
  // Cloudflare: developers.cloudflare.com/cloudflare-challenges/challenge-types/challenge-pages/detect-response/
  'cf-mitigated': /^challenge$/i,
  // Vercel's firewall
  'x-vercel-mitigated': /^challenge$/i,
  // AWS WAF, which responds with 202 for a challenge and 405 for a captcha
  'x-amzn-waf-action': /^(?:challenge|captcha)$/i,
};

/** Headers that report that a server in front of the gateway blocked a request. */
const blockHeaders: Readonly<Record<string, RegExp>> = {
  'x-vercel-mitigated': /^deny$/i,
  'x-squid-error': /^ERR_(?:ACCESS_DENIED|\w*_IS_FORBIDDEN|TOO_BIG)\b/i,
};

/** Cloudflare's codes for its own refusals, in its texts for programs and in the titles of its pages. */
const edgeCode = /\berror(?: code)?:? (1\d{3})\b/i;
const edgeReasons: ReadonlyMap<string, InterceptionReason> = new Map<string, InterceptionReason>([
  ['1009', 'region'],
  ...['1005', '1006', '1007', '1008', '1010', '1012', '1020', '1034', '1106'].map(
    (code) => [code, 'blocked'] as const,
  ),
]);

const regionPage = /\byour country\b|\bcountry or region banned\b/i;

/**
 * The failure for a reply from a server in front of the gateway: a challenge for browsers, a firewall, or a proxy.
 * The failure does not blame the credential, although the reply may have the status for a refused credential.
 */
export function findInterception(
  status: number,
  headers: ReplyHeaders,
  body: string,
  report: ErrorReport,
): FailureClass | undefined {
  const reason = findReason(status, headers, body, report);
  return reason && { kind: 'unreachable', reason };
}

function findReason(
  status: number,
  headers: ReplyHeaders,
  body: string,
  { isHtml, message = '' }: ErrorReport,
): InterceptionReason | undefined {
  if (matchesHeader(headers, challengeHeaders)) return 'challenge';
  if (matchesHeader(headers, blockHeaders)) return 'blocked';
  if (status !== 403 && status !== 409) return undefined;
  const isEdgeReply = isHtml || /^error code: 1\d{3}$/i.test(message);
  const edgeReason = isEdgeReply ? edgeReasons.get(edgeCode.exec(message)?.[1] ?? '') : undefined;
  if (edgeReason || !isHtml || status !== 403) return edgeReason;
  // Gateways do not send web pages to programs.
  return regionPage.test(body) ? 'region' : 'blocked';
}

/** Whether the headers mark a challenge instead of the gateway's reply, with any status. */
export function isChallenge(headers: ReplyHeaders): boolean {
  return matchesHeader(headers, challengeHeaders);
}

function matchesHeader(headers: ReplyHeaders, patterns: Readonly<Record<string, RegExp>>): boolean {
  return Object.entries(patterns).some(([name, value]) =>
    [headers[name] ?? []].flat().some((text) => value.test(text.trim())),
  );
}

const regionWord = '(?:countr(?:y|ies)|regions?|territor(?:y|ies))';
const denialWords =
  "(?:(?:\\bnot|n['’]t)(?: \\w{1,20})? (?:supported|allowed|permitted|available|eligible|served)|\\b(?:unsupported|unavailable|blocked|banned|restricted|prohibited))\\b";

const regionRefusals = new RegExp(
  [
    `\\b${regionWord}\\b[^\\n.]{0,40}${denialWords}`,
    `${denialWords}[^\\n.]{0,30}\\b(?:in|from|for|to) (?:your|this|the) (?:\\w{1,20} )?(?:${regionWord}|location)\\b`,
    `(?:\\bnot|n['’]t) support (?:your|this) ${regionWord}\\b`,
    '(?:国家|地区|区域)[^\\n]{0,12}(?:不支持|不可用|不允许|受限|限制|禁止|无法使用|未开放)',
  ].join('|'),
  'i',
);

/** A message with these words is about the location of a resource, which the caller may have written wrongly. */
const otherMatters =
  /\b(?:keys?|tokens?|credentials?|permissions?|roles?|accounts?|projects?|resources?|buckets?|endpoints?|parameters?|subscriptions?)\b|密钥|权限|令牌/i;

/** Whether the message of a 403 is only about the location of the request. */
export function refusesRegion(message: string): boolean {
  return regionRefusals.test(message) && !otherMatters.test(message);
}
