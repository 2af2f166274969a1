import { html, nothing, type TemplateResult } from 'lit';
import type { TimelineEntry } from '../../protocol/taskPage.ts';
import { isUnderway, renderAppearanceIcon } from '../parts/appearanceIcon.ts';
import { t } from '../words/l10n.ts';
import { formatDay, formatDuration, formatTimeOfDay } from '../words/timeWords.ts';

/** The maximum number of steps in one row. */
const maxShortSteps = 5;

/** Renders the statuses of a task: in one row if they fit, otherwise below each other. */
export function renderTimeline(entries: readonly TimelineEntry[]): TemplateResult | typeof nothing {
  if (entries.length === 0) return nothing;
  const steps = createSteps(entries, Date.now());
  return html`
    <section aria-labelledby="timeline">
      <h2 id="timeline">${t('Timeline')}</h2>
      <ol class="timeline ${steps.length <= maxShortSteps ? 'short' : ''}">
        ${steps.map((step, index) => renderStep(step, index === steps.length - 1))}
      </ol>
    </section>
  `;
}

const passedIcon = html`<span class="codicon codicon-circle-small-filled appearance-passed" aria-hidden="true"></span>`;

function renderStep({ entry, time, day, duration }: Step, isLast: boolean): TemplateResult {
  return html`
    <li class="step">
      ${isUnderway(entry.appearance) && !isLast ? passedIcon : renderAppearanceIcon(entry.appearance)}
      <span class="step-label" title=${entry.reportedStatuses ?? nothing}>${entry.label}</span>
      <span class="step-time">${day === undefined ? nothing : html`<span class="step-day">${day}</span> `}${time}</span>
      ${duration === undefined ? nothing : html`<span class="step-duration" title=${t('Duration of this step')}>${duration}</span>`}
    </li>
  `;
}

/** A step of the timeline: one status of a task. */
interface Step {
  readonly entry: TimelineEntry;
  readonly time: string;
  /** The day, if it differs from the previous step's day; for the first step, if it is not today. */
  readonly day?: string;
  /** How long the task had this status; absent for the last one, and if the clock was set back. */
  readonly duration?: string;
}

/**
 * Creates the steps, in the order of the entries, regardless of their times.
 *
 * @param now in milliseconds since 1970
 */
export function createSteps(entries: readonly TimelineEntry[], now: number): readonly Step[] {
  return entries.map((entry, index) => {
    const before = entries[index - 1]?.at ?? now;
    const after = entries[index + 1]?.at;
    return {
      entry,
      time: formatTimeOfDay(entry.at),
      ...(formatDay(entry.at) === formatDay(before) ? {} : { day: formatDay(entry.at) }),
      ...(after === undefined || after < entry.at ? {} : { duration: formatDuration(after - entry.at) }),
    };
  });
}
