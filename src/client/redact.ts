const HIDDEN = '[redacted]';

/** The shortest piece of a secret that is hidden wherever it stands. */
const SLICE_LENGTH = 12;

/** `api-key: x`, `"access_token":"x"`, `sig=x`: the name, and then a value that is not hidden yet. */
const NAMED_SECRET =
  /((?:(?<![a-z])(?:api|access|auth|secret)?[_-]?key|token|secret|password|signature|(?<![a-z])sig)["']?\s{0,3}[=:]\s{0,3}["']?)(?!\[redacted)[^\s"'&,;}]{4,}/gi;

/** Every repetition is bounded or eats what it passes, so that hostile text costs no more than its length. */
const patterns: readonly [RegExp, string | ((match: string) => string)][] = [
  // https://user:password@host
  [/\b([a-z][a-z0-9+.-]{0,20}:\/\/)[^\s/@"'<>]{1,256}@/gi, `$1${HIDDEN}@`],
  // The query of a signed URL opens what it points to.
  [/\bhttps?:\/\/[^\s"'<>?]+\?[^\s"'<>]+/gi, (url) => (SIGNED.test(url) ? unsigned(url) : url)],
  [/\b(bearer|basic)(\s+)[^\s"',;]{4,}/gi, `$1$2${HIDDEN}`],
  [/\bsk-[\w-]{6,}/g, `sk-${HIDDEN}`],
  [NAMED_SECRET, `$1${HIDDEN}`],
];

const SIGNED = /[?&](x-amz-|x-goog-|x-oss-|signature=|sig=|ossaccesskeyid=|awsaccesskeyid=|policy=)/i;

/**
 * Hides what must not be read in a log or a message: each of `secrets` and every piece of one that is 12
 * characters or longer, and whatever looks like a credential or a signed address.
 */
export function redact(text: string, secrets: readonly string[]): string {
  const known = secrets.reduce((rest, secret) => hideSecret(rest, secret), text);
  return patterns.reduce((rest, [pattern, cover]) => replace(rest, pattern, cover), known);
}

function replace(text: string, pattern: RegExp, cover: string | ((match: string) => string)): string {
  return typeof cover === 'string' ? text.replace(pattern, cover) : text.replace(pattern, cover);
}

function unsigned(url: string): string {
  return `${url.slice(0, url.indexOf('?'))}?${HIDDEN}`;
}

function hideSecret(text: string, secret: string): string {
  if (secret === '') return text;
  if (secret.length < SLICE_LENGTH) return text.replaceAll(secret, HIDDEN);
  const slices = new Set<string>();
  for (let at = 0; at + SLICE_LENGTH <= secret.length; at++) slices.add(secret.slice(at, at + SLICE_LENGTH));
  return hideSlices(text, slices);
}

/** Covers each longest run of characters that only slices of the secret make up. */
function hideSlices(text: string, slices: ReadonlySet<string>): string {
  let hidden = '';
  let copied = 0;
  for (let at = 0; at + SLICE_LENGTH <= text.length; at++) {
    if (!slices.has(text.slice(at, at + SLICE_LENGTH))) continue;
    let last = at;
    while (slices.has(text.slice(last + 1, last + 1 + SLICE_LENGTH))) last++;
    hidden += text.slice(copied, at) + HIDDEN;
    copied = last + SLICE_LENGTH;
    at = copied - 1;
  }
  return hidden + text.slice(copied);
}
