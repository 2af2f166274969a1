import { html, nothing, type PropertyValues, type TemplateResult } from 'lit';
import { LightElement, property, state } from '../parts/lightElement.ts';
import { shownText } from '../parts/shownText.ts';
import { t } from '../words/l10n.ts';

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
    const shown = this.querySelector('.prompt-text');
    if (shown) this.#observer.observe(shown);
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
    const shown = this.querySelector('.folded');
    if (shown) this.long = shown.scrollHeight > shown.clientHeight + 1;
  }
}

customElements.define('mg-prompt', PromptElement);
