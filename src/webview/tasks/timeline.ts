import { html, nothing, type TemplateResult } from 'lit';
import type { TimelineEntry } from '../../protocol/taskPage.ts';
import { appearanceIcon, isUnderway } from '../parts/appearanceIcon.ts';
import { t } from '../words/l10n.ts';
import { dayOf, duration, timeOfDay } from '../words/times.ts';

/** The most steps that fit beside each other. */
const maxShortSteps = 5;

/** The statuses of a task: beside each other if they fit, else below each other. */
export function timelineView(entries: readonly TimelineEntry[]): TemplateResult | typeof nothing {
  if (entries.length === 0) return nothing;
  const steps = stepsOf(entries, Date.now());
  return html`
    <section aria-labelledby="timeline">
      <h2 id="timeline">${t('Timeline')}</h2>
      <ol class="timeline ${steps.length <= maxShortSteps ? 'short' : ''}">
        ${steps.map((step, index) => stepView(step, index === steps.length - 1))}
      </ol>
    </section>
  `;
}

const passed = html`<span class="codicon codicon-circle-small-filled appearance-passed" aria-hidden="true"></span>`;

function stepView({ entry, time, day, lasted }: Step, isLast: boolean): TemplateResult {
  return html`
    <li class="step">
      ${isUnderway(entry.appearance) && !isLast ? passed : appearanceIcon(entry.appearance)}
      <span class="step-label" title=${entry.providersWords ?? nothing}>${entry.label}</span>
      <span class="step-time">${day === undefined ? nothing : html`<span class="step-day">${day}</span> `}${time}</span>
      ${lasted === undefined ? nothing : html`<span class="step-lasted" title=${t('How long it lasted')}>${lasted}</span>`}
    </li>
  `;
}

/** A step of the timeline: one status of a task. */
interface Step {
  readonly entry: TimelineEntry;
  readonly time: string;
  /** The day, if it differs from that of the step before; for the first step, if it is not today. */
  readonly day?: string;
  /** How long the task had this status; absent for the last one, and when the clock went backwards. */
  readonly lasted?: string;
}

/** Returns the steps in the order in which the statuses were recorded, whatever the clock said. */
export function stepsOf(entries: readonly TimelineEntry[], now: number): readonly Step[] {
  return entries.map((entry, index) => {
    const before = entries[index - 1]?.at ?? now;
    const after = entries[index + 1]?.at;
    return {
      entry,
      time: timeOfDay(entry.at),
      ...(dayOf(entry.at) === dayOf(before) ? {} : { day: dayOf(entry.at) }),
      ...(after === undefined || after < entry.at ? {} : { lasted: duration(after - entry.at) }),
    };
  });
}
