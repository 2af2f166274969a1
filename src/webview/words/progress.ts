import { roughDuration } from '../../base/roughDuration.ts';
import { percentAt, type TaskProgress } from '../../base/taskProgress.ts';

/** Such as "60 %", "about 60 %" where it is an estimate, or "longer than usual (about 2 min)". */
export function progressText(progress: TaskProgress, now: number): string {
  const percent = percentAt(progress, now);
  if (progress.kind === 'estimated')
    return percent === undefined
      ? `longer than usual (about ${roughDuration(progress.typicalMs)})`
      : `about ${figure(percent)}`;
  const { backFrom } = progress;
  return backFrom === undefined
    ? figure(progress.percent)
    : `${figure(progress.percent)} (was ${figure(backFrom)})`;
}

/** Whose figure it is. */
export function progressSource(progress: TaskProgress, now: number): string {
  if (progress.kind === 'told') return 'As the gateway says.';
  if (percentAt(progress, now) === undefined) return 'By your earlier tasks with this model.';
  return `Estimated by your earlier tasks with this model, which took about ${roughDuration(progress.typicalMs)}.`;
}

/** Rounds down: 100 % is said of nothing that still runs, unless the gateway says so. */
function figure(percent: number): string {
  return `${Math.floor(percent)} %`;
}
