import { html, type TemplateResult } from 'lit';

/** A problem of what is written or pasted, above its box. */
export function problemView(words: string): TemplateResult {
  return html`<div class="composer-problem" role="alert"><span class="codicon codicon-error" aria-hidden="true"></span> ${words}</div>`;
}
