import { html, nothing, type PropertyValues, type TemplateResult } from 'lit';
import type { SystemPromptView } from '../../protocol/parameters.ts';
import { LightElement, property, state } from '../parts/lightElement.ts';
import { t } from '../words/l10n.ts';
import { type Problem, problemWords } from '../words/problems.ts';

/** The longest system prompt that the host accepts, in UTF-16 units. */
const maxLength = 1024 * 1024;

/** How long typing rests before what was typed goes to the host, in milliseconds. */
const typingPauseMs = 300;

/**
 * `<mg-system-prompt>`: the chat's system prompt, above its first question. Folded to one line until it is edited.
 * Fires `system-prompt` with the text soon after it was typed, and at once when the box is left.
 */
export class SystemPromptElement extends LightElement.with({
  prompt: property<SystemPromptView>(),
  editing: state(false),
  /** What was typed and the host has not told back yet. */
  typed: state<string | undefined>(),
}) {
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** What the host holds, or is about to. */
  #told = '';

  override connectedCallback(): void {
    super.connectedCallback();
    window.addEventListener('pagehide', () => this.#keep());
  }

  /** Opens the box and puts the focus into it. */
  async edit(): Promise<void> {
    this.editing = true;
    await this.updateComplete;
    this.#box?.focus();
    this.scrollIntoView({ block: 'nearest' });
  }

  /** Shows the first line only. */
  fold(): void {
    this.#keep();
    this.editing = false;
  }

  protected override willUpdate(changed: PropertyValues<this>): void {
    const isTyping = this.#timer !== undefined || this.#box === document.activeElement;
    if (!changed.has('prompt')) return;
    this.#told = this.prompt.text;
    if (!isTyping) this.typed = undefined;
  }

  protected override render(): TemplateResult {
    return html`
      <section class="system-prompt" aria-label=${t('System prompt')}>
        ${this.#text === '' && !this.editing ? this.#addButton() : this.#head()}
        ${this.editing ? this.#editor() : nothing}
      </section>
    `;
  }

  #addButton(): TemplateResult {
    return html`
      <button type="button" class="text-button" @click=${() => void this.edit()}>
        <span class="codicon codicon-add" aria-hidden="true"></span> ${t('Add System Prompt')}
      </button>
    `;
  }

  #head(): TemplateResult {
    const [firstLine = ''] = this.#text.trim().split('\n');
    return html`
      <button
        type="button"
        class="system-prompt-head"
        aria-expanded=${this.editing}
        @click=${() => (this.editing ? this.fold() : void this.edit())}
      >
        <span class="codicon codicon-chevron-${this.editing ? 'down' : 'right'}" aria-hidden="true"></span>
        <span class="system-prompt-name">${t('System Prompt')}</span>
        ${this.editing ? nothing : html`<span class="system-prompt-line">${firstLine}</span>`}
      </button>
      ${this.prompt.isNew ? html`<p class="system-prompt-note">${t('Applies from the next question on.')}</p>` : nothing}
    `;
  }

  #editor(): TemplateResult {
    const problem = this.#problem;
    return html`
      <textarea
        class="box prose"
        aria-label=${t('System prompt')}
        aria-invalid=${problem !== undefined}
        placeholder=${t('Instructions for every question, such as: Answer in one paragraph.')}
        .value=${this.#text}
        @input=${this.#onInput}
        @blur=${() => this.#keep()}
        @keydown=${this.#onKey}
      ></textarea>
      ${problem ? html`<p class="system-prompt-note problem" role="alert">${problemWords(problem)}</p>` : nothing}
    `;
  }

  get #text(): string {
    return this.typed ?? this.prompt.text;
  }

  get #box(): HTMLTextAreaElement | null {
    return this.querySelector('textarea');
  }

  get #problem(): Problem | undefined {
    const { length } = this.#text;
    return length <= maxLength ? undefined : { kind: 'system-prompt-too-long', length, max: maxLength };
  }

  #onInput(): void {
    this.typed = this.#box?.value ?? '';
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#keep(), typingPauseMs);
  }

  /** Folds on Escape, which does nothing else then, such as stopping a reply. */
  #onKey(event: KeyboardEvent): void {
    if (event.key !== 'Escape' || event.isComposing) return;
    event.stopPropagation();
    this.fold();
    void this.updateComplete.then(() => this.querySelector('button')?.focus());
  }

  /** Tells the host what was typed. What is too long stays in the box alone. */
  #keep(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.typed === undefined || this.typed === this.#told || this.#problem) return;
    this.#told = this.typed;
    this.dispatchEvent(new CustomEvent('system-prompt', { detail: this.typed }));
  }
}

customElements.define('mg-system-prompt', SystemPromptElement);

declare global {
  interface HTMLElementTagNameMap {
    'mg-system-prompt': SystemPromptElement;
  }
}
