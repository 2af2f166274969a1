import { containsSecret, createSecretForms, type Pieces, redacted, type SecretForms } from './secretForms.ts';
import { hideAcross } from './splitEchoes.ts';
import { createPlainView, type FoldedView, foldView, type TextView, unescapeView } from './textViews.ts';

/** The number of layers of escapes that are decoded. */
const maxEscapes = 3;

/** The forms of a credential consist of thousands of pieces, and most calls hide the same few credentials. */
const maxCachedForms = 16;
const formsBySecret = new Map<string, SecretForms>();

/** `api-key: x`, `"access_token":"x"`, `sig=x`: a name, and a value that is not hidden yet. */
const namedSecret =
  /((?:(?<![a-z])(?:api|access|auth|secret)?[_-]?key|token|secret|password|signature|(?<![a-z])sig)["']?\s{0,3}[=:]\s{0,3}["']?)(?!\[redacted)[^\s"'&,;}]{4,}/gi;

/** Every repetition is bounded or consumes its matches, so that hostile text is processed in linear time. */
const patterns: readonly [RegExp, string | ((match: string) => string)][] = [
  // https://user:password@host, also in JSON text
  [/\b([a-z][a-z0-9+.-]{0,20}:(?:\\?\/){2})[^\s/\\"'<>]+@/gi, `$1${redacted}@`],
  // The query of a signed URL grants access.
  [
    /\bhttps?:(?:\\?\/){2}(?:(?!https?:)[^\s"'<>?]){1,100000}\?[^\s"'<>]+/gi,
    (url) => (signedQuery.test(url) ? dropQuery(url) : url),
  ],
  [/\b(bearer)((?:\s|%20|\+)+)[^\s"',;]+/gi, `$1$2${redacted}`],
  [/\b(basic)((?:\s|%20|\+)+)[^\s"',;]{4,}/gi, `$1$2${redacted}`],
  [/\bsk-[\w-]{6,}/g, `sk-${redacted}`],
  [namedSecret, `$1${redacted}`],
];

/** Parameters of signed addresses of object stores and CDNs with results; `&` may be escaped. */
const signedQuery =
  /(?:[?&;]|u0026|%26)(?:x-(?:amz|goog|oss|tos|cos|obs|bce)-|q-(?:sign|ak|signature)|signature=|sign=|sig=|hdn(?:ea|ts)=|auth_key=|token=|key-pair-id=|\w{0,20}accesskeyid=|policy=)/i;

/**
 * Hides secrets in text for a log or a message: each of `secrets`, every piece of a secret with 8 characters or more
 * in any case and any common encoding, and any text that looks like a credential or a signed address. A shorter
 * secret is hidden if it is a separate word; a secret of one or two letters only after the name of a credential.
 */
export function redact(text: string, secrets: readonly string[]): string {
  const result = secrets.length === 0 ? text : hideSecrets(text, secrets);
  return patterns.reduce((rest, [pattern, cover]) => replace(rest, pattern, cover), result);
}

/** Shorter pieces may be names, which must be preserved in a stored record. */
const minHiddenLength = 16;
/** Longer strings are data, and deeper values are never read. */
const maxTextLength = 64 * 1024;
const maxDepth = 64;

/**
 * Hides each of `secrets` in the strings of a record that will be stored, because gateways repeat the requests they
 * receive. Addresses are not changed, so that results can be downloaded.
 */
export function hideSecretsInRecord(value: unknown, secrets: readonly string[]): unknown {
  const forms = secrets.map(findForms).filter(({ plain }) => !plain.isEmpty);
  const minLength = Math.min(minHiddenLength, ...secrets.map(({ length }) => length));
  return forms.length === 0 ? value : hideInStrings(value, (text) => hidePieces(text, forms, minLength), 0);
}

function hideInStrings(value: unknown, hide: (text: string) => string, depth: number): unknown {
  if (typeof value === 'string') {
    return value.length > maxTextLength || /^https?:\/\//i.test(value) ? value : hide(value);
  }
  if (typeof value !== 'object' || value === null) return value;
  if (depth === maxDepth) return redacted;
  if (Array.isArray(value)) return value.map((each) => hideInStrings(each, hide, depth + 1));
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [name, hideInStrings(each, hide, depth + 1)]),
  );
}

function hideSecrets(text: string, secrets: readonly string[]): string {
  const forms = secrets.filter((secret) => secret !== '').map(findForms);
  const result = hidePieces(
    text,
    forms.filter(({ plain }) => !plain.isEmpty),
  );
  return forms.flatMap(({ short }) => short).reduce(hideShortSecret, result);
}

function findForms(secret: string): SecretForms {
  const forms = formsBySecret.get(secret) ?? createSecretForms(secret);
  formsBySecret.set(secret, forms);
  for (const oldest of formsBySecret.keys())
    if (formsBySecret.size > maxCachedForms) formsBySecret.delete(oldest);
  return forms;
}

/** @param minLength the fewest consecutive characters of a secret that are hidden */
function hidePieces(text: string, forms: readonly SecretForms[], minLength = 0): string {
  if (forms.length === 0) return text;
  const covered = new Uint8Array(text.length);
  let view: TextView | undefined = createPlainView(text);
  for (let depth = 0; view && depth <= maxEscapes; depth++) {
    const [plain, bare] = [foldView(view, false), foldView(view, true)];
    for (const form of forms) {
      coverPieces(plain, form.plain, covered);
      for (const pieces of form.bare) coverPieces(bare, pieces, covered);
    }
    view = unescapeView(view);
  }
  return replaceCovered(text, covered, minLength);
}

/** Marks the source characters of every piece in a view. */
function coverPieces({ codes, starts, ends }: FoldedView, pieces: Pieces, covered: Uint8Array): void {
  let last = 0;
  for (let at = 0; at + pieces.length <= codes.length; at++) {
    if (!pieces.matchesAt(codes, at)) continue;
    const from = Math.max(last, starts[at] ?? 0);
    last = ends[at + pieces.length - 1] ?? from;
    covered.fill(1, from, last);
  }
}

function replaceCovered(text: string, covered: Uint8Array, minLength: number): string {
  let result = '';
  let copiedLength = 0;
  for (let at = covered.indexOf(1); at >= 0; at = covered.indexOf(1, copiedLength)) {
    const zero = covered.indexOf(0, at);
    const end = zero < 0 ? text.length : zero;
    result += text.slice(copiedLength, at) + (end - at < minLength ? text.slice(at, end) : redacted);
    copiedLength = end;
  }
  return result + text.slice(copiedLength);
}

/** Names that precede a credential of a few letters. */
const afterSecretName =
  '(?<=\\b(?:bearer|basic)\\s{1,3}|(?:key|token|secret|credential|password)["\'`]?\\s{0,3}(?:[:=]\\s{0,3}["\'`]?|["\'`]))';
const minAloneLength = 4;

function hideShortSecret(text: string, secret: string): string {
  const first = escapeForPattern(secret.slice(0, 1));
  const where = secret.length < minAloneLength ? afterSecretName : `(?<![a-z\\d${first}])`;
  return text.replaceAll(
    new RegExp(`${where}${escapeForPattern(secret)}(?![a-z\\d${first}])`, 'gi'),
    redacted,
  );
}

function escapeForPattern(text: string): string {
  const code = (character: string) => character.charCodeAt(0).toString(16).padStart(4, '0');
  return text.replaceAll(/[^a-z\d]/gi, (character) => `\\u${code(character)}`);
}

function replace(text: string, pattern: RegExp, cover: string | ((match: string) => string)): string {
  return typeof cover === 'string' ? text.replace(pattern, cover) : text.replace(pattern, cover);
}

function dropQuery(url: string): string {
  return `${url.slice(0, url.indexOf('?'))}?${redacted}`;
}

/** Hides a credential in requests and replies. */
export interface CredentialRedactor {
  /** Hides the credential and other secrets, and text that looks like a credential. */
  hide(text: string): string;
  /** Hides a secret that is split among the events of a stream. */
  hideAcross(events: readonly string[]): readonly string[];
  /** Hides the secrets and leaves all other text unchanged. */
  hideCredential(text: string): string;
}

/** @param secrets if there are none, only text that looks like a credential is hidden */
export function createCredentialRedactor(secrets: readonly string[]): CredentialRedactor {
  const hide = (text: string) => redact(text, secrets);
  return {
    hide,
    hideAcross: (events) => hideAcross(events, secrets),
    hideCredential: (text) => (secrets.some((secret) => containsSecret(text, secret)) ? hide(text) : text),
  };
}
