import '../../parts/picture.ts';
import './schemaCheck.ts';
import { html, nothing, type TemplateResult } from 'lit';
import type { FromChatPage } from '../../../protocol/chatPage.ts';
import type { ReplyDelta, ReplyNotice, TurnView } from '../../../protocol/chatTurn.ts';
import { createTextNodes } from '../../markdown/dom.ts';
import { renderIconButton } from '../../parts/buttons.ts';
import { LightElement, property, state } from '../../parts/lightElement.ts';
import { renderNotice } from '../../parts/noticeView.ts';
import { formatNumber, t } from '../../words/l10n.ts';
import { renderMissingChips, renderQuestionFileChips } from '../composer/contextChips.ts';
import { renderBranchSwitcher } from './branchSwitcher.ts';
import { type EditedMessage, type EditorPaste, messageEdits } from './messageEditor.ts';
import { type Passage, ReplyElement } from './reply.ts';
import { renderCopyButton, renderReplyFoot } from './replyFoot.ts';
import type { StreamingReply, StreamingTurn } from './streamingTurn.ts';
import { ElapsedElement, renderFirstWait } from './waitingViews.ts';

/** Whether the button *Continue with This Reply* is absent, disabled because a reply is arriving, or enabled. */
export type ContinueOffer = 'none' | 'later' | 'now';

/** The longest question that is shown whole until the reader expands it, in UTF-16 units. */
const maxFoldedQuestion = 4000;

/**
 * `<mg-turn>`: one question and its replies. Additions are applied directly to the reply, without rendering the
 * template.
 */
