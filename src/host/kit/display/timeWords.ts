import * as vscode from 'vscode';

/** A short time: the time of day, or the day unless it is today; from milliseconds since 1970. */
export function shortTime(ms: number): string {
  const [time, now] = [new Date(ms), new Date()];
  const { language } = vscode.env;
  if (time.toDateString() === now.toDateString())
    return time.toLocaleTimeString(language, { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' });
  const year = time.getFullYear() === now.getFullYear() ? undefined : 'numeric';
  return time.toLocaleDateString(language, { day: 'numeric', month: 'short', year });
}

/** A duration, such as "38 ms" or "1.25 s". */
export function duration(ms: number): string {
  const [unit, value] = ms < 1000 ? ['millisecond', Math.round(ms)] : ['second', ms / 1000];
  const maximumFractionDigits = value < 10 ? 2 : 1;
  return new Intl.NumberFormat(vscode.env.language, {
    style: 'unit',
    unit: String(unit),
    maximumFractionDigits,
  }).format(Number(value));
}
