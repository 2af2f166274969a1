import { roundTime } from '../../base/roughDuration.ts';
import { percentAt, type TaskProgress } from '../../base/taskProgress.ts';
import { t } from './l10n.ts';
import { inUnit } from './timeWords.ts';

/** The progress as text, such as "60 %", "about 60 %" for an estimate, or "longer than usual (about 2 min)". */
export function progressText(progress: TaskProgress, now: number): string {
  const percent = percentAt(progress, now);
  if (progress.kind === 'estimated')
    return percent === undefined
      ? t('longer than usual (about {0})', roughDurationText(progress.typicalMs))
      : t('about {0}', percentText(percent));
  const { previousPercent } = progress;
  return previousPercent === undefined
    ? percentText(progress.percent)
    : t('{0} (was {1})', percentText(progress.percent), percentText(previousPercent));
}

function roughDurationText(ms: number): string {
  const [count, unit] = roundTime(ms);
  return inUnit(count, unit);
}

/** Where the figure of `progressText` comes from, as text. */
export function progressSource(progress: TaskProgress, now: number): string {
  if (progress.kind === 'reported') return t('As reported by the gateway.');
  if (percentAt(progress, now) === undefined) return t('Based on your earlier tasks with this model.');
  return t(
    'Estimated from your earlier tasks with this model, which took about {0}.',
    roughDurationText(progress.typicalMs),
  );
}

/** Rounds down: a running task never shows 100 %, unless the gateway reports it. */
function percentText(percent: number): string {
  return t('{0} %', Math.floor(percent));
}
