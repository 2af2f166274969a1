import { isObject, type JsonObject, nonEmptyString, parseJson, scalarText } from '../../../base/json.ts';
import { findValue, listMembers, splitMemberName } from './memberNames.ts';
import type { TaskResult, TaskSnapshot } from './snapshot.ts';

type TaskTimes = Pick<TaskSnapshot, 'createdAt' | 'updatedAt' | 'finishedAt' | 'expiresAt'>;

/** Members with the time at which a result or a record expires. */
export const expiryKeys = [
  'expires_at',
  'expire_at',
  'expiresAt',
  'expireAt',
  'expire_time',
  'expireTime',
  'expires_time',
  'expiresTime',
  'expiration_time',
  'expirationTime',
  'expiration',
  'expirationDate',
  'expiration_date',
  'url_expires_at',
  'urlExpiresAt',
  'expired_at',
  'expiredAt',
  'expires_on',
  'expiresOn',
  'expiry',
  'expires',
  'valid_until',
  'validUntil',
  'download_expires_at',
  'video_expires_at',
  'url_expire_time',
];

const timeKeys: Record<keyof TaskTimes, readonly string[]> = {
  createdAt: [
    'created_at',
    'created',
    'createdAt',
    'create_time',
    'createTime',
    'submit_time',
    'submitTime',
    'gmt_create',
    'created_time',
    'createdTime',
    'submitted_at',
    'submittedAt',
  ],
  updatedAt: ['updated_at', 'updated', 'updatedAt', 'update_time', 'updateTime', 'updated_time'],
  finishedAt: [
    'completed_at',
    'completed',
    'completedAt',
    'finish_time',
    'finishTime',
    'finished_at',
    'finishedAt',
    'end_time',
    'endTime',
    'ended_at',
    'endedAt',
    'done_at',
    'doneAt',
    'completeTime',
    'complete_time',
    'completed_time',
    'completedTime',
    'completion_time',
    'completionTime',
    'finished_time',
    'succeeded_at',
  ],
  expiresAt: expiryKeys,
};

/** The times of a record and of its results. */
export function readTaskTimes(objects: readonly JsonObject[], results: readonly TaskResult[]): TaskTimes {
  const metadataObjects = objects.flatMap(({ meta, metadata }) => [meta, metadata]).filter(isObject);
  const dates = Object.entries(timeKeys).map(([name, names]) => {
    const read = names === expiryKeys ? readExpiry : readDate;
    const sources = [...objects, ...metadataObjects];
    return [
      name,
      findValue(sources, names, read) ?? findTimeByWords(sources, name as keyof TaskTimes, read),
    ] as const;
  });
  const expiries = [
    ...results.map(({ expiresAt }) => expiresAt),
    ...dates.filter(([name]) => name === 'expiresAt').map(([, date]) => date),
  ].filter((date) => date !== undefined);
  const [first] = expiries.toSorted((one, other) => one.getTime() - other.getTime());
  const times = Object.fromEntries(dates.filter(([, date]) => date !== undefined));
  return { ...times, ...(first && { expiresAt: first }) };
}

/** Words in the names of other members with a time, such as `failed_at` and `FileExpireTime`. */
const timeWords: Record<keyof TaskTimes, RegExp> = {
  createdAt: /^(created?|creation|submit(ted)?)$/,
  updatedAt: /^(updated?|modified|modify)$/,
  finishedAt: /^(complet(ed?|ion)|finish(ed)?|ended|done|succeeded|failed|cancell?ed)$/,
  expiresAt: /^(expir(es?|ed|y|ation)|valid|available|retained|retention)$/,
};

/** Words in the names of times that describe something else, or are only expected. */
const unrelatedWords =
  /^(estimated|expected|eta|est|max|token|session|key|subscription|credential|upload|execution|step|file|last)$/;

/** The first time in a member whose name has the words for this time. */
function findTimeByWords(
  objects: readonly JsonObject[],
  name: keyof TaskTimes,
  read: (value: unknown) => Date | undefined,
): Date | undefined {
  for (const [key, value] of objects.flatMap(listMembers)) {
    const words = splitMemberName(key);
    if (!/^(at|time|date|on|until|timestamp)$/.test(words.at(-1) ?? '')) continue;
    const isUnrelated = words.some(
      (word) => unrelatedWords.test(word) && !(name === 'expiresAt' && word === 'file'),
    );
    const date = !isUnrelated && words.some((word) => timeWords[name].test(word)) ? read(value) : undefined;
    if (date) return date;
  }
  return undefined;
}

