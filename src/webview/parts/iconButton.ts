import { html, type TemplateResult } from 'lit';

/** A button that is an icon; its label is the tooltip and what a screen reader says. */
export function iconButton(icon: string, label: string, action: string, disabled = false): TemplateResult {
  return html`
    <button type="button" class="icon-button" title=${label} aria-label=${label} data-action=${action} ?disabled=${disabled}>
      <span class="codicon codicon-${icon}" aria-hidden="true"></span>
    </button>
  `;
}
