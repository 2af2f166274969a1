import { randomUUID } from 'node:crypto';
import type { ChatEvent } from '../wire/chatEvent.ts';
import type { Explanation } from '../wire/explanations/explanation.ts';
import { Omissions } from '../wire/omissions.ts';
import { type Exchange, exchangeMessages, questionMessages } from './history.ts';
import { MessageTree } from './messageTree.ts';
import { appendEvent, hasText, isEmptyReply, joinedReplies, type Reply, ReplyBuilder } from './reply.ts';
import type { Answer, Asking, History, Prompt, Question, ReplyResult, Turn } from './turn.ts';

interface QuestionMessage extends Prompt {
  readonly id: string;
}

interface OpenAnswer extends Answer {
  readonly replies: ReplyBuilder[];
  heardAt: number;
}

/** A question or answer of an earlier session, whose reply has ended. */
export interface RestoredMessage {
  readonly id: string;
  /** A message before it in the list; absent at a root. */
  readonly parent: string | undefined;
  readonly content:
    | Prompt
    | (Pick<Answer, 'asked' | 'editOf' | 'unfinished'> & {
        readonly result: ReplyResult;
        readonly replies: readonly Reply[];
      });
  /** The child that was shown last. */
  readonly lastChild?: string | undefined;
}

/**
 * The questions and answers of a chat, a tree: whatever is asked or edited anew is a sibling of what was there.
 * An answer follows a question, or the answer that it continues; a question follows an answer. Independent of
 * formats, sockets and pages. Replies grow in place while they arrive.
 */
export class Conversation {
  readonly #tree = new MessageTree();
  readonly #questions = new Map<string, QuestionMessage>();
  readonly #answers = new Map<string, OpenAnswer>();

  /**
   * Brings a conversation back as it was left.
   *
   * @param messages parents before children, siblings in their order; an answer below a question or an answer, and
   *   a question at a root or below an answer
   * @param head the end of the path that was shown
   */
  static restored(messages: readonly RestoredMessage[], head: string | undefined): Conversation {
    const conversation = new Conversation();
    for (const message of messages) conversation.#restore(message);
    for (const { id, lastChild } of messages) {
      if (lastChild !== undefined) conversation.#tree.rememberShown(id, lastChild);
    }
    conversation.#tree.show(head ?? messages.at(-1)?.id ?? '');
    return conversation;
  }

