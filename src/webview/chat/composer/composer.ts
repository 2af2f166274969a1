import '../../parts/picture.ts';
import { html, nothing, type PropertyValues, type TemplateResult } from 'lit';
import type { ContextView } from '../../../protocol/chatContext.ts';
import type { ImageView } from '../../../protocol/chatTurn.ts';
import type { CompletionMessage, CompletionsView, CompletionTrigger } from '../../../protocol/completion.ts';
import { renderIconButton } from '../../parts/buttons.ts';
import { LightElement, property, state } from '../../parts/lightElement.ts';
import { renderBoxProblem } from '../../parts/noticeView.ts';
import { t } from '../../words/l10n.ts';
import { describeProblem, type PageProblem } from '../../words/problemWords.ts';
import { CompletionList, type CompletionWord } from './completionList.ts';
import { renderContextChips } from './contextChips.ts';
import { readLongPaste } from './longPaste.ts';

/** The longest text that the host accepts as a question, in UTF-16 units. */
const maxTextLength = 1024 * 1024;
/** The longest draft that the host stores, in UTF-16 units. */
export const maxStoredDraftLength = 4 * maxTextLength;
/** How long after a change `draft` is fired, in milliseconds. */
const draftDelayMs = 200;

declare global {
  interface HTMLElementEventMap {
    completion: CustomEvent<CompletionMessage>;
  }
}

/**
 * The reason why the box gets the focus: `command`, a command of the user; `late`, a slow command; or
 * `returned`, because VS Code returned the focus to the page, for example after the command palette. The palette
 * may have started a command that is about to request a secret.
 */
export type FocusCause = 'command' | 'late' | 'returned';

/** The shortest time in which a user reacts to a box that gets the focus, in milliseconds. */
const reactionMs = 300;
/** The longest time that an input of VS Code takes to appear after a command, in milliseconds. */
const inputOpensMs = 2000;

/**
 * `<mg-composer>`: the message box. Fires `send` and `draft` with the text, `stop`, `pictures` and `long-paste`
 * with pasted content that is attached, and `completion` with the messages of the list of suggestions to the host.
 */
