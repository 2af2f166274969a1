import { computePercent, roundTime, type TaskProgress } from '../../base/taskProgress.ts';
import type { ResultView, TaskTile, TaskView } from '../../protocol/taskPage.ts';
import { t } from './l10n.ts';
import { formatInUnit } from './timeWords.ts';

/** The length of a prompt that is enough to identify it, in UTF-16 units. */
const maxPromptLength = 60;

/** Describes the tasks whose state changed, for screen readers; empty if there are none. */
export function describeTileChanges(before: readonly TaskTile[], after: readonly TaskTile[]): string {
  const appearances = new Map(before.map(({ key, appearance }) => [key, appearance]));
  return after
    .filter(({ key, appearance }) => appearances.has(key) && appearances.get(key) !== appearance)
    .map(({ status, prompt }) => t('{0}: {1}', status, prompt.slice(0, maxPromptLength)))
    .join(t('. '));
}

/**
 * Describes the changes of a task for screen readers: its state, each quarter of its progress, and new results.
 * Empty without changes.
 *
 * @param now in milliseconds since 1970
 */
export function describeTaskChanges(before: TaskView, after: TaskView, now: number): string {
  return [
    describeStatusChange(before, after),
    describeProgress(before, after, now),
    ...listNewResults(before, after),
  ]
    .filter((text) => text !== '')
    .join(t('. '));
}

function describeStatusChange(before: TaskView, after: TaskView): string {
  const { status } = after.tile;
  const title = after.notice?.title;
  return [
    ...(status === before.tile.status ? [] : [status]),
    ...(title === undefined || title === before.notice?.title ? [] : [title]),
  ].join(t('. '));
}

function describeProgress(before: TaskView, after: TaskView, now: number): string {
  const { progress } = after.tile;
  return progress && countQuarters(after, now) > countQuarters(before, now)
    ? formatProgress(progress, now)
    : '';
}

function countQuarters({ tile: { progress } }: TaskView, now: number): number {
  return Math.floor(((progress && computePercent(progress, now)) ?? 0) / 25);
}

function listNewResults(before: TaskView, after: TaskView): readonly string[] {
  return after.results
    .filter((result) => {
      const previous = before.results.find(({ index }) => index === result.index);
      return result.hasFailed
        ? !previous?.hasFailed
        : isAvailable(result) && !(previous && isAvailable(previous));
    })
    .map(({ status }) => status);
}

function isAvailable({ media, text }: ResultView): boolean {
  return media !== undefined || text !== undefined;
}

/**
 * Formats the progress, such as "60 %", "about 60 %" for an estimate, or "longer than usual (about 2 min)".
 *
 * @param now in milliseconds since 1970
 */
export function formatProgress(progress: TaskProgress, now: number): string {
  const percent = computePercent(progress, now);
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

/** Describes the source of the progress that `formatProgress` returns. */
export function describeProgressSource(progress: TaskProgress, now: number): string {
  if (progress.kind === 'reported') return t('As reported by the gateway.');
  if (computePercent(progress, now) === undefined) return t('Based on your earlier tasks with this model.');
  return t(
    'Estimated from your earlier tasks with this model, which took about {0}.',
    formatRoughDuration(progress.typicalMs),
  );
}

/** Rounds down: a running task never shows 100 %, unless the gateway reports it. */
function formatPercent(percent: number): string {
  return t('{0} %', Math.floor(percent));
}
