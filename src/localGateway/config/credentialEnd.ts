/**
 * Reads when a credential expires, in milliseconds since 1970. A date without a time includes that day in UTC.
 *
 * @returns undefined for a text that is neither a date nor a time with a time zone
 */
export function parseCredentialEnd(expires: string): number | undefined {
  const isDate = /^\d{4}-\d\d-\d\d$/.test(expires);
  if (!isDate && !/^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?(?:Z|[+-]\d\d:\d\d)$/.test(expires))
    return undefined;
  // Date.parse accepts 30 February and returns a day in March.
  const [date = ''] = expires.split('T');
  const midnight = Date.parse(`${date}T00:00:00Z`);
  const isRealDay = !Number.isNaN(midnight) && new Date(midnight).toISOString().startsWith(date);
  const end = isDate ? midnight + 24 * 60 * 60_000 : Date.parse(expires);
  return isRealDay && !Number.isNaN(end) ? end : undefined;
}
