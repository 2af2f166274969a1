import { html, nothing, type PropertyValues, type TemplateResult } from 'lit';
import type { SystemPromptView } from '../../protocol/parameters.ts';
import { LightElement, property, state } from '../parts/lightElement.ts';
import { t } from '../words/l10n.ts';
import { describeProblem, type PageProblem } from '../words/problemWords.ts';

/** The longest system prompt that the host accepts, in UTF-16 units. */
const maxLength = 1024 * 1024;

/** How long typing must pause before the text is sent to the host, in milliseconds. */
const typingPauseMs = 300;

/**
 * `<mg-system-prompt>`: the chat's system prompt, above its first question. It is folded to one line until it is
 * edited. Fires `system-prompt` with the text after a short pause in typing, and at once when the box loses the
 * focus.
 */
export class SystemPromptElement extends LightElement.with({
  prompt: property<SystemPromptView>(),
  isEditing: state(false),
  /** The typed text that the host has not confirmed yet. */
  typedText: state<string | undefined>(),
}) {
  #typingTimer: ReturnType<typeof setTimeout> | undefined;
  /** The text that was last sent to the host, or received from it. */
  #hostText = '';

  override connectedCallback(): void {
    super.connectedCallback();
    window.addEventListener('pagehide', () => this.#sendText());
  }

  /** Opens the box and focuses it. */
  async edit(): Promise<void> {
    this.isEditing = true;
    await this.updateComplete;
    this.#box?.focus();
    this.scrollIntoView({ block: 'nearest' });
  }

  /** Shows only the first line. */
  fold(): void {
    this.#sendText();
    this.isEditing = false;
  }

  protected override willUpdate(changed: PropertyValues<this>): void {
    const isTyping = this.#typingTimer !== undefined || this.#box === document.activeElement;
    if (!changed.has('prompt')) return;
    this.#hostText = this.prompt.text;
    if (!isTyping) this.typedText = undefined;
  }

  protected override render(): TemplateResult {
    return html`
      <section class="system-prompt" aria-label=${t('System prompt')}>
        ${this.#text === '' && !this.isEditing ? this.#renderAddButton() : this.#renderHead()}
        ${this.isEditing ? this.#renderEditor() : nothing}
      </section>
    `;
  }

  #renderAddButton(): TemplateResult {
    return html`
      <button type="button" class="text-button" @click=${() => void this.edit()}>
        <span class="codicon codicon-add" aria-hidden="true"></span> ${t('Add System Prompt')}
      </button>
    `;
  }

  #renderHead(): TemplateResult {
    const [firstLine = ''] = this.#text.trim().split('\n');
    return html`
      <button
        type="button"
        class="system-prompt-head"
        aria-expanded=${this.isEditing}
        @click=${() => (this.isEditing ? this.fold() : void this.edit())}
      >
        <span class="codicon codicon-chevron-${this.isEditing ? 'down' : 'right'}" aria-hidden="true"></span>
        <span class="system-prompt-name">${t('System Prompt')}</span>
        ${this.isEditing ? nothing : html`<span class="system-prompt-line">${firstLine}</span>`}
      </button>
      ${this.prompt.isNew ? html`<p class="system-prompt-note">${t('Takes effect with the next question.')}</p>` : nothing}
    `;
  }

  #renderEditor(): TemplateResult {
    const problem = this.#problem;
    return html`
      <textarea
        class="box prose"
        aria-label=${t('System prompt')}
        aria-invalid=${problem !== undefined}
        placeholder=${t('Instructions for every question, for example: Answer in one paragraph.')}
        .value=${this.#text}
        @input=${this.#onInput}
        @blur=${() => this.#sendText()}
        @keydown=${this.#onKey}
      ></textarea>
      ${problem ? html`<p class="system-prompt-note problem" role="alert">${describeProblem(problem)}</p>` : nothing}
    `;
  }

  get #text(): string {
    return this.typedText ?? this.prompt.text;
  }

  get #box(): HTMLTextAreaElement | null {
    return this.querySelector('textarea');
  }

  get #problem(): PageProblem | undefined {
    const { length } = this.#text;
    return length <= maxLength ? undefined : { kind: 'system-prompt-too-long', length, max: maxLength };
  }

  #onInput(): void {
    this.typedText = this.#box?.value ?? '';
    clearTimeout(this.#typingTimer);
    this.#typingTimer = setTimeout(() => this.#sendText(), typingPauseMs);
  }

  /** Folds the prompt on Escape, without other effects of the key such as stopping a reply. */
  #onKey(event: KeyboardEvent): void {
    if (event.key !== 'Escape' || event.isComposing) return;
    event.stopPropagation();
    this.fold();
    void this.updateComplete.then(() => this.querySelector('button')?.focus());
  }

  /** Sends the typed text to the host, unless it is too long. */
  #sendText(): void {
    clearTimeout(this.#typingTimer);
    this.#typingTimer = undefined;
    if (this.typedText === undefined || this.typedText === this.#hostText || this.#problem) return;
    this.#hostText = this.typedText;
    this.dispatchEvent(new CustomEvent('system-prompt', { detail: this.typedText }));
  }
}

customElements.define('mg-system-prompt', SystemPromptElement);

declare global {
  interface HTMLElementTagNameMap {
    'mg-system-prompt': SystemPromptElement;
  }
}
