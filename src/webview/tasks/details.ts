import { html, nothing, type TemplateResult } from 'lit';
import type { TaskAction, TaskView } from '../../protocol/taskPage.ts';
import { iconButton } from '../parts/buttons.ts';
import './prompt.ts';
import { shownText } from '../parts/shownText.ts';

/** The request of a task and its ids. */
export function detailsView(view: TaskView): TemplateResult {
  const { tile, recipe, taskId, requestId, gatewayRequestId } = view;
  return html`
    ${tile.prompt === '' ? nothing : html`<h2>Prompt</h2><mg-prompt .text=${tile.prompt}></mg-prompt>`}
    <h2>Details</h2>
    <dl class="recipe">
      ${recipe.map(({ label, value }) => html`<div><dt>${label}</dt><dd>${shownText(value)}</dd></div>`)}
      ${idView('Task id', taskId, 'copy-task-id')}
      ${idView('Request id', requestId, 'copy-request-id')}
      ${idView('The gateway’s request id', gatewayRequestId)}
    </dl>
  `;
}

function idView(label: string, id: string | undefined, action?: TaskAction): TemplateResult | typeof nothing {
  if (id === undefined) return nothing;
  return html`
    <div>
      <dt>${label}</dt>
      <dd class="id"><code>${shownText(id)}</code> ${action ? iconButton('copy', `Copy the ${label.toLowerCase()}`, action) : nothing}</dd>
    </div>
  `;
}
