/**
 * The progress of a running task. Pages and the host both derive the percentage, because an estimate grows with
 * time.
 */
export type TaskProgress =
  /** Reported by the gateway. */
  | {
      readonly kind: 'reported';
      /** 0 to 100. */
      readonly percent: number;
      /** The gateway's earlier report, if it was higher. */
      readonly previousPercent?: number;
    }
  /** An estimate from the user's earlier tasks. Times are in milliseconds. */
  | { readonly kind: 'estimated'; readonly startedAt: number; readonly typicalMs: number };

/** Half of all tasks take longer than the typical time, but hardly any task takes longer than this multiple of it. */
const longRunFactor = 1.25;

/** The progress in percent at a time; undefined if the task takes longer than estimated. */
export function computePercent(progress: TaskProgress, now: number): number | undefined {
  if (progress.kind === 'reported') return progress.percent;
  const share = Math.max(0, now - progress.startedAt) / (progress.typicalMs * longRunFactor);
  return share < 1 ? share * 100 : undefined;
}

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
