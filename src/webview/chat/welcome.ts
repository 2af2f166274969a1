import { html, nothing, type TemplateResult } from 'lit';
import type { ChatTarget } from '../../protocol/chatPage.ts';
import { renderNotice } from '../parts/noticeView.ts';
import { t } from '../words/l10n.ts';

/** Renders the content of an empty chat: questions that a click sends, or the reason why nothing can be sent yet. */
export function renderWelcome({ notice, model, compared, suggestions = [] }: ChatTarget): TemplateResult {
  if (notice && model === undefined) return html`<div class="welcome">${renderNotice(notice)}</div>`;
  const canAsk = !notice && model !== undefined && suggestions.length > 0;
  const where = t(
    compared ? 'Their replies appear here side by side.' : 'The reply appears here as it is written.',
  );
  return html`
    <div class="welcome">
      <h1>${formatTitle(model, compared)}</h1>
      <p>${canAsk ? t('{0} {1}', where, t('Click a question below to send it.')) : where}</p>
      ${notice ? renderNotice(notice) : nothing}
      ${canAsk ? renderSuggestions(suggestions) : nothing}
      ${canAsk ? html`<p>${t('Type # to add code to your question, or / for prompts.')}</p>` : nothing}
    </div>
  `;
}

function formatTitle(model: string | undefined, compared: readonly string[] | undefined): string {
  if (compared) return t('Ask {0} models', compared.length);
  return model === undefined ? t('Ask a model') : t('Ask {0}', model);
}

function renderSuggestions(suggestions: readonly string[]): TemplateResult {
  return html`
    <div class="examples" role="group" aria-label=${t('Suggested questions')}>
      ${suggestions.map((text) => html`<button type="button" class="example" data-action="ask-example">${text}</button>`)}
    </div>
  `;
}
