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
