import { html, nothing, type TemplateResult } from 'lit';
import type { FromChatPage } from '../../protocol/chatPage.ts';
import type { ReplyDelta, ReplyNotice, Turn } from '../../protocol/chatTurn.ts';
import { textNodes } from '../markdown/dom.ts';
import { iconButton } from '../parts/buttons.ts';
import { LightElement, property, state } from '../parts/lightElement.ts';
import { noticeView } from '../parts/notice.ts';
import { branchSwitcher } from './branch.ts';
import { askedFileChips, missingChips } from './contextChips.ts';
import type { Passage } from './find/passages.ts';
import type { EditedMessage, PastedText } from './messageEditor.ts';
import { messageEdits } from './messageEdits.ts';
import { copyButton, replyFoot } from './replyFoot.ts';
import type { StreamingReply, StreamingTurn } from './streamingTurn.ts';
import '../parts/picture.ts';
import { ReplyElement } from './reply.ts';
import { ElapsedElement, firstWaitView } from './waiting.ts';
import './messageEditor.ts';
import './schemaCheck.ts';
import { numberWords, t } from '../words/l10n.ts';

/** Whether a button goes on with an answer, or will once no reply arrives. */
export type GoOn = 'none' | 'later' | 'now';

/** A longer question is shown in part until the reader asks for the rest, in UTF-16 units. */
const maxFoldedQuestion = 4000;

/**
 * `<mg-turn>`: one question and its replies. Additions go straight to the reply, without rendering the
 * template.
 */
