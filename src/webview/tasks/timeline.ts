import { html, nothing, type TemplateResult } from 'lit';
import type { TimelineEntry } from '../../protocol/taskPage.ts';
import { appearanceIcon, isUnderway } from '../parts/appearanceIcon.ts';
import { t } from '../words/l10n.ts';
import { type Step, stepsOf } from './timelineSteps.ts';

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
