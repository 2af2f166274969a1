import { html, type TemplateResult } from 'lit';
import { live } from 'lit/directives/live.js';
import { leaveOnWheel } from '../parts/wheel.ts';
import { t } from '../words/l10n.ts';

const maxCount = 8;

/** The control for the number of equal requests. */
export function countStepper(count: number, change: (count: number) => void): TemplateResult {
  return html`
    <div class="stepper" role="group" aria-label=${t('Number of videos')}>
      <label for="count">${t('Videos')}</label>
      ${stepButton('remove', t('One Less'), count <= 1, () => change(count - 1))}
      <input
        id="count"
        type="number"
        min="1"
        max=${maxCount}
        .value=${live(String(count))}
        @change=${(event: Event) => change(typedCount(event, count))}
        @wheel=${leaveOnWheel}
      />
      ${stepButton('add', t('One More'), count >= maxCount, () => change(count + 1))}
    </div>
  `;
}

function stepButton(icon: string, label: string, atEnd: boolean, step: () => void): TemplateResult {
  return html`
    <button type="button" class="icon-button" title=${label} aria-label=${label} aria-disabled=${atEnd} @click=${atEnd ? undefined : step}>
      <span class="codicon codicon-${icon}" aria-hidden="true"></span>
    </button>
  `;
}

/** Returns the typed number, limited to the range; `before` when it is no number. */
function typedCount({ target }: Event, before: number): number {
  if (!(target instanceof HTMLInputElement) || Number.isNaN(target.valueAsNumber)) return before;
  return Math.min(maxCount, Math.max(1, Math.round(target.valueAsNumber)));
}
