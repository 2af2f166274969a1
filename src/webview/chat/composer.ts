import { html, nothing, type PropertyValues, type TemplateResult } from 'lit';
import type { ImageView } from '../../protocol/chatPage.ts';
import { iconButton } from '../parts/buttons.ts';
import { LightElement, property, state } from '../parts/lightElement.ts';
import '../parts/picture.ts';
import { type Problem, problemWords } from '../words/problems.ts';

/** Longest text that can be sent, in UTF-16 units, as the host accepts it. */
export const maxTextLength = 1024 * 1024;
const draftDelayMs = 200;

/** `<mg-composer>`: the message box. Fires `send` and `draft` with the text, and `stop`. */
export class Composer extends LightElement.with({
  streaming: property<boolean>(),
  model: property<string | undefined>(),
  /** The initial text of the box. */
  draft: property<string>(),
  lastQuestion: property<string>(),
  attachments: property<readonly ImageView[]>([]),
  text: state(''),
}) {
  #draftTimer: ReturnType<typeof setTimeout> | undefined;

  override connectedCallback(): void {
    super.connectedCallback();
    this.text = this.draft;
    window.addEventListener('pagehide', () => this.#keepDraft());
  }

  focusText(): void {
    this.#box?.focus();
  }

  /** Puts back a text that was not sent, before what was typed meanwhile. */
  giveBack(text: string): void {
    this.insert([text, this.text].filter((part) => part !== '').join('\n'));
  }

  /** Replaces the text of the box. */
  insert(text: string): void {
    this.#set(text);
    this.focusText();
  }

  protected override render(): TemplateResult {
    const problem = this.#problem && problemWords(this.#problem);
    return html`
      ${problem === undefined ? nothing : html`<div class="composer-problem" role="alert"><span class="codicon codicon-error" aria-hidden="true"></span> ${problem}</div>`}
      ${this.attachments.length > 0 ? this.#attachmentList() : nothing}
      <div class="composer">
        ${iconButton('attach', 'Attach Pictures… (or paste or drop them)', 'attach-files')}
        <textarea
          rows="1"
          placeholder=${this.streaming ? 'Next question, sent after this reply…' : 'Ask anything…'}
          aria-label="Message"
          .value=${this.text}
          @input=${() => this.#set(this.#box?.value ?? '')}
          @keydown=${(event: KeyboardEvent) => this.#onKey(event)}
          @paste=${(event: ClipboardEvent) => this.#onPaste(event)}
        ></textarea>
        ${this.streaming ? this.#streamingButtons(problem) : this.#sendButton(problem, 'Send')}
      </div>
    `;
  }

  protected override updated(changed: PropertyValues<this>): void {
    const box = this.#box;
    if (changed.has('text') && box && box.value !== this.text) box.value = this.text;
  }

  #attachmentList(): TemplateResult {
    return html`
      <ul class="attachments" aria-label="Attached pictures">
        ${this.attachments.map(
          (image, index) => html`
            <li>
              <mg-picture .image=${image} .label=${`Attached picture ${index + 1}`}></mg-picture>
              <button type="button" class="icon-button" title="Remove" aria-label="Remove Picture ${index + 1}" data-action="detach" data-index=${index}>
                <span class="codicon codicon-close" aria-hidden="true"></span>
              </button>
            </li>
          `,
        )}
      </ul>
    `;
  }

  /** Attaches pasted pictures. Pasted text goes into the box as usual. */
  #onPaste(event: ClipboardEvent): void {
    const files = [...(event.clipboardData?.files ?? [])].filter(({ type }) => type.startsWith('image/'));
    if (files.length === 0) return;
    event.preventDefault();
    this.dispatchEvent(new CustomEvent('pictures', { detail: files }));
  }

  /** Stop is where Send was. What is written meanwhile can be queued. */
  #streamingButtons(problem: string | undefined): TemplateResult {
    const hasContent = this.text.trim() !== '' || this.attachments.length > 0;
    return html`${hasContent ? this.#sendButton(problem, 'Queue') : nothing} ${this.#stopButton()}`;
  }

  #sendButton(problem: string | undefined, label: 'Send' | 'Queue'): TemplateResult {
    const reason = problem ?? (this.model === undefined ? 'Choose a model first' : `${label} (Enter)`);
    return html`
      <button type="button" class="icon-button send" title=${reason} aria-label=${label} ?disabled=${!this.#canSend} @click=${this.#onSendClick}>
        <span class="codicon codicon-send" aria-hidden="true"></span>
      </button>
    `;
  }

  #stopButton(): TemplateResult {
    return html`
      <button type="button" class="icon-button send" title="Stop (Esc)" aria-label="Stop" @click=${this.#onStopClick}>
        <span class="stop-icon" aria-hidden="true"></span>
      </button>
    `;
  }

  get #box(): HTMLTextAreaElement | null {
    return this.querySelector('textarea');
  }

  get #canSend(): boolean {
    return (
      this.model !== undefined && (this.text.trim() !== '' || this.attachments.length > 0) && !this.#problem
    );
  }

  get #problem(): Problem | undefined {
    const { length } = this.text;
    return length <= maxTextLength ? undefined : { kind: 'message-too-long', length, max: maxTextLength };
  }

  #set(text: string): void {
    this.text = text;
    clearTimeout(this.#draftTimer);
    this.#draftTimer = setTimeout(() => this.#keepDraft(), draftDelayMs);
  }

  #keepDraft(): void {
    clearTimeout(this.#draftTimer);
    this.dispatchEvent(new CustomEvent('draft', { detail: this.text }));
  }

  #onKey(event: KeyboardEvent): void {
    // While an input method is open, Enter chooses a word of it.
    if (event.isComposing) return;
    if (event.key === 'Enter' && !event.shiftKey) {
      event.preventDefault();
      // A key that is held down may have pressed a button just before, which led here.
      if (!event.repeat) this.#send();
    } else if (event.key === 'ArrowUp' && this.text === '' && this.lastQuestion !== '') {
      event.preventDefault();
      this.insert(this.lastQuestion);
    }
  }

  #send(): void {
    if (!this.#canSend) return;
    this.dispatchEvent(new CustomEvent('send', { detail: this.text }));
    this.#set('');
    this.#keepDraft();
    this.focusText();
  }

  /** The second click of a double click on Stop finds Send in its place. */
  readonly #onSendClick = ({ detail: clicks }: MouseEvent): void => {
    if (clicks <= 1) this.#send();
  };

  /** The second click of a double click on Send finds Stop in its place. Who goes on clicking wants it. */
  readonly #onStopClick = ({ detail: clicks }: MouseEvent): void => {
    if (clicks === 2) return;
    this.dispatchEvent(new CustomEvent('stop'));
    this.focusText();
  };
}

customElements.define('mg-composer', Composer);
