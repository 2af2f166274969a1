const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;

/** A rough duration, such as "45 s", "2 min" or "1.5 h"; from milliseconds. */
export function formatRoughDuration(ms: number): string {
  return roundTime(ms).join(' ');
}

/** The number and the unit of a rough duration; from milliseconds. */
export function roundTime(ms: number): readonly [count: number, unit: 's' | 'min' | 'h'] {
  if (ms < 10 * second) return [Math.max(1, Math.round(ms / second)), 's'];
  if (ms < 57.5 * second) return [5 * Math.round(ms / (5 * second)), 's'];
  if (ms < 59.5 * minute) return [Math.round(ms / minute), 'min'];
  return [Math.round((2 * ms) / hour) / 2, 'h'];
}
