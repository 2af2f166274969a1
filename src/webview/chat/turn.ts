import { html, nothing, type TemplateResult } from 'lit';
import type { ReplyDelta, Turn } from '../../protocol/chatPage.ts';
import { textNodes } from '../markdown/dom.ts';
import './elapsed.ts';
import { iconButton } from '../parts/buttons.ts';
import { LightElement, property, state } from '../parts/lightElement.ts';
import { noticeView } from '../parts/notice.ts';
import { figuresView } from './figures.ts';
import type { StreamingReply, StreamingTurn } from './streamingTurn.ts';
import '../parts/picture.ts';
import { ReplyElement } from './reply.ts';

/** A longer question is shown in part until the reader asks for the rest, in UTF-16 units. */
const maxFoldedQuestion = 4000;

/**
 * `<mg-turn>`: one question and its replies. Additions go straight to the reply, without rendering the
 * template.
 */
export class TurnElement extends LightElement.with({
  number: property<number>(),
  wholeQuestion: state(false),
}) {
  /** Returns whether the reader is at the end of the conversation. */
  isFollowing = () => true;
  #shown: StreamingTurn | undefined;
  // Kept, because looking them up would take longer the more they show.
  #replies: readonly ReplyElement[] = [];

  get turnId(): string | undefined {
    return this.#shown?.turn.id;
  }

  /** Shows a turn that may have changed in any part. */
  show(turn: StreamingTurn): void {
    this.#shown = turn;
    this.requestUpdate();
  }

  /** Shows an addition to one of the replies. */
  applyDelta(delta: ReplyDelta): void {
    if (!this.isUpdatePending) this.#replies[delta.choice]?.applyDelta(delta);
  }

  focusReply(): void {
    this.querySelector<HTMLElement>('.reply')?.focus();
  }

  protected override updated(): void {
    this.#replies = [...this.querySelectorAll('mg-reply')].filter((found) => found instanceof ReplyElement);
  }

  protected override render(): TemplateResult | typeof nothing {
    if (!this.#shown) return nothing;
    const { turn, replies } = this.#shown;
    return html`
      <article class="turn ${turn.state}" aria-label="Question ${this.number} and its reply">
        <section class="question" aria-label="Your question">
          <div class="who">You</div>
          ${turn.images.map((image) => html`<mg-picture .image=${image} .label=${'Picture you attached'}></mg-picture>`)}
          ${this.#question(turn.question)}
        </section>
        <section class="reply" tabindex="-1" aria-label="Reply of ${turn.model}" aria-busy=${turn.state !== 'done'}>
          <div class="who">
            <span class="reply-model">${turn.model}</span>
            <span class="spacer"></span>
            ${turn.state === 'done' ? tools(replies) : nothing}
          </div>
          ${turn.omitted.length > 0 ? html`<div class="omitted">Not sent, because the API format does not support it: ${turn.omitted.join('; ')}.</div>` : nothing}
          ${turn.state === 'waiting' ? waiting(turn.waitedMs) : nothing}
          ${replies.map((reply, choice) => this.#choice(reply, choice, replies.length > 1, turn.state))}
          ${figuresView(turn.figures)}
          ${turn.notice ? noticeView(turn.notice) : nothing}
        </section>
      </article>
    `;
  }

  #choice(reply: StreamingReply, choice: number, isOneOfSome: boolean, state: Turn['state']): TemplateResult {
    return html`
      <div class="reply-choice" data-choice=${choice}>
        ${isOneOfSome ? choiceHead(choice, state === 'done' ? copyButton(reply) : nothing) : nothing}
        <mg-reply .reply=${reply} .state=${state} .isFollowing=${this.isFollowing}></mg-reply>
      </div>
    `;
  }

  #question(question: string): TemplateResult {
    if (this.wholeQuestion || question.length <= maxFoldedQuestion) {
      return html`<div class="question-text">${textNodes(question)}</div>`;
    }
    return html`
      <div class="question-text">${textNodes(question.slice(0, maxFoldedQuestion))}…</div>
      <button type="button" class="text-button" @click=${this.#showWholeQuestion}>
        Show All ${question.length.toLocaleString('en')} Characters
      </button>
    `;
  }

  #showWholeQuestion(): void {
    this.wholeQuestion = true;
  }
}

function waiting(waitedMs = 0): TemplateResult {
  return html`
    <div class="wait">
      <span class="codicon codicon-loading codicon-modifier-spin" aria-hidden="true"></span>
      <span class="wait-words">Waiting for the first answer</span>
      <mg-elapsed .waitedBefore=${waitedMs}></mg-elapsed>
    </div>
  `;
}

function tools([reply, ...others]: readonly StreamingReply[]): TemplateResult {
  return html`
    ${others.length === 0 ? copyButton(reply) : nothing}
    ${iconButton('refresh', 'Ask Again', 'again')}
  `;
}

function copyButton(reply: StreamingReply | undefined): TemplateResult {
  return iconButton('copy', 'Copy Reply', 'copy-reply', { disabled: !reply?.text.length });
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

customElements.define('mg-turn', TurnElement);

declare global {
  interface HTMLElementTagNameMap {
    'mg-turn': TurnElement;
  }
}
