import { html, nothing, type PropertyValues, type TemplateResult } from 'lit';
import type { ActionButton } from '../../protocol/pageMessage.ts';
import type { FailedPollView, TaskAction, TaskView } from '../../protocol/taskPage.ts';
import { renderText } from '../markdown/dom.ts';
import { renderIconButton } from '../parts/buttons.ts';
import { createJsonNodes } from '../parts/jsonNodes.ts';
import { LightElement, property, state } from '../parts/lightElement.ts';
import { t } from '../words/l10n.ts';
import { formatShortDateTime } from '../words/timeWords.ts';

/** Renders the request of a task and its ids. */
export function renderDetails(view: TaskView): TemplateResult {
  const { tile, recipe, taskId, requestId, gatewayRequestId } = view;
  return html`
    ${tile.prompt === '' ? nothing : html`<h2>${t('Prompt')}</h2><mg-prompt .text=${tile.prompt}></mg-prompt>`}
    <h2>${t('Details')}</h2>
    <dl class="recipe">
      ${recipe.map(({ label, value, name, sent }) => html`<div><dt title=${name ?? nothing}>${label}</dt><dd title=${sent ?? nothing}>${renderText(value)}</dd></div>`)}
      ${renderId(t('Task ID'), taskId, { action: 'copy-task-id', label: t('Copy Task ID') })}
      ${renderId(t('Request ID'), requestId, { action: 'copy-request-id', label: t('Copy Request ID') })}
      ${renderId(t('The gateway’s request ID'), gatewayRequestId)}
    </dl>
  `;
}

function renderId(
  label: string,
  id: string | undefined,
  copy?: ActionButton<TaskAction>,
): TemplateResult | typeof nothing {
  if (id === undefined) return nothing;
  return html`
    <div>
      <dt>${label}</dt>
      <dd class="id"><code>${renderText(id)}</code> ${copy ? renderIconButton('copy', copy.label, copy.action) : nothing}</dd>
    </div>
  `;
}

/** `<mg-prompt>`: the prompt of a task. A long prompt is folded at first. */
class PromptElement extends LightElement.with({
  text: property<string>(),
  isExpanded: state(false),
  /** Whether it is longer than its folded part. */
  isLong: state(false),
}) {
  readonly #observer = new ResizeObserver(() => this.#measure());

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#observer.disconnect();
  }

  protected override firstUpdated(): void {
    const box = this.querySelector('.prompt-text');
    if (box) this.#observer.observe(box);
  }

  protected override updated(changed: PropertyValues<this>): void {
    if (changed.has('text')) this.#measure();
  }

  protected override render(): TemplateResult {
    return html`
      <div class="prompt-text ${this.isExpanded ? '' : 'folded'}">${renderText(this.text)}</div>
      ${this.isLong ? this.#renderButton() : nothing}
    `;
  }

  #renderButton(): TemplateResult {
    return html`
      <button type="button" class="text-button" aria-expanded=${this.isExpanded === true} @click=${this.#toggle}>
        ${t(this.isExpanded ? 'Show Less' : 'Show More')}
      </button>
    `;
  }

  #toggle(): void {
    this.isExpanded = !this.isExpanded;
  }

  /** Measures the folded text to see whether it is too long. */
  #measure(): void {
    const box = this.querySelector('.folded');
    if (box) this.isLong = box.scrollHeight > box.clientHeight + 1;
  }
}

customElements.define('mg-prompt', PromptElement);

/** Renders the failed polls of a task, with time and reason. */
export function renderFailedPolls(
  polls: readonly FailedPollView[],
  isOpen: boolean,
): TemplateResult | typeof nothing {
  if (polls.length === 0) return nothing;
  return html`
    <details class="fold" data-fold="polls" ?open=${isOpen}>
      <summary>${t('Failed status checks ({0})', polls.length)}</summary>
      <ol class="polls">
        ${polls.map(({ at, text }) => html`<li><span class="poll-time">${formatShortDateTime(at, Date.now())}</span> <span>${renderText(text)}</span></li>`)}
      </ol>
    </details>
  `;
}

/** `<mg-json-fold>`: JSON in a fold. Its nodes are created when it is first opened. */
class JsonFoldElement extends LightElement.with({
  name: property<string>(),
  json: property<string>(),
  copy: property<ActionButton<TaskAction>>(),
  /** Whether the fold is open at first. */
  isOpen: property<boolean>(),
}) {
  #shownJson: string | undefined;
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
      <details class="fold" data-fold=${this.copy.action} ?open=${this.isOpen} @toggle=${this.#paint}>
        <summary>${this.name}</summary>
        <pre class="json" tabindex="0" role="region" aria-label=${this.name}><code></code></pre>
      </details>
      ${renderIconButton('copy', this.copy.label, this.copy.action)}
    `;
  }

  protected override updated(): void {
    this.#paint();
  }

  /** Shows the JSON in the open fold, but does not replace it while text in it is selected. */
  #paint(): void {
    const code = this.querySelector('code');
    const isOpen = this.querySelector('details')?.open ?? false;
    if (!code || !isOpen || this.#shownJson === this.json || containsSelection(code)) return;
    this.#shownJson = this.json;
    code.replaceChildren(...createJsonNodes(this.json));
  }
}

function containsSelection(code: HTMLElement): boolean {
  const selection = document.getSelection();
  return selection !== null && !selection.isCollapsed && selection.containsNode(code, true);
}

customElements.define('mg-json-fold', JsonFoldElement);
