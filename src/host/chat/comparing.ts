import type { Prompt } from '../../conversations/conversation/turn.ts';
import type { AskedChat, Asker } from './asking/asker.ts';
import type { Draft } from './asking/questionQueue.ts';
import { refuseGone } from './asking/refusedQuestion.ts';

/** What a user does with the answers that a chat shows side by side. Nothing of it takes anything out of the chat. */
export class Comparing {
  readonly #asker: Asker;
  readonly #asked: AskedChat;

  constructor(asker: Asker, asked: AskedChat) {
    this.#asker = asker;
    this.#asked = asked;
  }

  /** Asks more models the question of a turn. Their answers stand beside it. */
  async askBeside(turnId: string, models: readonly string[]): Promise<void> {
    const turn = this.#asked.chat.conversation.turn(turnId);
    if (!turn || refuseGone(turn.question)) return;
    await this.#asker.compare(models, (hows) => this.#comparison.askBeside(turnId, hows));
  }

  /**
   * Asks the models of all columns another question in the place of the one that they share. Both are kept.
   *
   * @param typed the prompt as a draft
   * @returns whether they were asked
   */
  askInstead(questionId: string, prompt: Prompt, typed: Draft): Promise<boolean> {
    const { conversation } = this.#asked.chat;
    const above = conversation.above(questionId);
    const { models } = this.#comparison;
    return this.#asker.compare(models, (hows) => this.#comparison.ask(prompt, hows, above), typed);
  }

  /** Shows the answers to the question of a turn side by side, those of one column or of the path. */
  resume(turnId: string): void {
    const answerId = this.#asked.chat.conversation.turn(turnId)?.answerId;
    if (this.#asker.isStreaming || answerId === undefined) return;
    if (this.#comparison.resume(answerId)) this.#changed();
  }

  /** Shows one column alone, to go on with it; its model is asked next. */
  goOnWith(turnId: string): void {
    const { target, chat } = this.#asked;
    const column = this.#comparison.columnOf(turnId);
    const model = chat.conversation.turn(turnId)?.question.model;
    if (this.#asker.isStreaming || column === undefined) return;
    const { trunk } = this.#comparison;
    this.#comparison.leave(column);
    this.#changed(trunk);
    if (model !== undefined) target.chooseModel(model);
  }

  /** Takes a column away. What it showed stays among the branches. */
  close(turnId: string): void {
    const column = this.#comparison.columnOf(turnId);
    if (column === undefined || this.#asker.isStreaming) return;
    const { trunk } = this.#comparison;
    this.#comparison.close(column);
    this.#changed(trunk);
  }

  /**
   * Shows the branch of an answer in its column.
   *
   * @returns whether it has one
   */
  show(answerId: string): boolean {
    const column = this.#comparison.columnFor(answerId);
    if (column === undefined) return false;
    if (this.#asker.isBusy(column)) return true;
    this.#comparison.show(column, answerId);
    this.#changed();
    return true;
  }

  /** Puts another branch into a column. */
  replace(column: string, end: string): void {
    this.#comparison.replace(column, end);
    this.#changed();
  }

  get #comparison() {
    return this.#asked.chat.conversation.comparison;
  }

  /** @param kept how many turns the page shows as before */
  #changed(kept = this.#comparison.trunk): void {
    this.#asked.chat.keeper.compared();
    this.#asked.fire({ type: 'path', kept });
  }
}
