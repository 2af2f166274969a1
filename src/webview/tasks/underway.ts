import { html, nothing, type TemplateResult } from 'lit';
import type { TaskView } from '../../protocol/taskPage.ts';
import { isUnderway } from '../parts/appearanceIcon.ts';
import { actionButtons } from '../parts/buttons.ts';
import '../parts/progress.ts';
import './runningTime.ts';
import { t } from '../words/l10n.ts';

/** What stands in the place of a result while a task runs: how far it is, what comes next, and its actions. */
export function underwayView(view: TaskView): TemplateResult | typeof nothing {
  const { tile, next, buttons, mainButtons } = view;
  if (!isUnderway(tile.appearance)) return nothing;
  return html`
    <section class="underway" aria-label=${tile.status}>
      <div class="underway-state">${t('{0} for', tile.status)} <mg-running-time .since=${tile.startedAt}></mg-running-time></div>
      <mg-progress class="task-progress" .progress=${tile.progress}></mg-progress>
      ${next === undefined ? nothing : html`<div class="underway-note">${next}</div>`}
      <div class="underway-buttons">${actionButtons(buttons.slice(0, mainButtons), () => 'button secondary')}</div>
    </section>
  `;
}
