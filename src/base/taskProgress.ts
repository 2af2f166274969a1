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

/** Half of all tasks take longer than the typical time, but hardly any takes longer by this factor. */
const longRunFactor = 1.25;

/** The progress in percent at a time; undefined for an estimate that was exceeded. */
export function percentAt(progress: TaskProgress, now: number): number | undefined {
  if (progress.kind === 'reported') return progress.percent;
  const share = Math.max(0, now - progress.startedAt) / (progress.typicalMs * longRunFactor);
  return share < 1 ? share * 100 : undefined;
}
