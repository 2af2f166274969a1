import type { ChatEvent } from '../../wire/chatEvent.ts';
import type { ContinuationForm } from '../../wire/continuationRequest.ts';
import type { Explanation } from '../../wire/explanations/explanation.ts';
import { Comparison } from './comparison.ts';
import { buildHistory, buildHistoryAfter, isInLaterRequests, readContinuedText } from './history.ts';
import { Messages, type RestoredMessage } from './messages.ts';
import type { MessageTree } from './messageTree.ts';
import {
  type ConversationReply,
  type History,
  isEmptyTurn,
  type Prompt,
  type Question,
  type ReplyResult,
  type ReplySettings,
  type Turn,
} from './turn.ts';

/** A read-only view of the message tree. It changes with the conversation. */
type ShownTree = Pick<
  MessageTree,
  'has' | 'head' | 'path' | 'parent' | 'siblings' | 'children' | 'lastShown' | 'subtree'
>;

/**
 * The questions and replies of a chat, as a tree: a new or edited message becomes a sibling of the old one.
 * A reply follows a question, or the reply that it continues; a question follows a reply. The class
 * does not depend on formats, sockets or pages.
 */
export class Conversation {
  readonly #messages = new Messages();
  readonly #tree = this.#messages.tree;
  /** The parents of messages, and the path that is shown. */
  readonly tree: ShownTree = this.#tree;
  /** The branches that are shown side by side. */
  readonly comparison = new Comparison(this.#messages);

  /**
   * @param messages parents before children, siblings in their order. A reply is below a question or a reply. A
   *   question is a root or below a reply.
   * @param head the end of the path that was shown
   * @param compared the ends of the branches that were shown side by side
   */
  static restore(
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
   * Merges the changes of another window: new messages, and newly received parts of replies. The path follows
   * the other window if that window continued from the end of this path; otherwise the path does not change.
   *
   * @param messages as for `restore`, below each other or below messages of this conversation
   * @param head the end of the path that is shown there
   * @param deleted the ids of messages that were deleted there
   * @param order the ids of all messages there, siblings in their order
   * @param compared the ends of the branches that are shown side by side there
   */
  mergeChanges(
    messages: readonly RestoredMessage[],
    head: string | undefined,
    deleted: readonly string[],
    order: readonly string[] = [],
    compared?: readonly string[],
  ): void {
    for (const id of deleted) this.remove(id);
    const added = messages.filter(({ id }) => !this.#tree.has(id));
    for (const message of messages) {
      if (this.#tree.has(message.id)) this.#messages.setContent(message);
      else if (message.parent === undefined || this.#tree.has(message.parent))
        this.#messages.restore(message);
    }
    this.#rememberShown(added);
    const ranks = new Map(order.map((id, index) => [id, index]));
    for (const parent of new Set(messages.map((message) => message.parent)))
      this.#tree.sortChildren(parent, ranks);
    const ownHead = this.#tree.head;
    if (head !== undefined && (ownHead === undefined || this.#tree.pathTo(head).includes(ownHead))) {
      this.#tree.show(head);
      this.comparison.restore(compared);
    }
  }

  #rememberShown(messages: readonly RestoredMessage[]): void {
    for (const { id, lastChild } of messages)
      if (lastChild !== undefined) this.#tree.rememberShown(id, lastChild);
  }

  /** All questions, and all replies that have ended, in the order of their creation. */
  get messages(): readonly RestoredMessage[] {
    return this.#messages.ended;
  }

  /** Whether a question or a reply contains a stored picture, by the hash of its bytes. */
  hasPicture(hash: string): boolean {
    return this.#messages.hasPicture(hash);
  }

  /** The turns of the path that is shown, in order. */
  get turns(): readonly Turn[] {
    return this.#messages.getTurnsOn(this.#tree.path);
  }

  /** Returns the turn that ends with a reply, even if the reply is not shown. */
  turn(id: string): Turn | undefined {
    return this.#messages.turn(id);
  }

  /** The turn at the end of the path that is shown. */
  get lastTurn(): Turn | undefined {
    const { head } = this.#tree;
    return head === undefined ? undefined : this.turn(head);
  }

  get isEmpty(): boolean {
    return this.#tree.head === undefined;
  }

  /** Returns a single reply, even if the reply continues another one. */
  reply(id: string): ConversationReply | undefined {
    return this.#messages.reply(id);
  }

  /** Returns the content of a question; empty if there is no such question. */
  prompt(questionId: string): Prompt {
    return this.#messages.prompt(questionId);
  }

  isQuestion(messageId: string): boolean {
    return this.#messages.isQuestion(messageId);
  }

  /** Whether later requests include a turn: its reply has text. */
  isInLaterRequests(id: string): boolean {
    return isInLaterRequests(this.#messages, id);
  }

  /**
   * The turns on screen that a new request omits, because they have no text. Replies that still arrive are not
   * included.
   */
  get omittedTurns(): readonly Turn[] {
    return this.turns.filter(({ id, result }) => result !== undefined && !this.isInLaterRequests(id));
  }

  /** Adds a question after the last turn. */
  addQuestion({ text, images, files, missing, ...settings }: Question): Turn {
    const question = this.#messages.addQuestion({ text, images, files, missing }, this.#tree.head);
    return this.#messages.addReply(settings, question);
  }

  /**
   * Repeats the question of a turn: the new reply is a sibling of the earlier one, and the newest turn. It
   * replaces an empty reply at the end of its branch, unless that reply may still arrive in another window.
   *
   * @returns undefined if there is no such turn
   */
  repeatQuestion(id: string, settings: ReplySettings): Turn | undefined {
    const earlier = this.#messages.reply(id);
    const [first] = this.#messages.getChain(id);
    if (!earlier || !first) return undefined;
    const mayStillArrive = earlier.unfinished === 'elsewhere';
    if (mayStillArrive || this.#tree.children(id).length > 0 || !isEmptyTurn(earlier)) {
      return this.#messages.addReply(settings, this.#tree.parent(first.id));
    }
    const parent = this.#tree.parent(id);
    this.remove(id);
    return this.#messages.addReply(settings, parent);
  }

  /**
   * Adds a reworded question as a sibling of a turn's question.
   *
   * @returns undefined if there is no such turn
   */
  editQuestion(id: string, { text, images, files, missing, ...settings }: Question): Turn | undefined {
    const turn = this.turn(id);
    if (!turn) return undefined;
    const question = this.#messages.addQuestion(
      { text, images, files, missing },
      this.#tree.parent(turn.questionId),
    );
    return this.#messages.addReply(settings, question);
  }

  /**
   * Adds the user's own text as a sibling of a reply.
   *
   * @returns undefined if there is no such turn, or its reply still arrives
   */
  editReply(id: string, text: string): Turn | undefined {
    const turn = this.turn(id);
    if (!turn?.result) return undefined;
    const edited = { settings: pickSettings(turn.question), editOf: id, result: createEditResult() };
    return this.#messages.addEditedReply(edited, text, turn.questionId);
  }

  /**
   * Adds a reply that continues another one. Both are shown and sent as one reply, and stored as two.
   *
   * @returns undefined if there is no such turn, or it has no text to continue
   */
  continueReply(id: string, settings: ReplySettings): Turn | undefined {
    return this.isInLaterRequests(id) ? this.#messages.addReply(settings, id) : undefined;
  }

  /**
   * Shows a question or reply, with the branch that was last shown below it.
   *
   * @returns whether the path changed
   */
  show(messageId: string): boolean {
    return this.#tree.show(messageId);
  }

  /**
   * Removes a question or reply, and all messages below it.
   *
   * @returns the ids of the removed messages
   */
  remove(messageId: string): readonly string[] {
    return this.#messages.remove(messageId);
  }

  /**
   * Returns a new conversation with copies of a turn and of the messages above it.
   *
   * @returns undefined if there is no such turn, or its reply still arrives
   */
  forkAt(id: string): Conversation | undefined {
    if (!this.reply(id)?.result) return undefined;
    const fork = new Conversation();
    for (const each of this.#tree.pathTo(id)) fork.#messages.addCopy(each, this.#messages);
    return fork;
  }

  /** Appends received events to the choices of the reply of a turn. */
  appendEvents(id: string, events: readonly ChatEvent[]): void {
    this.#messages.appendEvents(id, events);
  }

  /** Records the parts that the request of a turn omitted. */
  setOmitted(id: string, omitted: readonly Explanation[]): void {
    this.#messages.change(id, { omitted });
  }

  /** Records how the reply of a turn ended. */
  finish(id: string, result: ReplyResult): void {
    this.#messages.change(id, { result });
  }

  /** Reads the text that a turn's last reply continues; undefined if it does not continue another reply. */
  readContinuedText(id: string): string | undefined {
    return readContinuedText(this.#messages, id);
  }

  /**
   * Creates the messages for a turn's request.
   *
   * @param form how the request makes the model continue a reply
   */
  buildHistory(id: string, form: ContinuationForm = 'instruction'): History {
    return buildHistory(this.#messages, id, form);
  }

  /**
   * Creates the messages for a question as if it were sent now.
   *
   * @param after the id of the reply before the question, by default the head
   */
  buildHistoryForNext(question: Question, after = this.#tree.head): History {
    return buildHistoryAfter(this.#messages, after, question);
  }
}

/** The result of a reply that was written by the user, without a request. */
function createEditResult(): ReplyResult {
  return { outcome: { kind: 'complete' }, requestId: '', requestedAt: new Date(), totalMs: 0 };
}

function pickSettings({ model, format, systemPrompt, parameters }: Question): ReplySettings {
  return { model, format, ...(systemPrompt !== undefined && { systemPrompt }), parameters };
}
