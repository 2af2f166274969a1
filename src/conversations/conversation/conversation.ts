import type { ChatEvent } from '../../wire/chatEvent.ts';
import type { ContinuationForm } from '../../wire/continuation.ts';
import type { Explanation } from '../../wire/explanations/explanation.ts';
import { Comparison } from './comparison.ts';
import { carries, continuedText, historyAfter, historyFor } from './history.ts';
import { Messages } from './messages.ts';
import type { RestoredMessage } from './restoredMessage.ts';
import {
  type Answer,
  type Asking,
  type History,
  isEmpty,
  type Prompt,
  type Question,
  type ReplyResult,
  type Turn,
} from './turn.ts';

/**
 * The questions and answers of a chat, a tree: whatever is asked or edited anew is a sibling of what was there.
 * An answer follows a question, or the answer that it continues; a question follows an answer. Independent of
 * formats, sockets and pages.
 */
export class Conversation {
  readonly #messages = new Messages();
  readonly #tree = this.#messages.tree;
  /** What is shown side by side. */
  readonly comparison = new Comparison(this.#messages);

  /**
   * Brings a conversation back as it was left.
   *
   * @param messages parents before children, siblings in their order; an answer below a question or an answer, and
   *   a question at a root or below an answer
   * @param head the end of the path that was shown
   * @param compared the ends of the branches that were shown side by side
   */
  static restored(
    messages: readonly RestoredMessage[],
    head: string | undefined,
    compared?: readonly string[],
  ): Conversation {
    const conversation = new Conversation();
    for (const message of messages) conversation.#messages.restore(message);
    conversation.#rememberShown(messages);
    conversation.#tree.show(head ?? messages.at(-1)?.id ?? '');
    conversation.comparison.restore(compared);
    return conversation;
  }

  /**
   * Takes over what another window added, or received of an answer. The path goes on where that window went on
   * from its end, and otherwise stays.
   *
   * @param messages as for `restored`, below each other or below those that are here
   * @param head the end of the path that is shown there
   * @param gone the ids of messages that were deleted there
   * @param order the ids of all messages there, siblings in their order
   * @param compared the ends of the branches that are shown side by side there
   */
  takeOver(
    messages: readonly RestoredMessage[],
    head: string | undefined,
    gone: readonly string[],
    order: readonly string[] = [],
    compared?: readonly string[],
  ): void {
    for (const id of gone) this.remove(id);
    const added = messages.filter(({ id }) => !this.#tree.has(id));
    for (const message of messages) {
      if (this.#tree.has(message.id)) this.#messages.hold(message);
      else if (message.parent === undefined || this.#tree.has(message.parent))
        this.#messages.restore(message);
    }
    this.#rememberShown(added);
    const ranks = new Map(order.map((id, at) => [id, at]));
    for (const parent of new Set(messages.map((message) => message.parent)))
      this.#tree.arrange(parent, ranks);
    const end = this.#tree.head;
    if (head !== undefined && (end === undefined || this.#tree.pathTo(head).includes(end))) {
      this.#tree.show(head);
      this.comparison.restore(compared);
    }
  }

  #rememberShown(messages: readonly RestoredMessage[]): void {
    for (const { id, lastChild } of messages)
      if (lastChild !== undefined) this.#tree.rememberShown(id, lastChild);
  }

  /** All questions, and all answers that have ended, in the order in which they were made. */
  get messages(): readonly RestoredMessage[] {
    return this.#messages.ended;
  }

  /** Whether the conversation has a picture of the store, by the hash of its bytes. */
  hasPicture(hash: string): boolean {
    return this.#messages.hasPicture(hash);
  }

  has(messageId: string): boolean {
    return this.#tree.has(messageId);
  }

  /** The end of the path that is shown. */
  get head(): string | undefined {
    return this.#tree.head;
  }

  /** The ids of the questions and answers on the path that is shown, in order. */
  get path(): readonly string[] {
    return this.#tree.path;
  }

  /** The turns of the path that is shown, in order. */
  get turns(): readonly Turn[] {
    return this.#messages.turnsOn(this.#tree.path);
  }

  /** The turn that ends with an answer, also one that is not shown. */
  turn(id: string): Turn | undefined {
    return this.#messages.turn(id);
  }

  get last(): Turn | undefined {
    const { head } = this.#tree;
    return head === undefined ? undefined : this.turn(head);
  }

  get isEmpty(): boolean {
    return this.#tree.head === undefined;
  }

  /** An answer by itself, also one that continues another. */
  answer(id: string): Answer | undefined {
    return this.#messages.answer(id);
  }

  /** The id of the message above another: the answer above a question, the question above its answers. */
  above(messageId: string): string | undefined {
    return this.#tree.parent(messageId);
  }

  /** A question or answer with its alternatives, in the order in which they were made. */
  siblings(messageId: string): readonly string[] {
    return this.#tree.siblings(messageId);
  }

  /** What follows a question or answer at once; without an id the first questions. */
  following(messageId: string | undefined): readonly string[] {
    return this.#tree.children(messageId);
  }

  /** What follows a question or answer at once and was shown last; without an id the first question. */
  lastShown(messageId: string | undefined): string | undefined {
    return this.#tree.lastShown(messageId);
  }

  /** What a question says; empty where there is none. */
  prompt(questionId: string): Prompt {
    return this.#messages.prompt(questionId);
  }

  /** A question or answer, and all that follows it on any branch, parents first. */
  below(messageId: string): readonly string[] {
    return this.#tree.below(messageId);
  }

  isQuestion(messageId: string): boolean {
    return this.#messages.isQuestion(messageId);
  }

  /** Whether a turn goes along with later questions: its reply has text. */
  carries(id: string): boolean {
    return carries(this.#messages, id);
  }

  /**
   * The turns on screen that do not go along with a question that is asked now: those without text. A reply that
   * still arrives is none of them.
   */
  get leftOut(): readonly Turn[] {
    return this.turns.filter(({ id, result }) => result !== undefined && !this.carries(id));
  }

  /** Adds a question after the last turn. */
  ask({ text, images, files, missing, ...asked }: Question): Turn {
    const question = this.#messages.addQuestion({ text, images, files, missing }, this.#tree.head);
    return this.#messages.addAnswer(asked, question);
  }

  /**
   * Asks the question of a turn again: the answer is a sibling of the earlier one, and the newest turn. It takes
   * the place of one at the end of its branch of which nothing arrived, nor may arrive in another window.
   *
   * @returns undefined when there is no such turn
   */
  askAgain(id: string, asked: Asking): Turn | undefined {
    const earlier = this.#messages.answer(id);
    const [first] = this.#messages.chain(id);
    if (!earlier || !first) return undefined;
    const mayStillCome = earlier.unfinished === 'elsewhere';
    if (mayStillCome || this.#tree.children(id).length > 0 || !isEmpty(earlier)) {
      return this.#messages.addAnswer(asked, this.#tree.parent(first.id));
    }
    const parent = this.#tree.parent(id);
    this.remove(id);
    return this.#messages.addAnswer(asked, parent);
  }

  /**
   * Asks the question of a turn in other words: a sibling of that question.
   *
   * @returns undefined when there is no such turn
   */
  editQuestion(id: string, { text, images, files, missing, ...asked }: Question): Turn | undefined {
    const turn = this.turn(id);
    if (!turn) return undefined;
    const question = this.#messages.addQuestion(
      { text, images, files, missing },
      this.#tree.parent(turn.questionId),
    );
    return this.#messages.addAnswer(asked, question);
  }

  /**
   * Adds a sibling of an answer with the user's own text.
   *
   * @returns undefined when there is no such turn, or its reply still arrives
   */
  editAnswer(id: string, text: string): Turn | undefined {
    const turn = this.turn(id);
    if (!turn?.result) return undefined;
    const edited = { asked: askingOf(turn.question), editOf: id, result: written() };
    return this.#messages.addEdited(edited, text, turn.questionId);
  }

  /**
   * Lets a model go on where an answer ended. Both are read as one, and kept as two.
   *
   * @returns undefined when there is no such turn, or nothing to go on from
   */
  continueAnswer(id: string, asked: Asking): Turn | undefined {
    return this.carries(id) ? this.#messages.addAnswer(asked, id) : undefined;
  }

  /**
   * Shows the branch of a question or answer, as it was shown last.
   *
   * @returns whether another path is shown now
   */
  show(messageId: string): boolean {
    return this.#tree.show(messageId);
  }

  /**
   * Removes a question or answer, and what follows it.
   *
   * @returns the ids of what was removed
   */
  remove(messageId: string): readonly string[] {
    return this.#messages.remove(messageId);
  }

  /**
   * Another conversation with copies of the messages on the way to a turn, and of that turn.
   *
   * @returns undefined when there is no such turn, or its reply still arrives
   */
  forkAfter(id: string): Conversation | undefined {
    if (!this.answer(id)?.result) return undefined;
    const fork = new Conversation();
    for (const each of this.#tree.pathTo(id)) fork.#messages.addCopy(each, this.#messages);
    return fork;
  }

  /** Appends what the model said to the replies of a turn. */
  apply(id: string, events: readonly ChatEvent[]): void {
    this.#messages.apply(id, events);
  }

  /** Records what the request of a turn could not carry. */
  noteOmitted(id: string, omitted: readonly Explanation[]): void {
    this.#messages.change(id, { omitted });
  }

  finish(id: string, result: ReplyResult): void {
    this.#messages.change(id, { result });
  }

  /** The text that a turn's last answer goes on with; undefined for an answer to a question. */
  continuedText(id: string): string | undefined {
    return continuedText(this.#messages, id);
  }

  /**
   * The messages for a turn's request.
   *
   * @param form how the model is asked to go on with an answer
   */
  historyFor(id: string, form: ContinuationForm = 'instruction'): History {
    return historyFor(this.#messages, id, form);
  }

  /** The messages for a question that would be asked now. */
  historyForNext(question: Question, after = this.#tree.head): History {
    return historyAfter(this.#messages, after, question);
  }
}

/** The end of an answer that nobody was asked for. */
function written(): ReplyResult {
  return { outcome: { kind: 'complete' }, requestId: '', requestedAt: new Date(), totalMs: 0 };
}

function askingOf({ model, format, systemPrompt, parameters }: Question): Asking {
  return { model, format, ...(systemPrompt !== undefined && { systemPrompt }), parameters };
}
