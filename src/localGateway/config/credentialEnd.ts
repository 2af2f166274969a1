/**
 * When a credential ends, in milliseconds since 1970. A date alone includes that day.
 *
 * @returns undefined for a text that is neither a date nor a time with a time zone
 */
export function credentialEnd(expires: string): number | undefined {
  const day = /^\d{4}-\d\d-\d\d$/.test(expires);
  if (!day && !/^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?(?:Z|[+-]\d\d:\d\d)$/.test(expires))
    return undefined;
  // Date.parse accepts 30 February and returns a day in March.
  const [date = ''] = expires.split('T');
  const midnight = Date.parse(`${date}T00:00:00Z`);
  const isDay = !Number.isNaN(midnight) && new Date(midnight).toISOString().startsWith(date);
  const end = day ? midnight + 24 * 60 * 60_000 : Date.parse(expires);
  return isDay && !Number.isNaN(end) ? end : undefined;
}