/** Reads an expiry time. A number of seconds from now is not accepted. */
export function readExpiry(value: unknown): Date | undefined {
  const date = readDate(value);
  return date && date.getTime() > minExpiry && date.getTime() < maxExpiry ? date : undefined;
}

const minExpiry = Date.UTC(2015, 0);
const maxExpiry = Date.UTC(2200, 0);

/** Smaller numbers are in the next larger unit: as seconds, 1e11 would be the year 5138. */
const minMilliseconds = 1e11;
const minMicroseconds = 1e14;
const minNanoseconds = 1e17;

/**
 * Reads a time in any unit and notation of the known records. 0 and "" mean that there is no time yet. Without a
 * zone, `2025-09-25 11:07:28` and `20250925110728` are China time, as their vendors document.
 */
function readDate(value: unknown): Date | undefined {
  if (typeof value === 'number') return readNumberDate(value);
  if (isObject(value)) return readObjectDate(value);
  const text = nonEmptyString(value)?.trim();
  if (text === undefined || text.length > 64) return undefined;
  if (/^\d+(\.\d+)?$/.test(text)) return readNumberDate(Number(text));
  // The date format of mail, with a time zone.
  if (/^([a-z]{3}, )?\d{1,2} [a-z]{3} \d{4} \d\d:\d\d(:\d\d)? (gmt|utc|z|[+-]\d{4})$/i.test(text))
    return toValidDate(Date.parse(text));
  return readIsoDate(text.replace(/^(\d{4})\/(\d\d)\/(\d\d)/, '$1-$2-$3'));
}

function readNumberDate(value: number): Date | undefined {
  const compact = /^(20\d\d)([01]\d)([0-3]\d)([0-2]\d)([0-5]\d)([0-5]\d)$/.exec(String(value));
  if (compact) {
    const [, year, month, day, hour, minute, second] = compact;
    return readIsoDate(`${year}-${month}-${day} ${hour}:${minute}:${second}`);
  }
  if (value < minMilliseconds) return toValidDate(value * 1000);
  if (value < minMicroseconds) return toValidDate(value);
  return toValidDate(Math.floor(value < minNanoseconds ? value / 1e3 : value / 1e6));
}

/** Protocol buffers, Firestore and MongoDB write times as objects. */
function readObjectDate({
  seconds,
  nanos,
  _seconds,
  _nanoseconds,
  $date,
}: Readonly<Record<string, unknown>>) {
  if ($date !== undefined) return isObject($date) ? undefined : readDate($date);
  const wholeSeconds = Number(scalarText(seconds ?? _seconds) || Number.NaN);
  const fraction = Number(scalarText(nanos ?? _nanoseconds));
  return Number.isFinite(wholeSeconds) && Number.isFinite(fraction) && wholeSeconds < minMilliseconds
    ? toValidDate(wholeSeconds * 1000 + fraction / 1e6)
    : undefined;
}

function readIsoDate(text: string): Date | undefined {
  const [, date, time, zone = ''] =
    /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d(?:[.,]\d{1,12})?)?) ?(z|utc|gmt|[+-]\d\d(?::?\d\d)?)?)?$/i.exec(
      text.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, '$1-$2-$3T$4:$5:$6Z'),
    ) ?? [];
  if (date === undefined || time === undefined)
    return date === undefined ? undefined : toValidDate(Date.parse(date));
  const offset = text.includes(' ') && zone === '' ? '+08:00' : normalizeZone(zone);
  return toValidDate(Date.parse(`${date}T${time.replace(',', '.')}${offset}`));
}

function normalizeZone(zone: string): string {
  const [, sign, hours, minutes = '00'] = /^([+-])(\d\d):?(\d\d)?$/.exec(zone) ?? [];
  return sign === undefined ? 'Z' : `${sign}${hours}:${minutes}`;
}

function toValidDate(milliseconds: number): Date | undefined {
  const date = new Date(milliseconds);
  return milliseconds > 0 && Number.isFinite(date.getTime()) ? date : undefined;
}

