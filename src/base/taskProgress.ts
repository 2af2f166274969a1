/** How far a running task is. Pages and the host both derive the percentage, because an estimate grows with time. */
export type TaskProgress =
  /** What the gateway tells. */
  | {
      readonly kind: 'told';
      /** 0 to 100. */
      readonly percent: number;
      /** What the gateway told before, if that was more. */
      readonly backFrom?: number;
    }
  /** An estimate by the user's earlier tasks. Times are in milliseconds. */
  | { readonly kind: 'estimated'; readonly startedAt: number; readonly typicalMs: number };

/** Half of all tasks take longer than the typical one, and hardly any so much longer. */
const longerThanUsual = 1.25;

/** The progress in percent at a time; undefined for an estimate that ran out. */
export function percentAt(progress: TaskProgress, now: number): number | undefined {
  if (progress.kind === 'told') return progress.percent;
  const share = Math.max(0, now - progress.startedAt) / (progress.typicalMs * longerThanUsual);
  return share < 1 ? share * 100 : undefined;
}
