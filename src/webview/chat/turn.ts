import { html, nothing, type PropertyValues, type TemplateResult } from 'lit';
import type { ToolCallView, Turn } from '../../protocol/chatPage.ts';
import { textNodes } from '../markdown/dom.ts';
import { MarkdownElement } from '../markdown/markdownElement.ts';
import { figuresView } from './figures.ts';
import { iconButton } from './iconButton.ts';
import { LightElement } from './lightElement.ts';
import { noticeView } from './notice.ts';
import { ReasoningFold } from './reasoningFold.ts';

/** A question longer than this is shown in part until the reader asks for the rest. */
const longQuestion = 4000;

/** `<mg-turn>`: one question and its reply. New text goes straight to the Markdown, past the template. */
export class TurnElement extends LightElement {
  static override properties = {
    turn: { attribute: false },
    number: { attribute: false },
    newest: { attribute: false },
    wholeQuestion: { state: true },
  };

  declare turn: Turn;
  declare number: number;
  declare newest: boolean;
  declare wholeQuestion: boolean;
  /** Whether the reader is at the end of the conversation. Nothing is rendered again when it changes. */
  following = true;
  readonly #reasoning = new ReasoningFold();
  // Kept, because looking them up would take longer the more they show.
  #replyText: MarkdownElement | undefined;
  #reasoningText: MarkdownElement | undefined;

  /** Adds what a streaming reply brought. */
  addText(text: string, reasoning: string): void {
    if (reasoning !== '') this.#reasoningText?.appendText(reasoning);
    if (text !== '') this.#replyText?.appendText(text);
    this.turn = {
      ...this.turn,
      state: 'streaming',
      text: this.turn.text + text,
      reasoning: this.turn.reasoning + reasoning,
    };
  }

  focusReply(): void {
    this.querySelector<HTMLElement>('.reply')?.focus();
  }

  protected override shouldUpdate(changed: PropertyValues<this>): boolean {
    const before = changed.get('turn');
    return before === undefined || changed.size > 1 || !sameButText(before, this.turn);
  }

  protected override willUpdate(): void {
    this.#reasoning.update(this.turn, this.following);
  }

  protected override updated(): void {
    const done = this.turn.state === 'done';
    this.#replyText = this.#markdown('reply-text');
    this.#reasoningText = this.#markdown('reasoning-text');
    this.#replyText?.show(this.turn.text, done);
    this.#reasoningText?.show(this.turn.reasoning, done);
  }

  protected override render(): TemplateResult {
    const { turn } = this;
    return html`
      <article class="turn ${turn.state}" aria-label="Question ${this.number} and its reply">
        <section class="question" aria-label="Your question">
          <div class="who">You</div>
          ${this.#question()}
        </section>
        <section class="reply" tabindex="-1" aria-label="Reply of ${turn.model}" aria-busy=${turn.state !== 'done'}>
          <div class="who">
            <span class="reply-model">${turn.model}</span>
            <span class="spacer"></span>
            ${turn.state === 'done' ? this.#tools() : nothing}
          </div>
          ${this.#reasoningView()}
          ${turn.state === 'waiting' ? html`<div class="waiting"><span class="codicon codicon-loading codicon-modifier-spin" aria-hidden="true"></span> Waiting for the first word…</div>` : nothing}
          <mg-markdown class="reply-text"></mg-markdown>
          ${turn.toolCalls.map(toolCall)}
          ${figuresView(turn.figures)}
          ${turn.notice ? noticeView(turn.notice) : nothing}
        </section>
      </article>
    `;
  }

  #tools(): TemplateResult {
    return html`
      ${iconButton('copy', 'Copy this reply', 'copy-reply', this.turn.text === '')}
      ${iconButton('refresh', 'Ask again', 'again')}
    `;
  }

  #question(): TemplateResult {
    const { question } = this.turn;
    if (this.wholeQuestion || question.length <= longQuestion) {
      return html`<div class="question-text">${textNodes(question)}</div>`;
    }
    return html`
      <div class="question-text">${textNodes(question.slice(0, longQuestion))}…</div>
      <button type="button" class="text-button" @click=${this.#showWholeQuestion}>
        Show all ${question.length.toLocaleString('en')} characters
      </button>
    `;
  }

  #showWholeQuestion(): void {
    this.wholeQuestion = true;
  }

  #reasoningView(): TemplateResult | typeof nothing {
    if (this.turn.reasoning === '') return nothing;
    return html`
      <details class="reasoning" .open=${this.#reasoning.open} @toggle=${this.#onToggle}>
        <summary>${this.#reasoning.label}</summary>
        <mg-markdown class="reasoning-text"></mg-markdown>
      </details>
    `;
  }

  #onToggle(event: Event): void {
    if (event.target instanceof HTMLDetailsElement) this.#reasoning.decide(event.target.open);
  }

  #markdown(className: string): MarkdownElement | undefined {
    const found = this.querySelector(`mg-markdown.${className}`);
    return found instanceof MarkdownElement ? found : undefined;
  }
}

/** Whether only text was added: the Markdown has shown that already, unless it is the first of its kind. */
function sameButText(before: Turn, after: Turn): boolean {
  return (
    before.id === after.id &&
    before.state === after.state &&
    before.notice === after.notice &&
    before.toolCalls === after.toolCalls &&
    (before.text === '') === (after.text === '') &&
    (before.reasoning === '') === (after.reasoning === '')
  );
}

function toolCall(call: ToolCallView): TemplateResult {
  return html`
    <div class="tool-call">
      <div class="tool-name"><span class="codicon codicon-tools" aria-hidden="true"></span> ${textNodes(call.name)}</div>
      <pre tabindex="0" aria-label="Arguments"><code>${textNodes(call.arguments)}</code></pre>
    </div>
  `;
}

customElements.define('mg-turn', TurnElement);

declare global {
  interface HTMLElementTagNameMap {
    'mg-turn': TurnElement;
  }
}