export class TurnElement extends LightElement.with({
  number: property<number>(),
  /** What of the turn is shown here. */
  part: property<'all' | 'question' | 'reply'>('all'),
  /** Whether it stands beside others that are compared. */
  inColumn: property(false),
  isLast: property(false),
  /** Whether a reply arrives in this chat: no other branch can be asked or shown meanwhile. */
  isBusy: property(false),
  /** Whether the turn does not go along with the next question. */
  isLeftOut: property(false),
  /** Whether what goes along with the next question begins here, after turns that do not. */
  beginsContext: property(false),
  /** Whether the chat can go on with this one of several answers alone. */
  goOn: property<GoOn>('none'),
  wholeQuestion: state(false),
}) {
  /** Returns whether the reader is at the end of the conversation. */
  isFollowing = () => true;
  #shown: StreamingTurn | undefined;
  // Kept, because looking them up would take longer the more they show.
  #replies: readonly ReplyElement[] = [];
  #wait: ElapsedElement | undefined;

  get turnId(): string | undefined {
    return this.#shown?.turn.id;
  }

  get question(): string {
    return this.#shown?.turn.question ?? '';
  }

  /** Shows a turn that may have changed in any part. */
  show(turn: StreamingTurn): void {
    this.#shown = turn;
    this.requestUpdate();
  }

  /** Renders at once, with its replies: whoever builds many turns sees what each takes. */
  renderNow(): void {
    this.performUpdate();
    for (const reply of this.#replies) reply.renderNow();
  }

  /** Notes that something of the reply arrived. */
  heard(): void {
    this.#wait?.restart();
  }

  /** Shows an addition to one of the replies. */
  applyDelta(delta: ReplyDelta): void {
    if (!this.isUpdatePending) this.#replies[delta.choice]?.applyDelta(delta);
  }

  /** Opens the question, or the first choice of the reply, in a box, and puts the focus there. */
  async edit(message: EditedMessage): Promise<void> {
    if (!this.#shown) return;
    const { turn, replies } = this.#shown;
    messageEdits.write(
      turn.id,
      message,
      message === 'question' ? turn.question : (replies[0]?.text.from(0) ?? ''),
    );
    this.requestUpdate();
    await this.updateComplete;
    const editors = [...this.querySelectorAll('mg-message-editor')];
    await editors.find(({ of }) => of === message)?.focusEnd();
  }

  /** Unfolds a long question, or a long list, in which a passage stands. */
  reveal(passage: Passage): void {
    if (passage.kind === 'question') this.#showWholeQuestion();
    else if ('position' in passage) this.#replies[passage.choice]?.reveal(passage);
  }

  #showWholeQuestion(): void {
    this.wholeQuestion = true;
  }

  focusReply(): void {
    this.querySelector<HTMLElement>('.reply')?.focus();
  }

  protected override updated(): void {
    // A class, because a selector by place is looked at again for all turns whenever one is added.
    this.classList.toggle('last', this.isLast);
    this.#replies = [...this.querySelectorAll('mg-reply')].filter((found) => found instanceof ReplyElement);
    const wait = this.querySelector('mg-elapsed');
    this.#wait = wait instanceof ElapsedElement ? wait : undefined;
  }

  protected override render(): TemplateResult | typeof nothing {
    if (!this.#shown) return nothing;
    const { turn, replies } = this.#shown;
    const { isLeftOut } = this;
    return html`
      ${this.beginsContext ? html`<div class="context-begins" role="separator">${t('The next question includes the turns from here on')}</div>` : nothing}
      <article class="turn ${turn.state} ${isLeftOut ? 'left-out' : ''}" aria-label=${this.#label}>
        ${this.part === 'reply' ? nothing : this.#questionView(turn)}
        ${this.part === 'question' ? nothing : this.#replyView(turn, replies)}
        ${this.goOn === 'none' ? nothing : goOnButton(this.goOn)}
      </article>
    `;
  }

  get #label(): string {
    if (this.part === 'all') return t('Question {0} and its reply', this.number);
    return t(this.part === 'question' ? 'Question {0}' : 'Reply {0}', this.number);
  }

  #questionView(turn: Omit<Turn, 'replies'>): TemplateResult {
    const { isBusy, isLeftOut } = this;
    const edited = messageEdits.text(turn.id, 'question');
    return html`
      <section class="question" aria-label=${t('Your question')}>
        <div class="who">
          ${t('You')} ${branchSwitcher('question', turn.questionBranch, isBusy)} ${isLeftOut ? leftOutNote() : nothing}
          ${edited === undefined ? questionTools(turn, isBusy) : nothing}
        </div>
        ${askedFileChips(turn.files)} ${missingChips(turn.missing)}
        ${turn.images.map((image) => html`<mg-picture .image=${image} .label=${t('Picture you attached')}></mg-picture>`)}
        ${edited === undefined ? this.#question(turn.question) : this.#editor('question', edited)}
      </section>
    `;
  }

  #replyView(turn: Omit<Turn, 'replies'>, replies: readonly StreamingReply[]): TemplateResult {
    const { isBusy, isLast } = this;
    const edited = messageEdits.text(turn.id, 'answer');
    // Other programs' exports may not tell which one it was.
    const model = turn.model || t('Unknown model');
    return html`
      <section class="reply" tabindex="-1" aria-label=${t('Reply of {0}', model)} aria-busy=${turn.state !== 'done'}>
        <div class="who">
          <span class="reply-model">${model}</span>
          ${turn.isEdited ? html`<span class="edited-note">${t('Edited by you')}</span>` : nothing}
          ${branchSwitcher('answer', turn.answerBranch, isBusy)}
            ${turn.answerBranch && !this.inColumn ? compareButton(isBusy) : nothing}
        </div>
        ${turn.omitted.length > 0 ? html`<div class="omitted">${t('Not sent, because the API format does not support it: {0}.', turn.omitted.join(t('; ')))}</div>` : nothing}
        ${turn.notThere ? html`<div class="omitted">${t('Not sent: {0}.', turn.notThere.join(t('; ')))}</div>` : nothing}
        ${turn.state === 'waiting' ? firstWaitView(turn.waitedMs) : nothing}
        ${edited === undefined ? this.#choices() : this.#editor('answer', edited)}
        ${missingChips(turn.missingOfReply)}
        ${turn.notice ? replyNotice(turn.notice, isLast) : nothing}
        ${replyFoot(turn, replies, { isLast, isBusy, inColumn: this.inColumn })}
        <mg-schema-check .turnId=${turn.id}></mg-schema-check>
      </section>
    `;
  }

  #choices(): readonly TemplateResult[] {
    const { turn, replies } = this.#shown ?? { replies: [] };
    return replies.map((reply, choice) => this.#choice(reply, choice, replies.length > 1, turn));
  }

  #editor(of: EditedMessage, text: string): TemplateResult {
    return html`
      <mg-message-editor
        .of=${of}
        .text=${text}
        .isBusy=${this.isBusy}
        .pasted=${messageEdits.pasted(this.turnId ?? '', of)}
        @texts-pasted=${({ detail }: CustomEvent<readonly PastedText[]>) => this.#attach(of, detail)}
        @message-typed=${({ detail }: CustomEvent<string>) => messageEdits.write(this.turnId ?? '', of, detail)}
        @message-edited=${({ detail }: CustomEvent<string>) => this.#edited(of, detail)}
        @edit-cancelled=${() => this.#leaveEditor(of)}
      ></mg-message-editor>
    `;
  }

  /** Sends the message to the host, unless it stayed as it was. */
  #edited(of: EditedMessage, text: string): void {
    const turnId = this.turnId ?? '';
    const pasted = messageEdits.pasted(turnId, of);
    this.#close(of);
    const detail =
      of === 'question'
        ? ({
            type: 'edit-question',
            turnId,
            text,
            ...(pasted.length > 0 && { pasted: [...pasted] }),
          } as const)
        : ({ type: 'edit-answer', turnId, text } as const);
    this.dispatchEvent(new CustomEvent('edit-message', { detail, bubbles: true }));
  }

  #attach(of: EditedMessage, pasted: readonly PastedText[]): void {
    messageEdits.attach(this.turnId ?? '', of, pasted);
    this.requestUpdate();
  }

  #close(of: EditedMessage): void {
    messageEdits.close(this.turnId ?? '', of);
    this.requestUpdate();
  }

  #leaveEditor(of: EditedMessage): void {
    this.#close(of);
    void this.updateComplete.then(() => this.querySelector<HTMLElement>(`[data-action=edit-${of}]`)?.focus());
  }

  #choice(
    reply: StreamingReply,
    choice: number,
    isOneOfSome: boolean,
    turn: Omit<Turn, 'replies'> | undefined,
  ): TemplateResult {
    const { state = 'done', asksForJson = false, figures } = turn ?? {};
    // It is measured of all choices together.
    const reasoningMs = isOneOfSome ? undefined : figures?.reasoningMs;
    return html`
      <div class="reply-choice" data-choice=${choice}>
        ${isOneOfSome ? this.#choiceHead(choice) : nothing}
        <mg-reply
          .reply=${reply}
          .state=${state}
          .asksForJson=${asksForJson}
          .reasoningMs=${reasoningMs}
          .isFollowing=${this.isFollowing}
        ></mg-reply>
        ${isOneOfSome && state === 'done' ? html`<div class="reply-tools">${copyButton(reply)}</div>` : nothing}
      </div>
    `;
  }

  /** Only the first choice goes along with later questions. */
  #choiceHead(choice: number): TemplateResult {
    return html`
      <div class="reply-choice-head">
        <span>${t('Choice {0}', choice + 1)}</span>
        ${choice > 0 && !this.isLeftOut ? leftOutNote() : nothing}
      </div>
    `;
  }

  #question(question: string): TemplateResult {
    if (this.wholeQuestion || question.length <= maxFoldedQuestion) {
      return html`<div class="question-text" dir="auto">${textNodes(question)}</div>`;
    }
    return html`
      <div class="question-text" dir="auto">${textNodes(question.slice(0, maxFoldedQuestion))}…</div>
      <button type="button" class="text-button" @click=${this.#showWholeQuestion}>
        ${t('Show All {0} Characters', numberWords(question.length))}
      </button>
    `;
  }
}