/** Longer values of a query are ignored. */
const maxValueLength = 8_192;

/** The time at which a signed address expires, if its query contains the time, as in object stores and CDNs. */
export function readSignatureExpiry(url: string): Date | undefined {
  if (!/^https?:/i.test(url) || !URL.canParse(url)) return undefined;
  const query = new Map<string, string>();
  for (const [name, value] of new URL(url).searchParams)
    if (value.length <= maxValueLength) query.set(name.toLowerCase(), value);
  return readers.map((read) => read(query)).find((date) => date !== undefined);
}

type Query = ReadonlyMap<string, string>;

const readers: readonly ((query: Query) => Date | undefined)[] = [
  // S3, GCS, TOS and OSS in their fourth version
  (query) => {
    const vendor = ['amz', 'goog', 'tos', 'oss', 'obs', 'cos', 'bz'].find((each) =>
      query.has(`x-${each}-date`),
    );
    const seconds = Number(query.get(`x-${vendor}-expires`) || Number.NaN);
    return vendor === undefined ? undefined : addSeconds(query.get(`x-${vendor}-date`) ?? '', seconds);
  },
  // S3, GCS, OSS, OBS, CloudFront and others in earlier versions
  (query) => {
    const expiry = [...query].find(([name, value]) => expiryName.test(name) && readExpiry(value));
    return expiry && readExpiry(expiry[1]);
  },
  // Azure
  (query) => (query.has('sig') ? readExpiry(query.get('se')) : undefined),
  // COS
  (query) => readExpiry(query.get('q-sign-time')?.split(';')[1]),
  // BOS: bce-auth-v1/key/date/seconds/…
  (query) => {
    const [kind, , date = '', seconds] = (query.get('authorization') ?? '').split('/');
    return kind === 'bce-auth-v1' ? addSeconds(date, Number(seconds)) : undefined;
  },
  // CloudFront with a policy
  (query) => {
    const text = query.get('policy')?.replaceAll('-', '+').replaceAll('_', '=').replaceAll('~', '/');
    return readExpiry(/"AWS:EpochTime"\s*:\s*(\d{1,12})/.exec(decodeBase64(text))?.[1]);
  },
  // The CDNs of Alibaba, Akamai, Qiniu and Discord
  (query) => readExpiry(/^(\d{10})-/.exec(query.get('auth_key') ?? '')?.[1]),
  (query) => readExpiry(/\bexp=(\d{10})\b/.exec(query.get('hdnts') ?? query.get('hdnea') ?? '')?.[1]),
  (query) => (query.has('token') ? readExpiry(/^\d{10}$/.exec(query.get('e') ?? '')?.[0]) : undefined),
  (query) => (query.has('hm') ? readExpiry(Number.parseInt(query.get('ex') ?? '', 16)) : undefined),
  // Tencent's CDN
  (query) => (query.has('txsecret') ? readExpiry(Number.parseInt(query.get('txtime') ?? '', 16)) : undefined),
  // A JSON Web Token, as in addresses of Supabase and Runway
  (query) => [...query.values()].map(readTokenExpiry).find((date) => date !== undefined),
];

/** Names such as `Expires`, `x-expires`, `expire` and `expires_at`. */
const expiryName = /^(?:x[-_])?(?:exp|expires?|expiry|expiration)(?:[-_]?(?:at|on|time))?$/;

function readTokenExpiry(token: string): Date | undefined {
  const [, body] = /^eyJ[\w-]+\.([\w-]+)\.[\w-]*$/.exec(token) ?? [];
  const claims = parseJson(decodeBase64(body?.replaceAll('-', '+').replaceAll('_', '/')));
  return isObject(claims) ? readExpiry(claims.exp) : undefined;
}

/** The text of base64; empty if it is not base64. */
function decodeBase64(base64 = ''): string {
  try {
    return atob(base64);
  } catch {
    return '';
  }
}

/** @param date such as `20251231T235959Z` or `2025-12-31T23:59:59Z` */
function addSeconds(date: string, seconds: number): Date | undefined {
  const isoDate = date.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, '$1-$2-$3T$4:$5:$6Z');
  return readExpiry(Date.parse(isoDate) + seconds * 1000);
}
