import { randomUUID } from 'node:crypto';
import type { ChatEvent } from '../../wire/chatEvent.ts';
import type { Explanation } from '../../wire/explanations/explanation.ts';
import type { MessagePart } from '../../wire/message.ts';
import { joinedResult } from './joinedResult.ts';
import { MessageTree } from './messageTree.ts';
import { appendEvent, isStoredImage, joinedReplies, ReplyBuilder } from './reply.ts';
import type { RestoredMessage } from './restoredMessage.ts';
import type { Answer, Asking, Prompt, ReplyResult, Turn } from './turn.ts';

interface QuestionMessage extends Prompt {
  readonly id: string;
}

interface OpenAnswer extends Answer {
  readonly replies: ReplyBuilder[];
  heardAt: number;
}

/** The questions and answers of a chat, each with its place in the tree. Replies grow in place while they arrive. */
export class Messages {
  readonly tree = new MessageTree();
  readonly #questions = new Map<string, QuestionMessage>();
  readonly #answers = new Map<string, OpenAnswer>();

  /** All questions, and all answers that have ended, in the order in which they were made. */
  get ended(): readonly RestoredMessage[] {
    return this.tree.all.flatMap((id): readonly RestoredMessage[] => {
      const parent = this.tree.parent(id);
      const content = this.#questions.get(id) ?? this.#endedAnswer(id);
      return content ? [{ id, parent, content, lastChild: this.tree.lastShown(id) }] : [];
    });
  }

  /** What a question says; empty where there is none. */
  prompt(id: string | undefined): Prompt {
    return this.#questions.get(id ?? '') ?? noQuestion;
  }

  isQuestion(id: string | undefined): boolean {
    return this.#questions.has(id ?? '');
  }

  answer(id: string | undefined): Answer | undefined {
    return this.#answers.get(id ?? '');
  }

  /** Whether a question or an answer has a picture of the store, by the hash of its bytes. */
  hasPicture(hash: string): boolean {
    const isIt = (part: MessagePart) => isStoredImage(part) && part.hash === hash;
    return (
      [...this.#questions.values()].some(({ images }) => images.some(isIt)) ||
      [...this.#answers.values()].some(({ replies }) => replies.some(({ parts }) => parts.some(isIt)))
    );
  }

  /** An answer with those that it continues, the first one first. */
  chain(id: string): readonly Answer[] {
    const newestFirst: Answer[] = [];
    let answer = this.answer(id);
    while (answer) {
      newestFirst.push(answer);
      answer = this.answer(this.tree.parent(answer.id));
    }
    return newestFirst.reverse();
  }

  /** The turns on a path through the tree. */
  turnsOn(path: readonly string[]): readonly Turn[] {
    return this.turnIdsOn(path).flatMap((id) => this.turn(id) ?? []);
  }

  /** The ids of the turns on a path: of answers that nothing on it continues. */
  turnIdsOn(path: readonly string[]): readonly string[] {
    return path.filter((id, at) => this.#answers.has(id) && !this.#answers.has(path[at + 1] ?? ''));
  }

  /** The turn that ends with an answer. */
  turn(id: string): Turn | undefined {
    const answer = this.#answers.get(id);
    return answer && this.#turnOf(answer);
  }

  /** @returns its id */
  addQuestion({ text, images, files, missing }: Prompt, parent: string | undefined): string {
    const id = randomUUID();
    this.#questions.set(id, { id, text, images, files, missing });
    this.tree.add(id, parent);
    return id;
  }

  /** Adds an answer of which nothing has arrived yet. */
  addAnswer(asked: Asking, parent: string | undefined): Turn {
    return this.#add(begun(randomUUID(), asked), parent);
  }

  /** Adds what the user made of an answer. */
  addEdited(edited: Pick<Answer, 'asked' | 'editOf' | 'result'>, text: string, parent: string): Turn {
    const answer = { ...begun(randomUUID(), edited.asked), ...edited };
    answer.replies[0]?.appendEvent({ type: 'text', choice: 0, text });
    return this.#add(answer, parent);
  }

  /** Adds a question or answer of another conversation below the head, under an id of its own. */
  addCopy(id: string, from: Messages): void {
    const question = from.#questions.get(id);
    const answer = from.#answers.get(id);
    if (question) this.addQuestion(question, this.tree.head);
    else if (answer) this.#add({ ...answer, id: randomUUID() }, this.tree.head);
  }

  /** Adds a message of an earlier session, and leaves the path as it is. */
  restore(message: RestoredMessage): void {
    this.tree.addAside(message.id, message.parent);
    this.hold(message);
  }

  /** Takes what a message says now. */
  hold({ id, content }: RestoredMessage): void {
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

  /** Appends what the model said to the replies of an answer. */
  apply(id: string, events: readonly ChatEvent[]): void {
    const answer = this.#answers.get(id);
    if (answer === undefined) return;
    answer.heardAt = performance.now();
    for (const event of events) appendEvent(answer.replies, event);
  }

  /** Records what the request of an answer could not carry, or how the answer ended. */
  change(id: string, change: { omitted: readonly Explanation[] } | { result: ReplyResult }): void {
    const answer = this.#answers.get(id);
    if (answer) this.#answers.set(id, { ...answer, ...change });
  }

  /**
   * Removes a question or answer, and what follows it.
   *
   * @returns the ids of what was removed
   */
  remove(messageId: string): readonly string[] {
    const removed = this.tree.remove(messageId);
    for (const id of removed) {
      this.#questions.delete(id);
      this.#answers.delete(id);
    }
    return removed;
  }

  #turnOf({ id, asked, omitted, heardAt, unfinished, editOf }: OpenAnswer): Turn {
    const chain = this.chain(id);
    const answerId = chain[0]?.id ?? id;
    const questionId = this.tree.parent(answerId) ?? '';
    const { text, images, files, missing } = this.prompt(questionId);
    const question = { text, images, files, missing, ...asked };
    const replies = joinedReplies(chain.map((each) => each.replies));
    const received = chain.filter((each) => each.id === id || each.editOf === undefined);
    const result = joinedResult(received.map((each) => each.result));
    return {
      ...{ id, answerId, questionId, question, replies, omitted, result, heardAt },
      ...(unfinished && { unfinished }),
      ...(editOf !== undefined && { isEdited: true }),
    };
  }

  #endedAnswer(id: string): RestoredMessage['content'] | undefined {
    const { asked, editOf, result, replies } = this.#answers.get(id) ?? {};
    if (!asked || !result || !replies) return undefined;
    return { asked, result, replies, ...(editOf !== undefined && { editOf }) };
  }

  #add(answer: OpenAnswer, parent: string | undefined): Turn {
    this.#answers.set(answer.id, answer);
    this.tree.add(answer.id, parent);
    return this.#turnOf(answer);
  }
}

const noQuestion: Prompt = { text: '', images: [] };

function begun(id: string, asked: Asking): OpenAnswer {
  return {
    ...{ id, asked, replies: [new ReplyBuilder()], omitted: [], result: undefined },
    heardAt: performance.now(),
  };
}
