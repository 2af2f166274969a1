import { isObject, parseJson } from '../../../base/json.ts';
import { readExpiry } from './taskTimes.ts';

/** Longer values of a query are ignored. */
const maxValueLength = 8_192;

/** The time at which a signed address expires, if its query holds the time, as in object stores and CDNs. */
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
  // The CDNs of Alibaba, Akamai and Qiniu, and Discord's
  (query) => readExpiry(/^(\d{10})-/.exec(query.get('auth_key') ?? '')?.[1]),
  (query) => readExpiry(/\bexp=(\d{10})\b/.exec(query.get('hdnts') ?? query.get('hdnea') ?? '')?.[1]),
  (query) => (query.has('token') ? readExpiry(/^\d{10}$/.exec(query.get('e') ?? '')?.[0]) : undefined),
  (query) => (query.has('hm') ? readExpiry(Number.parseInt(query.get('ex') ?? '', 16)) : undefined),
  // Tencent's
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