  /**
   * Takes over what another window added, or received of an answer. The path goes on where that window went on
   * from its end, and otherwise stays.
   *
   * @param messages as for `restored`, below each other or below those that are here
   * @param head the end of the path that is shown there
   * @param gone the ids of messages that were deleted there
   */
  takeOver(messages: readonly RestoredMessage[], head: string | undefined, gone: readonly string[]): void {
    for (const id of gone) this.remove(id);
    for (const message of messages) {
      if (this.#tree.has(message.id)) this.#hold(message);
      else if (message.parent === undefined || this.#tree.has(message.parent)) this.#restore(message);
    }
    const end = this.#tree.head;
    if (head !== undefined && (end === undefined || this.#tree.pathTo(head).includes(end))) {
      this.#tree.show(head);
    }
  }

  /** All questions, and all answers that have ended, in the order in which they were made. */
  get messages(): readonly RestoredMessage[] {
    return this.#tree.all.flatMap((id): readonly RestoredMessage[] => {
      const parent = this.#tree.parent(id);
      const content = this.#questions.get(id) ?? this.#endedAnswer(id);
      return content ? [{ id, parent, content, lastChild: this.#tree.lastShown(id) }] : [];
    });
  }

  has(messageId: string): boolean {
    return this.#tree.has(messageId);
  }

  /** The end of the path that is shown. */
  get head(): string | undefined {
    return this.#tree.head;
  }

  /** The turns of the path that is shown, in order. */
  get turns(): readonly Turn[] {
    const { path } = this.#tree;
    return path.flatMap((id, at) => {
      const next = path[at + 1];
      const isContinued = next !== undefined && this.#answers.has(next);
      return this.#answers.has(id) && !isContinued ? (this.turn(id) ?? []) : [];
    });
  }

  /** The turn that ends with an answer, also one that is not shown. */
  turn(id: string): Turn | undefined {
    const answer = this.#answers.get(id);
    return answer && this.#turnOf(answer);
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
    return this.#answers.get(id);
  }

  /** The id of the message above another: the answer above a question, the question above its answers. */
  above(messageId: string): string | undefined {
    return this.#tree.parent(messageId);
  }

  /** A question or answer with its alternatives, in the order in which they were made. */
  siblings(messageId: string): readonly string[] {
    return this.#tree.siblings(messageId);
  }

  /** Whether a turn goes along with later questions: its reply has text. */
  carries(id: string): boolean {
    return this.#chain(id).some(({ replies: [first] }) => hasText(first));
  }

  /**
   * The turns on screen that do not go along with a question that is asked now: those without text. A reply that
   * still arrives is none of them.
   */
  get leftOut(): readonly Turn[] {
    return this.turns.filter(({ id, result }) => result !== undefined && !this.carries(id));
  }

  /** Adds a question after the last turn. */
  ask({ text, images, ...asked }: Question): Turn {
    return this.#answer(this.#addQuestion({ text, images }, this.#tree.head), asked);
  }

  /**
   * Asks the question of a turn again: the answer is a sibling of the earlier one, and the newest turn. It takes
   * the place of the last answer when nothing of that arrived.
   *
   * @returns undefined when there is no such turn
   */
  askAgain(id: string, asked: Asking): Turn | undefined {
    const earlier = this.#answers.get(id);
    const first = this.#chain(id)[0];
    if (!earlier || !first) return undefined;
    if (id !== this.#tree.head || !isEmpty(earlier)) return this.#answer(this.#tree.parent(first.id), asked);
    const parent = this.#tree.parent(id);
    this.remove(id);
    return this.#answer(parent, asked);
  }

  /**
   * Asks the question of a turn in other words: a sibling of that question.
   *
   * @returns undefined when there is no such turn
   */
  editQuestion(id: string, { text, images, ...asked }: Question): Turn | undefined {
    const turn = this.turn(id);
    if (!turn) return undefined;
    return this.#answer(this.#addQuestion({ text, images }, this.#tree.parent(turn.questionId)), asked);
  }

  /**
   * Adds a sibling of an answer with the user's own text.
   *
   * @returns undefined when there is no such turn, or its reply still arrives
   */
  editAnswer(id: string, text: string): Turn | undefined {
    const turn = this.turn(id);
    const result = turn?.result;
    if (!turn || !result) return undefined;
    const { cost: _, ...told } = result;
    const edited = begun(randomUUID(), askingOf(turn.question));
    edited.replies[0]?.appendEvent({ type: 'text', choice: 0, text });
    this.#add({ ...edited, editOf: id, result: { ...told, outcome: { kind: 'complete' } } }, turn.questionId);
    return this.turn(edited.id);
  }

  /**
   * Lets a model go on where an answer ended. Both are read as one, and kept as two.
   *
   * @returns undefined when there is no such turn, or nothing to go on from
   */
  continueAnswer(id: string, asked: Asking): Turn | undefined {
    return this.carries(id) ? this.#answer(id, asked) : undefined;
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
    const removed = this.#tree.remove(messageId);
    for (const id of removed) {
      this.#questions.delete(id);
      this.#answers.delete(id);
    }
    return removed;
  }

  /**
   * Another conversation with copies of the messages on the way to a turn, and of that turn.
   *
   * @returns undefined when there is no such turn, or its reply still arrives
   */
  forkAfter(id: string): Conversation | undefined {
    if (!this.#answers.get(id)?.result) return undefined;
    const fork = new Conversation();
    for (const each of this.#tree.pathTo(id)) {
      const question = this.#questions.get(each);
      const answer = this.#answers.get(each);
      if (question) fork.#addQuestion(question, fork.#tree.head);
      else if (answer) fork.#add({ ...answer, id: randomUUID() }, fork.#tree.head);
    }
    return fork;
  }

  /** Appends what the model said to the replies of a turn. */
  apply(id: string, events: readonly ChatEvent[]): void {
    const answer = this.#answers.get(id);
    if (answer === undefined) return;
    answer.heardAt = performance.now();
    for (const event of events) appendEvent(answer.replies, event);
  }

  /** Records what the request of a turn could not carry. */
  noteOmitted(id: string, omitted: readonly Explanation[]): void {
    this.#change(id, { omitted });
  }

  finish(id: string, result: ReplyResult): void {
    this.#change(id, { result });
  }

  /** The messages for a turn's request. */
  historyFor(id: string): History {
    const answer = this.#answers.get(id);
    if (!answer) return { messages: [], omitted: [] };
    const parent = this.#tree.parent(id);
    const question = parent === undefined ? undefined : this.#questions.get(parent);
    if (question) return this.#history(this.#tree.parent(question.id), { ...question, ...answer.asked });
    return this.#history(parent, { ...continuation, ...answer.asked });
  }

  /** The messages for a question that would be asked now. */
  historyForNext(question: Question): History {
    return this.#history(this.#tree.head, question);
  }

  #turnOf({ id, asked, omitted, result, heardAt, unfinished }: OpenAnswer): Turn {
    const chain = this.#chain(id);
    const answerId = chain[0]?.id ?? id;
    const questionId = this.#tree.parent(answerId) ?? '';
    const { text, images } = this.#questions.get(questionId) ?? noQuestion;
    const question = { text, images, ...asked };
    const replies = joinedReplies(chain.map((each) => each.replies));
    return {
      ...{ id, answerId, questionId, question, replies, omitted, result, heardAt },
      ...(unfinished && { unfinished }),
    };
  }

  #history(after: string | undefined, question: Question): History {
    const omitted = new Omissions();
    const before = this.#carriedUpTo(after).flatMap((exchange) =>
      exchangeMessages(exchange, question, omitted),
    );
    return { messages: questionMessages(question, before), omitted: omitted.all };
  }

  /**
   * The exchanges up to an answer that go along with a question after it, in order. Those without a reply are
   * left out: a failed one would become a question without an answer.
   */
  #carriedUpTo(answerId: string | undefined): readonly Exchange[] {
    const newestFirst: Exchange[] = [];
    for (let id = answerId; id !== undefined; ) {
      const answers = this.#chain(id);
      const questionId = this.#tree.parent(answers[0]?.id ?? id);
      if (this.carries(id)) {
        newestFirst.push({ prompt: this.#questions.get(questionId ?? '') ?? noQuestion, answers });
      }
      id = questionId === undefined ? undefined : this.#tree.parent(questionId);
    }
    return newestFirst.reverse();
  }

  /** An answer with those that it continues, the first one first. */
  #chain(id: string): readonly OpenAnswer[] {
    const newestFirst: OpenAnswer[] = [];
    let answer = this.#answers.get(id);
    while (answer) {
      newestFirst.push(answer);
      answer = this.#answers.get(this.#tree.parent(answer.id) ?? '');
    }
    return newestFirst.reverse();
  }

  #endedAnswer(id: string): RestoredMessage['content'] | undefined {
    const { asked, editOf, result, replies } = this.#answers.get(id) ?? {};
    if (!asked || !result || !replies) return undefined;
    return { asked, result, replies, ...(editOf !== undefined && { editOf }) };
  }

  #restore(message: RestoredMessage): void {
    this.#tree.addAside(message.id, message.parent);
    this.#hold(message);
  }

