import { html, type TemplateResult } from 'lit';

/**
 * A problem of the text in a box, above it.
 *
 * @param icon `info` where nothing is wrong
 */
export function problemView(words: string, icon: 'error' | 'info' = 'error'): TemplateResult {
  return html`<div class="composer-problem" role="alert"><span class="codicon codicon-${icon}" aria-hidden="true"></span> ${words}</div>`;
}
