/** The date in the time zone of this machine, such as 2030-01-31. */
export function formatLocalDate(date: Date): string {
  const parts = [date.getFullYear(), date.getMonth() + 1, date.getDate()];
  return parts.map((part, nth) => String(part).padStart(nth === 0 ? 4 : 2, '0')).join('-');
}
