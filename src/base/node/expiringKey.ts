import { isObject, type JsonObject, nonEmptyString, parseJson } from '../json.ts';
import { KeyError } from './keySource.ts';

/** A key that may expire. */
export interface ExpiringKey {
  readonly value: string;
  /** When it expires, in milliseconds since 1970; absent if that is unknown. */
  readonly endsAt?: number;
}

const accountKeyAdvice =
  'contains the key of an account, not a token; use a keyCommand that prints a token, such as "gcloud auth application-default print-access-token"';

/**
 * Reads a key from the output of a command or from a file: alone on one line, or as JSON with `access_token`,
 * `accessToken` or `token`. It expires after `expires_in` seconds, at the time in one of `expiryNames` (a date, or
 * seconds or milliseconds since 1970), or at the `exp` of a JSON web token.
 *
 * @param subject names the text in messages, such as "its keyCommand"
 * @param writtenAt when the text was written, in milliseconds since 1970
 * @throws {KeyError} without any part of the text
 */
export function readExpiringKey(text: string, subject: string, writtenAt: number): ExpiringKey {
  const trimmed = text.trim();
  if (trimmed === '') throw new KeyError(`${subject} is empty`, 'unreadable');
  const json = parseJson(trimmed);
  if (isObject(json)) return readToken(json, subject, writtenAt);
  if (!/^[\x21-\x7e]+$/.test(trimmed) || trimmed.startsWith('{'))
    throw new KeyError(`${subject} is neither a key on one line nor JSON with an access_token`, 'unreadable');
  return withEnd(trimmed, readJwtEnd(trimmed));
}

function readToken(json: JsonObject, subject: string, writtenAt: number): ExpiringKey {
  if (json.private_key !== undefined || json.refresh_token !== undefined)
    throw new KeyError(`${subject} ${accountKeyAdvice}`, 'unreadable');
  // Tools of clouds and of Kubernetes nest the token in another object.
  const candidates = [json, json.credential, json.status].filter(isObject);
  for (const candidate of candidates) {
    const value =
      nonEmptyString(candidate.access_token) ??
      nonEmptyString(candidate.accessToken) ??
      nonEmptyString(candidate.token);
    if (value === undefined) continue;
    return withEnd(value.trim(), readExpiry(candidate, writtenAt) ?? readJwtEnd(value.trim()));
  }
  throw new KeyError(`${subject} is JSON without an access_token`, 'unreadable');
}

function withEnd(value: string, endsAt: number | undefined): ExpiringKey {
  return { value, ...(endsAt !== undefined && { endsAt }) };
}

/** The `exp` of a JSON web token. Its signature is not checked: only the receiver can do that. */
function readJwtEnd(value: string): number | undefined {
  const [, payload] = /^[\w-]+\.([\w-]+)\.[\w-]*$/.exec(value) ?? [];
  const claims = payload === undefined ? undefined : parseJson(Buffer.from(payload, 'base64url').toString());
  return isObject(claims) ? readTime(claims.exp) : undefined;
}

/**
 * The names that gcloud, kubectl, Azure and AWS use. Azure's `expiresOn` is a local time, so `expires_on` has
 * priority.
 */
const expiryNames = [
  'expiry',
  'token_expiry',
  'expires_at',
  'expires_on',
  'expirationTimestamp',
  'expiration',
  'Expiration',
  'expiresOn',
] as const;

function readExpiry(json: JsonObject, writtenAt: number): number | undefined {
  const { expires_in } = json;
  const seconds = typeof expires_in === 'number' ? expires_in : Number(nonEmptyString(expires_in) ?? NaN);
  if (Number.isFinite(seconds)) return checkTime(writtenAt + seconds * 1000);
  return expiryNames.map((name) => readTime(json[name])).find((time) => time !== undefined);
}

/** Larger numbers are milliseconds. As seconds, they would be after the year 5138. */
const maxSeconds = 1e11;

function readTime(value: unknown): number | undefined {
  if (typeof value !== 'number' && typeof value !== 'string') return undefined;
  const number = Number(value);
  const isNumber = value !== '' && Number.isFinite(number);
  const time = isNumber ? number * (number > maxSeconds ? 1 : 1000) : Date.parse(String(value));
  // Programs in Go write the year 1 for a token that does not expire, others 0.
  return time > 0 ? checkTime(time) : undefined;
}

/** The time; undefined if a `Date` cannot represent it. */
function checkTime(time: number): number | undefined {
  return Number.isNaN(new Date(time).getTime()) ? undefined : time;
}
