import { isObject, type JsonObject, nonEmptyString, parseJson } from '../../../base/json.ts';
import { KeyError } from './keySource.ts';

/** A key with a limited life. */
export interface Token {
  readonly value: string;
  /** When it ends, in milliseconds since 1970; absent where that is not told. */
  readonly endsAt?: number;
}

const accountKeyAdvice =
  'holds the key of an account and no token; let a keyCommand print one, such as "gcloud auth application-default print-access-token"';

/**
 * Reads a key as commands print it and programs keep it in files: alone on one line, or as JSON with
 * `access_token`, `accessToken` or `token`, and its end as `expires_in` (seconds), or as `expiry`,
 * `token_expiry`, `expires_at`, `expires_on` or `expirationTimestamp` (a date, or seconds since 1970).
 *
 * @param subject names the text in messages, such as "its keyCommand"
 * @param writtenAt when the text was written, in milliseconds since 1970
 * @throws {KeyError} which quotes nothing of the text
 */
export function readToken(text: string, subject: string, writtenAt: number): Token {
  const trimmed = text.trim();
  if (trimmed === '') throw new KeyError(`${subject} holds nothing`);
  const json = parseJson(trimmed);
  if (isObject(json)) return tokenOf(json, subject, writtenAt);
  if (!/^[\x21-\x7e]+$/.test(trimmed) || trimmed.startsWith('{'))
    throw new KeyError(`${subject} holds more than a key on one line, and no JSON with an access_token`);
  return { value: trimmed };
}

function tokenOf(json: JsonObject, subject: string, writtenAt: number): Token {
  if (json.private_key !== undefined || json.refresh_token !== undefined)
    throw new KeyError(`${subject} ${accountKeyAdvice}`);
  // The tools of clouds and of Kubernetes put it into an object of its own.
  const places = [json, json.credential, json.status].filter(isObject);
  for (const place of places) {
    const value =
      nonEmptyString(place.access_token) ?? nonEmptyString(place.accessToken) ?? nonEmptyString(place.token);
    if (value === undefined) continue;
    const endsAt = endOf(place, writtenAt);
    return { value: value.trim(), ...(endsAt !== undefined && { endsAt }) };
  }
  throw new KeyError(`${subject} holds JSON without an access_token`);
}

function endOf(place: JsonObject, writtenAt: number): number | undefined {
  const seconds = Number(place.expires_in);
  if (place.expires_in !== undefined && Number.isFinite(seconds)) return writtenAt + seconds * 1000;
  const told = [
    place.expiry,
    place.token_expiry,
    place.expires_at,
    place.expires_on,
    place.expirationTimestamp,
  ];
  return told.map(momentOf).find((moment) => moment !== undefined);
}

/** More seconds than until the year 5138 are milliseconds. */
const mostSeconds = 1e11;

function momentOf(told: unknown): number | undefined {
  if (typeof told !== 'number' && typeof told !== 'string') return undefined;
  const number = Number(told);
  if (told !== '' && Number.isFinite(number)) return number > mostSeconds ? number : number * 1000;
  const date = Date.parse(String(told));
  return Number.isNaN(date) ? undefined : date;
}