export class TurnElement extends LightElement.with({
  number: property<number>(),
  /** The part of the turn that is shown. */
  part: property<'all' | 'question' | 'reply'>('all'),
  /** Whether it is in a column next to compared replies. */
  isInColumn: property(false),
  isLast: property(false),
  /** Whether a reply is arriving in this chat: other branches cannot be sent or shown until it is complete. */
  isBusy: property(false),
  /** Whether the turn is not sent with the next question. */
  isExcluded: property(false),
  /** Whether this is the first turn that is sent with the next question, after turns that are not sent. */
  beginsContext: property(false),
  /** Whether the chat can continue with only this one of several replies. */
  continueOffer: property<ContinueOffer>('none'),
  isQuestionUnfolded: state(false),
}) {
  /** Returns whether the reader is at the end of the conversation. */
  isFollowing = () => true;
  #turn: StreamingTurn | undefined;
  // These elements are stored, because a lookup takes longer the more content they have.
  #replies: readonly ReplyElement[] = [];
  #wait: ElapsedElement | undefined;

  get turnId(): string | undefined {
    return this.#turn?.view.id;
  }

  get question(): string {
    return this.#turn?.view.question ?? '';
  }

  /** Shows a turn that may have changed in any part. */
  show(turn: StreamingTurn): void {
    this.#turn = turn;
    this.requestUpdate();
  }

  /** Renders at once, with its replies, so that a caller that builds many turns can measure each of them. */
  renderNow(): void {
    this.performUpdate();
    for (const reply of this.#replies) reply.renderNow();
  }

  /** Restarts the wait, because a part of the reply has arrived. */
  restartWait(): void {
    this.#wait?.restart();
  }

  /** Shows an addition to one of the replies. */
  applyDelta(delta: ReplyDelta): void {
    if (!this.isUpdatePending) this.#replies[delta.choice]?.applyDelta(delta);
  }

  /** Opens the question, or the first choice of the reply, in an edit box, and focuses it. */
  async edit(kind: EditedMessage): Promise<void> {
    if (!this.#turn) return;
    const { view, replies } = this.#turn;
    // The edit button of a reply remains while the reply is edited.
    if (messageEdits.getText(view.id, kind) === undefined) {
      const text = kind === 'question' ? view.question : (replies[0]?.text.readFrom(0) ?? '');
      messageEdits.setText(view.id, kind, text);
      this.requestUpdate();
    }
    await this.updateComplete;
    const editors = [...this.querySelectorAll('mg-message-editor')];
    await editors.find((editor) => editor.kind === kind)?.focusEnd();
  }

  /** Unfolds the long question that contains a passage, or shows the item of a list that contains it. */
  reveal(passage: Passage): void {
    if (passage.kind === 'question') this.#unfoldQuestion();
    else if ('position' in passage) this.#replies[passage.choice]?.reveal(passage);
  }

  #unfoldQuestion(): void {
    this.isQuestionUnfolded = true;
  }

  focusReply(): void {
    this.querySelector<HTMLElement>('.reply')?.focus();
  }

  protected override updated(): void {
    // A class, because browsers evaluate a positional selector again for all turns whenever one is added.
    this.classList.toggle('last', this.isLast);
    this.#replies = [...this.querySelectorAll('mg-reply')].filter((found) => found instanceof ReplyElement);
    const wait = this.querySelector('mg-elapsed');
    this.#wait = wait instanceof ElapsedElement ? wait : undefined;
  }

  protected override render(): TemplateResult | typeof nothing {
    if (!this.#turn) return nothing;
    const { view, replies } = this.#turn;
    return html`
      ${this.beginsContext ? html`<div class="context-begins" role="separator">${t('The turns from here on are sent with the next question')}</div>` : nothing}
      <article class="turn ${view.state} ${this.isExcluded ? 'excluded' : ''}" aria-label=${this.#label}>
        ${this.part === 'reply' ? nothing : this.#renderQuestionSection(view)}
        ${this.part === 'question' ? nothing : this.#renderReplySection(view, replies)}
        ${this.continueOffer === 'none' ? nothing : renderContinueButton(this.continueOffer)}
      </article>
    `;
  }

  get #label(): string {
    if (this.part === 'all') return t('Question {0} and its reply', this.number);
    return t(this.part === 'question' ? 'Question {0}' : 'Reply {0}', this.number);
  }

  #renderQuestionSection(turn: Omit<TurnView, 'replies'>): TemplateResult {
    const { isBusy, isExcluded } = this;
    const editedText = messageEdits.getText(turn.id, 'question');
    return html`
      <section class="question" aria-label=${t('Your question')}>
        <div class="turn-head">
          ${t('You')} ${renderBranchSwitcher('question', turn.questionBranch, isBusy)} ${isExcluded ? renderExcludedNote() : nothing}
          ${editedText === undefined ? renderQuestionTools(turn, isBusy) : nothing}
        </div>
        ${renderQuestionFileChips(turn.files)} ${renderMissingChips(turn.missing)}
        ${turn.images.map((image) => html`<mg-picture .image=${image} .label=${t('Picture you attached')}></mg-picture>`)}
        ${editedText === undefined ? this.#renderQuestion(turn.question) : this.#renderEditor('question', editedText)}
      </section>
    `;
  }

  #renderReplySection(turn: Omit<TurnView, 'replies'>, replies: readonly StreamingReply[]): TemplateResult {
    const { isBusy, isLast } = this;
    const editedText = messageEdits.getText(turn.id, 'reply');
    // The exports of other programs may not contain the model.
    const model = turn.model || t('Unknown model');
    return html`
      <section class="reply" tabindex="-1" aria-label=${t('Reply of {0}', model)} aria-busy=${turn.state !== 'done'}>
        <div class="turn-head">
          <span class="reply-model">${model}</span>
          ${turn.isEdited ? html`<span class="edited-note">${t('Edited by you')}</span>` : nothing}
          ${renderBranchSwitcher('reply', turn.replyBranch, isBusy)}
            ${turn.replyBranch && !this.isInColumn ? renderCompareButton(isBusy) : nothing}
        </div>
        ${turn.omitted.length > 0 ? html`<div class="omitted">${t('Not sent, because the API format does not support it: {0}.', turn.omitted.join(t('; ')))}</div>` : nothing}
        ${turn.missingParts ? html`<div class="omitted">${t('Not sent: {0}.', turn.missingParts.join(t('; ')))}</div>` : nothing}
        ${turn.state === 'waiting' ? renderFirstWait(turn.waitedMs) : nothing}
        ${editedText === undefined ? replies.map((reply, choice) => this.#renderChoice(turn, reply, choice, replies.length > 1)) : this.#renderEditor('reply', editedText)}
        ${renderMissingChips(turn.missingOfReply)}
        ${turn.notice ? renderReplyNotice(turn.notice, isLast) : nothing}
        ${renderReplyFoot(turn, replies, { isLast, isBusy, isInColumn: this.isInColumn })}
        <mg-schema-check .turnId=${turn.id}></mg-schema-check>
      </section>
    `;
  }

  #renderEditor(kind: EditedMessage, text: string): TemplateResult {
    return html`
      <mg-message-editor
        .kind=${kind}
        .text=${text}
        .isBusy=${this.isBusy}
        .pasted=${messageEdits.getPasted(this.turnId ?? '', kind)}
        @texts-pasted=${({ detail }: CustomEvent<readonly EditorPaste[]>) => this.#attach(kind, detail)}
        @message-typed=${({ detail }: CustomEvent<string>) => messageEdits.setText(this.turnId ?? '', kind, detail)}
        @message-edited=${({ detail }: CustomEvent<string>) => this.#finishEdit(kind, detail)}
        @edit-cancelled=${() => this.#cancelEdit(kind)}
      ></mg-message-editor>
    `;
  }

  /** Closes the box, and sends the edited message to the host. */
  #finishEdit(kind: EditedMessage, text: string): void {
    const turnId = this.turnId ?? '';
    const pasted = messageEdits.getPasted(turnId, kind);
    this.#closeEditor(kind);
    const detail =
      kind === 'question'
        ? ({
            type: 'edit-question',
            turnId,
            text,
            ...(pasted.length > 0 && { pasted: [...pasted] }),
          } as const)
        : ({ type: 'edit-reply', turnId, text } as const);
    this.dispatchEvent(new CustomEvent('edit-message', { detail, bubbles: true }));
  }

  #attach(kind: EditedMessage, pasted: readonly EditorPaste[]): void {
    messageEdits.setPasted(this.turnId ?? '', kind, pasted);
    this.requestUpdate();
  }

  #closeEditor(kind: EditedMessage): void {
    messageEdits.close(this.turnId ?? '', kind);
    this.requestUpdate();
  }

  #cancelEdit(kind: EditedMessage): void {
    this.#closeEditor(kind);
    void this.updateComplete.then(() =>
      this.querySelector<HTMLElement>(`[data-action=edit-${kind}]`)?.focus(),
    );
  }

  #renderChoice(
    { state, requestsJson, figures }: Omit<TurnView, 'replies'>,
    reply: StreamingReply,
    choice: number,
    isOneOfSeveral: boolean,
  ): TemplateResult {
    // The time is measured for all choices together.
    const reasoningMs = isOneOfSeveral ? undefined : figures.reasoningMs;
    return html`
      <div class="reply-choice" data-choice=${choice}>
        ${isOneOfSeveral ? this.#renderChoiceHead(choice) : nothing}
        <mg-reply
          .reply=${reply}
          .state=${state}
          .requestsJson=${requestsJson ?? false}
          .reasoningMs=${reasoningMs}
          .isFollowing=${this.isFollowing}
        ></mg-reply>
        ${isOneOfSeveral && state === 'done' ? html`<div class="reply-tools">${renderCopyButton(reply)}</div>` : nothing}
      </div>
    `;
  }

  /** Renders the number of a choice. Only the first choice is sent with later questions. */
  #renderChoiceHead(choice: number): TemplateResult {
    return html`
      <div class="reply-choice-head">
        <span>${t('Choice {0}', choice + 1)}</span>
        ${choice > 0 && !this.isExcluded ? renderExcludedNote() : nothing}
      </div>
    `;
  }

  #renderQuestion(question: string): TemplateResult {
    if (this.isQuestionUnfolded || question.length <= maxFoldedQuestion) {
      return html`<div class="question-text" dir="auto">${createTextNodes(question)}</div>`;
    }
    return html`
      <div class="question-text" dir="auto">${createTextNodes(question.slice(0, maxFoldedQuestion))}…</div>
      <button type="button" class="text-button" @click=${this.#unfoldQuestion}>
        ${t('Show All {0} Characters', formatNumber(question.length))}
      </button>
    `;
  }
}

