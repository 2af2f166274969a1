import * as vscode from 'vscode';

/** Formats a time in milliseconds since 1970: as the time of day if the day is today, otherwise as the day. */
export function formatShortTime(ms: number): string {
  const [time, now] = [new Date(ms), new Date()];
  const { language } = vscode.env;
  if (time.toDateString() === now.toDateString())
    return time.toLocaleTimeString(language, { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' });
  const year = time.getFullYear() === now.getFullYear() ? undefined : 'numeric';
  return time.toLocaleDateString(language, { day: 'numeric', month: 'short', year });
}

/** Formats a duration, such as "38 ms" or "1.25 s". */
export function formatDuration(ms: number): string {
  const [unit, value] = ms < 1000 ? ['millisecond', Math.round(ms)] : ['second', ms / 1000];
  const maximumFractionDigits = value < 10 ? 2 : 1;
  return new Intl.NumberFormat(vscode.env.language, {
    style: 'unit',
    unit: String(unit),
    maximumFractionDigits,
  }).format(Number(value));
}