export class Composer extends LightElement.with({
  isStreaming: property<boolean>(),
  model: property<string | undefined>(),
  /** The number of models that a question is sent to. */
  modelCount: property(1),
  /** The initial text of the box. */
  draft: property<string>(),
  lastQuestion: property<string>(),
  attachments: property<readonly ImageView[]>([]),
  context: property<readonly ContextView[]>([]),
  triggers: property<readonly CompletionTrigger[]>([]),
  text: state(''),
  /** Why pasted content was not attached. */
  pasteProblem: state<PageProblem | undefined>(undefined),
  /** Whether the user has to press Enter again to confirm. */
  needsConfirmation: state(false),
}) {
  /** Whether the text in the box may be meant for another part of the window. */
  #isDoubtful = false;
  /** When the box got the focus without a command of the user, by `performance.now()`. */
  #focusedLateAt: number | undefined;
  /** When typed text is no longer doubtful, by `performance.now()`. */
  #doubtEndsAt = Number.POSITIVE_INFINITY;
  /** The text before keys that may be meant for an input of VS Code that is about to open. */
  #textBeforeStrayKeys: string | undefined;
  #draftTimer: ReturnType<typeof setTimeout> | undefined;
  readonly #completion = new CompletionList(this, {
    getBox: () => this.#box,
    getTriggers: () => this.triggers,
    post: (detail) => this.dispatchEvent(new CustomEvent('completion', { detail })),
    replace: (word, text) => this.#replaceRange(word, text),
  });

  override connectedCallback(): void {
    super.connectedCallback();
    this.text = this.draft;
    window.addEventListener('pagehide', () => this.#sendDraft());
    window.addEventListener('blur', () => this.#removeStrayKeys());
  }

  /** @param cause why the box gets the focus, if the user may be typing elsewhere */
  focusText(cause?: FocusCause): void {
    if (cause) this.recordFocus(cause);
    this.#box?.focus();
  }

  /** Records why the box got the focus. */
  recordFocus(cause: FocusCause): void {
    const now = performance.now();
    this.#focusedLateAt = cause === 'command' ? undefined : now;
    this.#doubtEndsAt = cause === 'returned' ? now + inputOpensMs : Number.POSITIVE_INFINITY;
    this.#isDoubtful = false;
    this.#textBeforeStrayKeys = undefined;
  }

  /** Records whether a key follows a late focus so soon that the user typed it before seeing the box. */
  #recordFirstKey({ key }: KeyboardEvent): void {
    if (this.#focusedLateAt === undefined || (key.length > 1 && key !== 'Enter')) return;
    this.#isDoubtful = performance.now() - this.#focusedLateAt < reactionMs;
    if (this.#isDoubtful && Number.isFinite(this.#doubtEndsAt)) this.#textBeforeStrayKeys = this.text;
    this.#focusedLateAt = undefined;
  }

  /**
   * Removes text that was typed for an input of VS Code, such as a credential, before that input got the focus.
   */
  #removeStrayKeys(): void {
    const before = this.#textBeforeStrayKeys;
    this.#textBeforeStrayKeys = undefined;
    if (before === undefined || performance.now() >= this.#doubtEndsAt) return;
    this.needsConfirmation = false;
    this.#setText(before);
  }

  showCompletions(completions: CompletionsView): void {
    this.#completion.show(completions);
  }

  /** Inserts an unsent text before the text that the user has typed since. */
  returnUnsent(text: string): void {
    const before = (typed: string) => [text, typed].filter((part) => part !== '').join('\n');
    if (this.#textBeforeStrayKeys !== undefined)
      this.#textBeforeStrayKeys = before(this.#textBeforeStrayKeys);
    this.replaceText(before(this.text));
  }

  /** Replaces the text of the box. */
  replaceText(text: string): void {
    this.#completion.hide();
    this.#setText(text);
    this.focusText();
  }

  /** Inserts separate lines at the caret, and moves the caret into the line below them. */
  insertParagraph(lines: string): void {
    const box = this.#box;
    if (!box) return;
    const { selectionStart: start, selectionEnd: end, value } = box;
    const before = value.slice(0, start);
    const gap = before === '' || before.endsWith('\n\n') ? '' : before.endsWith('\n') ? '\n' : '\n\n';
    const after = value.slice(end).replace(/^\n+/, '');
    this.#completion.hide();
    this.#replaceRange({ start, end: value.length }, `${gap}${lines}\n\n${after}`);
    box.selectionStart = box.value.length - after.length;
    box.selectionEnd = box.selectionStart;
    this.focusText();
  }

  protected override render(): TemplateResult {
    const problem = this.#problem && describeProblem(this.#problem);
    const doubt = this.needsConfirmation
      ? t('Is this meant for this chat? Press Enter again to send it.')
      : undefined;
    const error = problem ?? (this.pasteProblem && describeProblem(this.pasteProblem));
    const notice = error ?? doubt;
    const { activeId } = this.#completion;
    return html`
      ${notice === undefined ? nothing : renderBoxProblem(notice, error === undefined ? 'info' : 'error')}
      ${renderContextChips(this.context)}
      ${this.attachments.length > 0 ? this.#renderAttachments() : nothing}
      <div class="composer">
        ${this.#completion.render()}
        ${renderIconButton('add', t('Add Context…'), 'add-context')}
        <textarea
          rows="1"
          placeholder=${this.isStreaming ? t('Next question, sent after this reply…') : t('Ask anything. # adds code, / runs a prompt')}
          aria-label=${t('Message')}
          role=${activeId === undefined ? nothing : 'combobox'}
          aria-expanded=${activeId === undefined ? nothing : 'true'}
          aria-controls=${activeId === undefined ? nothing : 'completion'}
          aria-activedescendant=${activeId ?? nothing}
          .value=${this.text}
          @input=${this.#onInput}
          @compositionend=${() => this.#completion.updateWord()}
          @keyup=${() => this.#completion.followCaret()}
          @click=${() => this.#completion.followCaret()}
          @blur=${() => this.#completion.hide()}
          @keydown=${(event: KeyboardEvent) => this.#onKey(event)}
          @paste=${(event: ClipboardEvent) => this.#onPaste(event)}
        ></textarea>
        ${this.isStreaming ? this.#renderStreamingButtons(problem) : this.#renderSendButton(problem, 'Send')}
      </div>
    `;
  }

  protected override updated(changed: PropertyValues<this>): void {
    const box = this.#box;
    if (changed.has('text') && box && box.value !== this.text) box.value = this.text;
    this.#completion.scrollToSelected();
  }

  #renderAttachments(): TemplateResult {
    return html`
      <ul class="attachments" aria-label=${t('Attached pictures')}>
        ${this.attachments.map(
          (image, index) => html`
            <li>
              <mg-picture .image=${image} .label=${t('Attached picture {0}', index + 1)}></mg-picture>
              <button type="button" class="icon-button" title=${t('Remove')} aria-label=${t('Remove Picture {0}', index + 1)} data-action="detach" data-index=${index}>
                <span class="codicon codicon-close" aria-hidden="true"></span>
              </button>
            </li>
          `,
        )}
      </ul>
    `;
  }

  /**
   * Attaches pasted pictures and long texts. A text that is too big is reported instead. Other text is pasted into the
   * box as usual.
   */
  #onPaste(event: ClipboardEvent): void {
    this.pasteProblem = undefined;
    const files = [...(event.clipboardData?.files ?? [])].filter(({ type }) => type.startsWith('image/'));
    const long = files.length === 0 ? readLongPaste(event) : undefined;
    if (files.length === 0 && long === undefined) return;
    event.preventDefault();
    if (long === undefined) this.dispatchEvent(new CustomEvent('pictures', { detail: files }));
    else if ('text' in long) this.dispatchEvent(new CustomEvent('long-paste', { detail: long.text }));
    else this.pasteProblem = long.problem;
  }

  /** Renders the Stop button, and a button that queues content that is typed while a reply streams. */
  #renderStreamingButtons(problem: string | undefined): TemplateResult {
    return html`${this.#hasContent ? this.#renderSendButton(problem, 'Queue') : nothing} ${this.#renderStopButton()}`;
  }

  #renderSendButton(problem: string | undefined, action: 'Send' | 'Queue'): TemplateResult {
    const askLabel =
      action === 'Send' && this.modelCount > 1 ? t('Ask {0} Models', this.modelCount) : undefined;
    const label = askLabel ?? t(action === 'Send' ? 'Send' : 'Queue');
    const reason =
      problem ?? (this.model === undefined ? t('Choose a model first') : t('{0} (Enter)', label));
    return html`
      <button type="button" class="icon-button send ${askLabel ? 'labelled' : ''}" title=${reason} aria-label=${label} ?disabled=${!this.#canSend} @click=${this.#onSendClick}>
        ${askLabel ? html`<span aria-hidden="true">${askLabel}</span>` : nothing}
        <span class="codicon codicon-send" aria-hidden="true"></span>
      </button>
    `;
  }

  #renderStopButton(): TemplateResult {
    return html`
      <button type="button" class="icon-button send" title=${t('Stop (Esc)')} aria-label=${t('Stop')} @click=${this.#onStopClick}>
        <span class="stop-icon" aria-hidden="true"></span>
      </button>
    `;
  }

  get #box(): HTMLTextAreaElement | null {
    return this.querySelector('textarea');
  }

  get #canSend(): boolean {
    return this.model !== undefined && this.#hasContent && !this.#problem;
  }

  get #hasContent(): boolean {
    return this.text.trim() !== '' || this.attachments.length > 0 || this.context.length > 0;
  }

  get #problem(): PageProblem | undefined {
    const { length } = this.text;
    if (length <= maxTextLength) return undefined;
    return length <= maxStoredDraftLength
      ? { kind: 'message-too-long', length, max: maxTextLength }
      : { kind: 'draft-too-long', length, max: maxTextLength, maxStored: maxStoredDraftLength };
  }

  #setText(text: string): void {
    this.text = text;
    this.pasteProblem = undefined;
    clearTimeout(this.#draftTimer);
    const isStray = this.#textBeforeStrayKeys !== undefined && performance.now() < this.#doubtEndsAt;
    const delay = isStray ? inputOpensMs : draftDelayMs;
    this.#draftTimer = setTimeout(() => this.#sendDraft(), delay);
  }

  /** Replaces a part of the text, and moves the caret after it. */
  #replaceRange({ start, end }: Pick<CompletionWord, 'start' | 'end'>, text: string): void {
    const box = this.#box;
    if (!box) return;
    box.setRangeText(text, start, end, 'end');
    this.#setText(box.value);
  }

  #sendDraft(): void {
    clearTimeout(this.#draftTimer);
    this.dispatchEvent(new CustomEvent('draft', { detail: this.text }));
  }

  #onKey(event: KeyboardEvent): void {
    this.#recordFirstKey(event);
    // While an input method is open, Enter chooses one of its words.
    if (event.isComposing || this.#completion.handleKey(event)) return;
    if (event.key === 'Enter' && !event.shiftKey) {
      event.preventDefault();
      // A key that is held down may have pressed a button that moved the focus here.
      if (event.repeat) return;
      if (this.#isDoubtful && performance.now() < this.#doubtEndsAt) this.needsConfirmation = true;
      else this.#send();
      this.#isDoubtful = false;
    } else if (isPlainUp(event) && this.text === '' && this.lastQuestion !== '') {
      event.preventDefault();
      this.replaceText(this.lastQuestion);
    }
  }

  #send(): void {
    if (!this.#canSend) return;
    this.#completion.hide();
    this.#isDoubtful = false;
    this.#textBeforeStrayKeys = undefined;
    this.needsConfirmation = false;
    this.dispatchEvent(new CustomEvent('send', { detail: this.text }));
    this.#setText('');
    this.#sendDraft();
    this.focusText();
  }

  readonly #onInput = ({ isComposing }: InputEvent): void => {
    // Text without a key event before it, such as from the mouse or dictation, is meant for this box.
    this.#focusedLateAt = undefined;
    this.#setText(this.#box?.value ?? '');
    this.#completion.updateWord(isComposing);
  };

  /** Ignores the second click of a double click on Stop, because Send has replaced the button by then. */
  readonly #onSendClick = ({ detail: clicks }: MouseEvent): void => {
    if (clicks <= 1) this.#send();
  };

  /**
   * Ignores the second click of a double click on Send, because Stop has replaced the button by then. A third click
   * is meant for Stop.
   */
  readonly #onStopClick = ({ detail: clicks }: MouseEvent): void => {
    if (clicks === 2) return;
    this.dispatchEvent(new CustomEvent('stop'));
    this.focusText();
  };
}

/** Whether the key is ArrowUp without modifiers. With modifiers it has another meaning in VS Code. */
function isPlainUp({ key, altKey, ctrlKey, metaKey, shiftKey }: KeyboardEvent): boolean {
  return key === 'ArrowUp' && !altKey && !ctrlKey && !metaKey && !shiftKey;
}

customElements.define('mg-composer', Composer);