/** Renders the actions of a question. */
function renderQuestionTools({ question }: Omit<TurnView, 'replies'>, isBusy: boolean): TemplateResult {
  return html`
    <div class="reply-tools question-tools">
      ${question === '' ? nothing : renderIconButton('copy', t('Copy Question'), 'copy-question')}
      ${renderIconButton('edit', t('Edit Question'), 'edit-question')}
      ${renderIconButton('trash', t('Delete Question and Following Messages'), 'delete-question', { isDisabled: isBusy })}
    </div>
  `;
}

/** Renders the button that shows all replies to the question side by side. */
function renderCompareButton(isBusy: boolean): TemplateResult {
  return renderIconButton('split-horizontal', t('Show Side by Side'), 'compare-branches', {
    isDisabled: isBusy,
  });
}

function renderContinueButton(offer: ContinueOffer): TemplateResult {
  return html`
    <button type="button" class="button secondary continue-button" data-action="continue-with-reply" ?disabled=${offer !== 'now'}>
      ${t('Continue with This Reply')}
    </button>
  `;
}

function renderExcludedNote(): TemplateResult {
  return html`<span class="excluded-note">${t('Not sent with the next question')}</span>`;
}

/** The actions of a notice that are still useful in an earlier turn. */
const lastingActions: readonly string[] = ['open-request', 'copy-details', 'show-log'];

function renderReplyNotice(notice: ReplyNotice, isLast: boolean): TemplateResult {
  if (isLast) return renderNotice(notice);
  const buttons = notice.buttons.filter(({ action }) => lastingActions.includes(action));
  return renderNotice({ ...notice, buttons }, { hasMainButton: false });
}

customElements.define('mg-turn', TurnElement);

declare global {
  interface HTMLElementEventMap {
    'edit-message': CustomEvent<FromChatPage & { readonly type: 'edit-question' | 'edit-reply' }>;
  }
  interface HTMLElementTagNameMap {
    'mg-turn': TurnElement;
  }
}
