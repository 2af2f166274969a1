import type { Prompt } from '../../../conversations/conversation/turn.ts';
import type { QuestionDraft } from '../context/unsentInput.ts';
import type { QuestionSender, SessionAccess } from './questionSender.ts';
import { refuseEmpty } from './refusedQuestion.ts';

/** The user's actions on side-by-side replies. They never delete messages of the chat. */
export class ComparisonActions {
  readonly #sender: QuestionSender;
  readonly #session: SessionAccess;

  constructor(sender: QuestionSender, session: SessionAccess) {
    this.#sender = sender;
    this.#session = session;
  }

  /** Sends the question of a turn to more models. Their replies are shown next to the reply of the turn. */
  async sendToMoreModels(turnId: string, models: readonly string[]): Promise<void> {
    const turn = this.#session.chat.conversation.turn(turnId);
    if (!turn || refuseEmpty(turn.question)) return;
    await this.#sender.compare(models, (settingsPerModel) =>
      this.#comparison.addReplies(turnId, settingsPerModel),
    );
  }

  /**
   * Sends a new question to the models of all columns, instead of the question that they share. Both questions are
   * stored.
   *
   * @param draft the prompt as a draft
   * @returns whether the question was sent
   */
  sendReplacement(questionId: string, prompt: Prompt, draft: QuestionDraft): Promise<boolean> {
    const { conversation } = this.#session.chat;
    const parent = conversation.tree.parent(questionId);
    const { models } = this.#comparison;
    return this.#sender.compare(
      models,
      (settingsPerModel) => this.#comparison.addQuestion(prompt, settingsPerModel, parent),
      draft,
    );
  }

  /** Shows the replies to the question of a turn side by side again. */
  resume(turnId: string): void {
    const replyId = this.#session.chat.conversation.turn(turnId)?.firstReplyId;
    if (this.#sender.isStreaming || replyId === undefined) return;
    if (this.#comparison.showAlternatives(replyId)) this.#reportChange();
  }

  /** Shows only the column of a turn, and chooses its model for the next question. */
  continueWith(turnId: string): void {
    const { target, chat } = this.#session;
    const column = this.#comparison.getColumnEnd(turnId);
    const model = chat.conversation.turn(turnId)?.question.model;
    if (this.#sender.isStreaming || column === undefined) return;
    const { trunkLength } = this.#comparison;
    this.#comparison.showOnly(column);
    this.#reportChange(trunkLength);
    if (model !== undefined) target.chooseModel(model);
  }

  /** Closes the column of a turn. Its messages remain available as a branch. */
  close(turnId: string): void {
    const column = this.#comparison.getColumnEnd(turnId);
    if (column === undefined || this.#sender.isStreaming) return;
    const { trunkLength } = this.#comparison;
    this.#comparison.close(column);
    this.#reportChange(trunkLength);
  }

  /**
   * Shows the branch of a reply in its column.
   *
   * @returns whether the reply has a column
   */
  show(replyId: string): boolean {
    const column = this.#comparison.chooseColumn(replyId);
    if (column === undefined) return false;
    if (this.#sender.isBusy(column)) return true;
    this.#comparison.show(column, replyId);
    this.#reportChange();
    return true;
  }

  /** Shows another branch in a column. @param end the id of the branch's last turn */
  replace(column: string, end: string): void {
    this.#comparison.replaceEnd(column, end);
    this.#reportChange();
  }

  get #comparison() {
    return this.#session.chat.conversation.comparison;
  }

  /** @param unchangedTurns the number of turns that the page shows unchanged */
  #reportChange(unchangedTurns = this.#comparison.trunkLength): void {
    this.#session.chat.saver.storeComparison();
    this.#session.fire({ type: 'path', unchangedTurns });
  }
}
