import { html, nothing, type TemplateResult } from 'lit';
import type { ActionButton } from '../../protocol/notice.ts';
import type { TaskAction, TaskView } from '../../protocol/taskPage.ts';
import { iconButton } from '../parts/buttons.ts';
import './prompt.ts';
import { shownText } from '../parts/shownText.ts';
import { t } from '../words/l10n.ts';

/** The request of a task and its ids. */
export function detailsView(view: TaskView): TemplateResult {
  const { tile, recipe, taskId, requestId, gatewayRequestId } = view;
  return html`
    ${tile.prompt === '' ? nothing : html`<h2>${t('Prompt')}</h2><mg-prompt .text=${tile.prompt}></mg-prompt>`}
    <h2>${t('Details')}</h2>
    <dl class="recipe">
      ${recipe.map(({ label, value, name, sent }) => html`<div><dt title=${name ?? nothing}>${label}</dt><dd title=${sent ?? nothing}>${shownText(value)}</dd></div>`)}
      ${idView(t('Task ID'), taskId, { action: 'copy-task-id', label: t('Copy Task ID') })}
      ${idView(t('Request ID'), requestId, { action: 'copy-request-id', label: t('Copy Request ID') })}
      ${idView(t('The gateway’s request ID'), gatewayRequestId)}
    </dl>
  `;
}

function idView(
  label: string,
  id: string | undefined,
  copy?: ActionButton<TaskAction>,
): TemplateResult | typeof nothing {
  if (id === undefined) return nothing;
  return html`
    <div>
      <dt>${label}</dt>
      <dd class="id"><code>${shownText(id)}</code> ${copy ? iconButton('copy', copy.label, copy.action) : nothing}</dd>
    </div>
  `;
}
