import { html, nothing, type TemplateResult } from 'lit';
import type { TaskView } from '../../protocol/taskPage.ts';
import { appearanceIcon } from '../parts/appearanceIcon.ts';
import { actionButtons } from '../parts/buttons.ts';
import './menu.ts';
import './runningTime.ts';
import { duration, when } from '../words/times.ts';

/** The header: the state of the task and its actions. */
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

/** Marks one button as the main one: that of the notice, if there is one; none while all is well. */
function mainButtonClass(index: number, { notice, tile }: TaskView): string {
  const hasOther = notice !== undefined && notice.buttons.length > 0;
  const isPrimary = index === 0 && !hasOther && tile.appearance !== 'running';
  return isPrimary ? 'button main-button' : 'button secondary main-button';
}

/** How long the task took or has been running; when it began, if neither is known. */
function timeView({ tile, tookMs }: TaskView): TemplateResult {
  if (tookMs !== undefined) return html`${duration(tookMs)}`;
  if (tile.appearance === 'running')
    return html`<mg-running-time .since=${tile.startedAt}></mg-running-time>`;
  return html`<span class="started" title="When it was started">${when(tile.startedAt, Date.now())}</span>`;
}
