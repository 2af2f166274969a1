import { html, nothing, type PropertyValues, type TemplateResult } from 'lit';
import type { ReplyView, Turn } from '../../protocol/chatPage.ts';
import { textNodes } from '../markdown/dom.ts';
import './elapsed.ts';
import { iconButton } from '../parts/iconButton.ts';
import { LightElement } from '../parts/lightElement.ts';
import { noticeView } from '../parts/notice.ts';
import { figuresView } from './figures.ts';
import '../parts/picture.ts';
import { ReplyElement } from './reply.ts';

/** A question longer than this is shown in part until the reader asks for the rest. */
const longQuestion = 4000;

const nothingSaid: ReplyView = { text: '', reasoning: '', toolCalls: [], images: [], citations: [] };

/** `<mg-turn>`: one question and its replies. New text goes straight to its reply, past the template. */
export class TurnElement extends LightElement {
  static override properties = {
    turn: { attribute: false },
    number: { attribute: false },
    newest: { attribute: false },
    following: { attribute: false },
    wholeQuestion: { state: true },
  };

  declare turn: Turn;
  declare number: number;
  declare newest: boolean;
  /** Whether the reader is at the end of the conversation. */
  declare following: boolean;
  declare wholeQuestion: boolean;
  // Kept, because looking them up would take longer the more they show.
  #replies: readonly ReplyElement[] = [];

  /** Adds what a streaming reply brought to one of its choices. */
  addText(choice: number, text: string, reasoning: string): void {
    this.#replies[choice]?.addText(text, reasoning);
    const replies = [...this.turn.replies];
    while (replies.length <= choice) replies.push(nothingSaid);
    const reply = replies[choice] ?? nothingSaid;
    replies[choice] = { ...reply, text: reply.text + text, reasoning: reply.reasoning + reasoning };
    this.turn = { ...this.turn, state: 'streaming', replies };
  }

  focusReply(): void {
    this.querySelector<HTMLElement>('.reply')?.focus();
  }

  protected override shouldUpdate(changed: PropertyValues<this>): boolean {
    if (changed.size === 1 && changed.has('following')) {
      this.#tellFollowing();
      return false;
    }
    const before = changed.get('turn');
    return before === undefined || changed.size > 1 || !sameButText(before, this.turn);
  }

  protected override updated(): void {
    this.#replies = [...this.querySelectorAll('mg-reply')].filter((found) => found instanceof ReplyElement);
    this.#tellFollowing();
  }

  protected override render(): TemplateResult {
    const { turn } = this;
    return html`
      <article class="turn ${turn.state}" aria-label="Question ${this.number} and its reply">
        <section class="question" aria-label="Your question">
          <div class="who">You</div>
          ${turn.images.map((image) => html`<mg-picture .image=${image} label="Picture you attached"></mg-picture>`)}
          ${this.#question()}
        </section>
        <section class="reply" tabindex="-1" aria-label="Reply of ${turn.model}" aria-busy=${turn.state !== 'done'}>
          <div class="who">
            <span class="reply-model">${turn.model}</span>
            <span class="spacer"></span>
            ${turn.state === 'done' ? this.#tools() : nothing}
          </div>
          ${turn.lost.length > 0 ? html`<div class="lost">This style could not carry: ${turn.lost.join('; ')}.</div>` : nothing}
          ${turn.state === 'waiting' ? waiting : nothing}
          ${turn.replies.map((reply, choice) => this.#choice(reply, choice))}
          ${figuresView(turn.figures)}
          ${turn.notice ? noticeView(turn.notice) : nothing}
        </section>
      </article>
    `;
  }

  #tools(): TemplateResult {
    const [reply, ...others] = this.turn.replies;
    return html`
      ${others.length === 0 ? copyButton(reply ?? nothingSaid) : nothing}
      ${iconButton('refresh', 'Ask again', 'again')}
    `;
  }

  #choice(reply: ReplyView, choice: number): TemplateResult {
    const { state, replies } = this.turn;
    return html`
      <div class="reply-choice" data-choice=${choice}>
        ${replies.length > 1 ? choiceHead(choice, state === 'done' ? copyButton(reply) : nothing) : nothing}
        <mg-reply .reply=${reply} .state=${state}></mg-reply>
      </div>
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

  #tellFollowing(): void {
    for (const reply of this.#replies) reply.following = this.following;
  }
}

const waiting = html`
  <div class="waiting">
    <span class="codicon codicon-loading codicon-modifier-spin" aria-hidden="true"></span>
    Waiting for the first word… <mg-elapsed></mg-elapsed>
  </div>
`;

function copyButton(reply: ReplyView): TemplateResult {
  return iconButton('copy', 'Copy this reply', 'copy-reply', reply.text === '');
}

function choiceHead(choice: number, tools: TemplateResult | typeof nothing): TemplateResult {
  return html`
    <div class="reply-choice-head">
      <span>Choice ${choice + 1}</span>
      <span class="spacer"></span>
      ${tools}
    </div>
  `;
}

/** Whether only text was added: the replies have shown that already. */
function sameButText(before: Turn, after: Turn): boolean {
  return (
    before.id === after.id &&
    before.state === after.state &&
    before.notice === after.notice &&
    before.replies.length === after.replies.length &&
    before.replies.every((reply, choice) => reply.toolCalls === after.replies[choice]?.toolCalls)
  );
}

customElements.define('mg-turn', TurnElement);

declare global {
  interface HTMLElementTagNameMap {
    'mg-turn': TurnElement;
  }
}
