import { roundTime } from '../../base/roughDuration.ts';
import { percentAt, type TaskProgress } from '../../base/taskProgress.ts';
import { t } from './l10n.ts';
import { formatInUnit } from './timeWords.ts';

/**
 * Formats the progress, such as "60 %", "about 60 %" for an estimate, or "longer than usual (about 2 min)".
 *
 * @param now in milliseconds since 1970
 */
export function formatProgress(progress: TaskProgress, now: number): string {
  const percent = percentAt(progress, now);
  if (progress.kind === 'estimated')
    return percent === undefined
      ? t('longer than usual (about {0})', formatRoughDuration(progress.typicalMs))
      : t('about {0}', formatPercent(percent));
  const { previousPercent } = progress;
  return previousPercent === undefined
    ? formatPercent(progress.percent)
    : t('{0} (was {1})', formatPercent(progress.percent), formatPercent(previousPercent));
}

function formatRoughDuration(ms: number): string {
  const [count, unit] = roundTime(ms);
  return formatInUnit(count, unit);
}

/** Describes the source of the figure of `formatProgress`. */
export function describeProgressSource(progress: TaskProgress, now: number): string {
  if (progress.kind === 'reported') return t('As reported by the gateway.');
  if (percentAt(progress, now) === undefined) return t('Based on your earlier tasks with this model.');
  return t(
    'Estimated from your earlier tasks with this model, which took about {0}.',
    formatRoughDuration(progress.typicalMs),
  );
}

/** Rounds down: a running task never shows 100 %, unless the gateway reports it. */
function formatPercent(percent: number): string {
  return t('{0} %', Math.floor(percent));
}
