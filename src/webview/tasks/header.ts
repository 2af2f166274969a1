import { html, nothing, type TemplateResult } from 'lit';
import type { TaskView } from '../../protocol/taskPage.ts';
import { appearanceIcon, isUnderway } from '../parts/appearanceIcon.ts';
import { actionButtons } from '../parts/buttons.ts';
import './menu.ts';
import { t } from '../words/l10n.ts';
import { duration, when } from '../words/times.ts';

/** The header: the state of the task and its actions. */
export function headerView(view: TaskView): TemplateResult {
  const { tile } = view;
  // Those of a running task stand where its result will.
  const [buttons, mainButtons] = isUnderway(tile.appearance)
    ? [view.buttons.slice(view.mainButtons), 0]
    : [view.buttons, view.mainButtons];
  return html`
    <header class="page-header task-header">
      <h1 class="task-title">
        ${appearanceIcon(tile.appearance)}
        <span class="task-status" title=${tile.providersWord ?? tile.status}>${tile.status}</span>
        <span class="task-model" title=${tile.model}>${tile.model}</span>
        <span class="task-time">${timeView(view)}</span>
      </h1>
      ${actionButtons(buttons.slice(0, mainButtons), (index) => mainButtonClass(index, view))}
      ${buttons.length === 0 ? nothing : html`<mg-menu .buttons=${buttons} .mainButtons=${mainButtons}></mg-menu>`}
    </header>
  `;
}

/** Marks one button as the main one, unless the notice has it. */
function mainButtonClass(index: number, { notice }: TaskView): string {
  const hasOther = notice !== undefined && notice.buttons.length > 0;
  const isPrimary = index === 0 && !hasOther;
  return isPrimary ? 'button main-button' : 'button secondary main-button';
}

/** How long the task took; when it began, if nobody knows. */
function timeView({ tile, tookMs }: TaskView): TemplateResult | typeof nothing {
  if (tookMs !== undefined) return html`${duration(tookMs)}`;
  // That of a running task stands where its result will.
  if (isUnderway(tile.appearance)) return nothing;
  return html`<span class="started" title=${t('When it was started')}>${when(tile.startedAt, Date.now())}</span>`;
}
