import { html, nothing, type TemplateResult } from 'lit';
import type { ChatTarget } from '../../protocol/chatPage.ts';
import { noticeView } from '../parts/notice.ts';

/** The content of an empty chat: questions that a click sends, or what is missing before any can be sent. */
export function welcomeView({
  notice,
  model,
  compared,
  suggestions = [],
  canUndoClear,
}: ChatTarget): TemplateResult {
  const undo = canUndoClear ? undoView() : nothing;
  if (notice && model === undefined) return html`<div class="welcome">${undo}${noticeView(notice)}</div>`;
  const canAsk = !notice && model !== undefined && suggestions.length > 0;
  return html`
    <div class="welcome">
      ${undo}
      <h1>Ask ${compared ? `${compared.length} models` : (model ?? 'a model')}</h1>
      <p>${compared ? 'Their replies appear here side by side.' : 'The reply appears here as it is written.'}${canAsk ? ' A click on a question below sends it.' : nothing}</p>
      ${notice ? noticeView(notice) : nothing}
      ${canAsk ? suggestionsView(suggestions) : nothing}
      ${canAsk ? html`<p>Type # to add code to your question, or / to use a prompt file.</p>` : nothing}
    </div>
  `;
}

function undoView(): TemplateResult {
  return html`
    <p role="status">
      Chat cleared.
      <button type="button" class="text-button" data-action="undo-clear">Undo Clear</button>
    </p>
  `;
}

function suggestionsView(suggestions: readonly string[]): TemplateResult {
  return html`
    <div class="examples" role="group" aria-label="Questions to begin with">
      ${suggestions.map((text) => html`<button type="button" class="example" data-action="ask-example">${text}</button>`)}
    </div>
  `;
}
