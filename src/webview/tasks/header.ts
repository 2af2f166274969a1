import { html, nothing, type TemplateResult } from 'lit';
import type { TaskView } from '../../protocol/taskPage.ts';
import { appearanceIcon } from '../parts/appearanceIcon.ts';
import { actionButtons } from '../parts/buttons.ts';
import './menu.ts';
import './runningTime.ts';
import { duration, when } from '../words/times.ts';

/** The line that stays: where the task stands, and what can be done with it. */
export function headerView(view: TaskView): TemplateResult {
  const { tile, buttons, mainButtons } = view;
  return html`
    <header class="page-header task-header">
      <h1 class="task-title">
        ${appearanceIcon(tile.appearance)}
        <span class="task-status" title=${tile.status}>${tile.status}</span>
        <span class="task-model" title=${tile.model}>${tile.model}</span>
        <span class="task-time">${timeView(view)}</span>
      </h1>
      ${actionButtons(buttons.slice(0, mainButtons), (index) => mainButtonClass(index, view))}
      ${buttons.length === 0 ? nothing : html`<mg-menu .buttons=${buttons} .mainButtons=${mainButtons}></mg-menu>`}
    </header>
  `;
}

/** Of all buttons one is the one to press: that of the notice, where there is one; none while all goes well. */
function mainButtonClass(index: number, { notice, tile }: TaskView): string {
  const hasOther = notice !== undefined && notice.buttons.length > 0;
  const isPrimary = index === 0 && !hasOther && tile.appearance !== 'running';
  return isPrimary ? 'button main-button' : 'button secondary main-button';
}

/** How long it took, or has been running; for a task nobody knows that of, when it began. */
function timeView({ tile, tookMs }: TaskView): TemplateResult {
  if (tookMs !== undefined) return html`${duration(tookMs)}`;
  if (tile.appearance === 'running')
    return html`<mg-running-time .since=${tile.startedAt}></mg-running-time>`;
  return html`<span class="started" title="When it was started">${when(tile.startedAt, Date.now())}</span>`;
}
