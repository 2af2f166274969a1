import { roughTime } from '../../base/roughDuration.ts';
import { percentAt, type TaskProgress } from '../../base/taskProgress.ts';
import { t } from './l10n.ts';
import { inUnit } from './times.ts';

/** Such as "60 %", "about 60 %" where it is an estimate, or "longer than usual (about 2 min)". */
export function progressText(progress: TaskProgress, now: number): string {
  const percent = percentAt(progress, now);
  if (progress.kind === 'estimated')
    return percent === undefined
      ? t('longer than usual (about {0})', roughly(progress.typicalMs))
      : t('about {0}', figure(percent));
  const { backFrom } = progress;
  return backFrom === undefined
    ? figure(progress.percent)
    : t('{0} (was {1})', figure(progress.percent), figure(backFrom));
}

function roughly(ms: number): string {
  const [count, unit] = roughTime(ms);
  return inUnit(count, unit);
}

/** Whose figure it is. */
export function progressSource(progress: TaskProgress, now: number): string {
  if (progress.kind === 'told') return t('As reported by the gateway.');
  if (percentAt(progress, now) === undefined) return t('By your earlier tasks with this model.');
  return t(
    'Estimated by your earlier tasks with this model, which took about {0}.',
    roughly(progress.typicalMs),
  );
}

/** Rounds down: 100 % is said of nothing that still runs, unless the gateway says so. */
function figure(percent: number): string {
  return t('{0} %', Math.floor(percent));
}
