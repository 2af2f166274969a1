import { html, nothing, type TemplateResult } from 'lit';
import type { ActionButton } from '../../protocol/notice.ts';
import type { FailedPollView, TaskAction } from '../../protocol/taskPage.ts';
import { iconButton } from '../parts/buttons.ts';
import { jsonNodes } from '../parts/jsonNodes.ts';
import { LightElement, property } from '../parts/lightElement.ts';
import { shownText } from '../parts/shownText.ts';
import { t } from '../words/l10n.ts';
import { shortDateTime } from '../words/times.ts';

/** The failed polls of a task, with time and reason. */
export function failedPollsView(
  polls: readonly FailedPollView[],
  open: boolean,
): TemplateResult | typeof nothing {
  if (polls.length === 0) return nothing;
  return html`
    <details class="fold" data-fold="polls" ?open=${open}>
      <summary>${t('Failed status checks ({0})', polls.length)}</summary>
      <ol class="polls">
        ${polls.map(({ at, text }) => html`<li><span class="poll-time">${shortDateTime(at, Date.now())}</span> <span>${shownText(text)}</span></li>`)}
      </ol>
    </details>
  `;
}

/** `<mg-json-fold>`: JSON in a fold. Its nodes are created when it is first opened. */
class JsonFoldElement extends LightElement.with({
  name: property<string>(),
  json: property<string>(),
  copy: property<ActionButton<TaskAction>>(),
  open: property<boolean>(),
}) {
  #shown: string | undefined;
  readonly #onSelection = () => this.#paint();

  override connectedCallback(): void {
    super.connectedCallback();
    document.addEventListener('selectionchange', this.#onSelection);
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    document.removeEventListener('selectionchange', this.#onSelection);
  }

  protected override render(): TemplateResult {
    return html`
      <details class="fold" data-fold=${this.copy.action} ?open=${this.open} @toggle=${this.#paint}>
        <summary>${this.name}</summary>
        <pre class="json" tabindex="0" role="region" aria-label=${this.name}><code></code></pre>
      </details>
      ${iconButton('copy', this.copy.label, this.copy.action)}
    `;
  }

  protected override updated(): void {
    this.#paint();
  }

  /** Does not replace the JSON while text in it is selected. */
  #paint(): void {
    const code = this.querySelector('code');
    const isOpen = this.querySelector('details')?.open ?? false;
    if (!code || !isOpen || this.#shown === this.json || holdsSelection(code)) return;
    this.#shown = this.json;
    code.replaceChildren(...jsonNodes(this.json));
  }
}

function holdsSelection(code: HTMLElement): boolean {
  const selection = document.getSelection();
  return selection !== null && !selection.isCollapsed && selection.containsNode(code, true);
}

customElements.define('mg-json-fold', JsonFoldElement);