/** The actions of a question. */
function questionTools({ question }: Omit<Turn, 'replies'>, isBusy: boolean): TemplateResult {
  return html`
    <div class="reply-tools question-tools">
      ${question === '' ? nothing : iconButton('copy', t('Copy Question'), 'copy-question')}
      ${iconButton('edit', t('Edit Question'), 'edit-question')}
      ${iconButton('trash', t('Delete Question and Following Messages'), 'delete-question', { disabled: isBusy })}
    </div>
  `;
}

/** Shows all answers to the question at once. */
function compareButton(isBusy: boolean): TemplateResult {
  return iconButton('split-horizontal', t('Show Side by Side'), 'compare-branches', { disabled: isBusy });
}

function goOnButton(goOn: GoOn): TemplateResult {
  return html`
    <button type="button" class="button secondary go-on" data-action="go-on-with" ?disabled=${goOn !== 'now'}>
      ${t('Continue with This Reply')}
    </button>
  `;
}

function leftOutNote(): TemplateResult {
  return html`<span class="left-out-note">${t('Not sent with the next question')}</span>`;
}

/** What is still of use of an earlier turn's notice. */
const lasting: readonly string[] = ['open-request', 'copy-details', 'show-log'];

function replyNotice(notice: ReplyNotice, isLast: boolean): TemplateResult {
  if (isLast) return noticeView(notice);
  const buttons = notice.buttons.filter(({ action }) => lasting.includes(action));
  return noticeView({ ...notice, buttons }, { hasMainButton: false });
}

customElements.define('mg-turn', TurnElement);

declare global {
  interface HTMLElementEventMap {
    'edit-message': CustomEvent<FromChatPage & { readonly type: 'edit-question' | 'edit-answer' }>;
  }
  interface HTMLElementTagNameMap {
    'mg-turn': TurnElement;
  }
}
