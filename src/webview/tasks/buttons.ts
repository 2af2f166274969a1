import { html, nothing, type TemplateResult } from 'lit';
import { repeat } from 'lit/directives/repeat.js';
import type { TaskAction, TaskButton } from '../../protocol/taskPage.ts';

/** Buttons that keep the focus while others come and go; a click on one is told to the host by the page. */
export function buttonsView(
  buttons: readonly TaskButton[],
  className: (index: number) => string,
  result?: number,
): unknown {
  return repeat(
    buttons,
    ({ action }) => action,
    ({ action, label }, index) =>
      html`<button type="button" class=${className(index)} data-action=${action} data-result=${result ?? nothing}>${label}</button>`,
  );
}

/** A button that copies something and shows that it did. */
export function copyButton(action: TaskAction, label: string, result?: number): TemplateResult {
  return html`
    <button type="button" class="icon-button" title=${label} aria-label=${label} data-action=${action} data-result=${result ?? nothing}>
      <span class="codicon codicon-copy" aria-hidden="true"></span>
    </button>
  `;
}