  #hold({ id, content }: RestoredMessage): void {
    if ('text' in content) {
      this.#questions.set(id, { id, ...content });
      return;
    }
    const { asked, editOf, result, replies, unfinished } = content;
    this.#answers.set(id, {
      ...begun(id, asked),
      ...{ result, replies: replies.map((reply) => new ReplyBuilder(reply)) },
      ...(editOf !== undefined && { editOf }),
      ...(unfinished && { unfinished }),
    });
  }

  #addQuestion({ text, images }: Prompt, parent: string | undefined): string {
    const id = randomUUID();
    this.#questions.set(id, { id, text, images });
    this.#tree.add(id, parent);
    return id;
  }

  #answer(parent: string | undefined, asked: Asking): Turn {
    return this.#add(begun(randomUUID(), asked), parent);
  }

  #add(answer: OpenAnswer, parent: string | undefined): Turn {
    this.#answers.set(answer.id, answer);
    this.#tree.add(answer.id, parent);
    return this.#turnOf(answer);
  }

  #change(id: string, change: Partial<Pick<Answer, 'omitted' | 'result'>>): void {
    const answer = this.#answers.get(id);
    if (answer) this.#answers.set(id, { ...answer, ...change });
  }
}

const noQuestion: Prompt = { text: '', images: [] };

/** Asks a model to go on, where the chat shows no question. */
const continuation: Prompt = {
  text: 'Continue exactly where you stopped, without repeating anything.',
  images: [],
};

/** Whether nothing of a turn's reply arrived. */
export function isEmpty({ replies }: Pick<Turn, 'replies'>): boolean {
  return replies.every(isEmptyReply);
}

function begun(id: string, asked: Asking): OpenAnswer {
  return {
    ...{ id, asked, replies: [new ReplyBuilder()], omitted: [], result: undefined },
    heardAt: performance.now(),
  };
}

function askingOf({ model, format, systemPrompt, parameters }: Question): Asking {
  return { model, format, ...(systemPrompt !== undefined && { systemPrompt }), parameters };
}
