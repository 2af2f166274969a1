import { html, nothing, type PropertyValues, type TemplateResult } from 'lit';
import type { ActionButton } from '../../protocol/notice.ts';
import type { TaskAction, TaskView } from '../../protocol/taskPage.ts';
import { iconButton } from '../parts/buttons.ts';
import { LightElement, property, state } from '../parts/lightElement.ts';
import { shownText } from '../parts/shownText.ts';
import { t } from '../words/l10n.ts';

/** The request of a task and its ids. */
export function detailsView(view: TaskView): TemplateResult {
  const { tile, recipe, taskId, requestId, gatewayRequestId } = view;
  return html`
    ${tile.prompt === '' ? nothing : html`<h2>${t('Prompt')}</h2><mg-prompt .text=${tile.prompt}></mg-prompt>`}
    <h2>${t('Details')}</h2>
    <dl class="recipe">
      ${recipe.map(({ label, value, name, sent }) => html`<div><dt title=${name ?? nothing}>${label}</dt><dd title=${sent ?? nothing}>${shownText(value)}</dd></div>`)}
      ${idView(t('Task ID'), taskId, { action: 'copy-task-id', label: t('Copy Task ID') })}
      ${idView(t('Request ID'), requestId, { action: 'copy-request-id', label: t('Copy Request ID') })}
      ${idView(t('The gateway’s request ID'), gatewayRequestId)}
    </dl>
  `;
}

function idView(
  label: string,
  id: string | undefined,
  copy?: ActionButton<TaskAction>,
): TemplateResult | typeof nothing {
  if (id === undefined) return nothing;
  return html`
    <div>
      <dt>${label}</dt>
      <dd class="id"><code>${shownText(id)}</code> ${copy ? iconButton('copy', copy.label, copy.action) : nothing}</dd>
    </div>
  `;
}

/** `<mg-prompt>`: the prompt of a task. A long one is folded at first. */
class PromptElement extends LightElement.with({
  text: property<string>(),
  whole: state(false),
  /** Whether it is longer than its folded part. */
  long: state(false),
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
      <div class="prompt-text ${this.whole ? '' : 'folded'}">${shownText(this.text)}</div>
      ${this.long ? this.#button() : nothing}
    `;
  }

  #button(): TemplateResult {
    return html`
      <button type="button" class="text-button" aria-expanded=${this.whole === true} @click=${this.#toggle}>
        ${t(this.whole ? 'Show Less' : 'Show More')}
      </button>
    `;
  }

  #toggle(): void {
    this.whole = !this.whole;
  }

  /** Measures the folded text to see whether it is too long. */
  #measure(): void {
    const box = this.querySelector('.folded');
    if (box) this.long = box.scrollHeight > box.clientHeight + 1;
  }
}

customElements.define('mg-prompt', PromptElement);
