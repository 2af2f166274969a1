import { html, type TemplateResult } from 'lit';

/**
 * A problem of the text in a box, above the box.
 *
 * @param icon `info` for a message that is not an error
 */
export function boxProblemView(words: string, icon: 'error' | 'info' = 'error'): TemplateResult {
  return html`<div class="composer-problem" role="alert"><span class="codicon codicon-${icon}" aria-hidden="true"></span> ${words}</div>`;
}
