import { randomUUID } from 'node:crypto';
import type { ChatEvent } from '../../wire/chatEvent.ts';
import type { Explanation } from '../../wire/explanations/explanation.ts';
import type { MessagePart } from '../../wire/message.ts';
import { joinResults } from './joinedResult.ts';
import { MessageTree } from './messageTree.ts';
import { appendEvent, isStoredImage, joinReplies, type Reply, ReplyBuilder } from './reply.ts';
import type { ConversationReply, Prompt, ReplyResult, ReplySettings, Turn } from './turn.ts';

/** A question or an ended reply from an earlier session. */
export interface RestoredMessage {
  readonly id: string;
  /** The id of a message earlier in the list; undefined for a root. */
  readonly parent: string | undefined;
  readonly content:
    | Prompt
    | (Pick<ConversationReply, 'settings' | 'editOf' | 'unfinished'> & {
        readonly result: ReplyResult;
        readonly replies: readonly Reply[];
      });
  /** The child that was shown last. */
  readonly lastChild?: string | undefined;
}

interface QuestionMessage extends Prompt {
  readonly id: string;
}

interface MutableReply extends ConversationReply {
  readonly replies: ReplyBuilder[];
  lastActivityAt: number;
}

/** The questions and replies of a chat, with their tree. Replies grow in place while they arrive. */
export class Messages {
  readonly tree = new MessageTree();
  readonly #questions = new Map<string, QuestionMessage>();
  readonly #replies = new Map<string, MutableReply>();

  /** All questions, and all replies that have ended, in the order of their creation. */
  get ended(): readonly RestoredMessage[] {
    return this.tree.ids.flatMap((id): readonly RestoredMessage[] => {
      const parent = this.tree.parent(id);
      const content = this.#questions.get(id) ?? this.#getEndedContent(id);
      return content ? [{ id, parent, content, lastChild: this.tree.lastShown(id) }] : [];
    });
  }

  /** Returns the content of a question; empty if there is no such question. */
  prompt(id: string | undefined): Prompt {
    return this.#questions.get(id ?? '') ?? emptyPrompt;
  }

  isQuestion(id: string | undefined): boolean {
    return this.#questions.has(id ?? '');
  }

  reply(id: string | undefined): ConversationReply | undefined {
    return this.#replies.get(id ?? '');
  }

  /** Whether a question or a reply contains a stored picture, by the hash of its bytes. */
  hasPicture(hash: string): boolean {
    const isPicture = (part: MessagePart) => isStoredImage(part) && part.hash === hash;
    return (
      [...this.#questions.values()].some(({ images }) => images.some(isPicture)) ||
      [...this.#replies.values()].some(({ replies }) => replies.some(({ parts }) => parts.some(isPicture)))
    );
  }

  /** Returns a reply and the replies that it continues, in their order. */
  getChain(id: string): readonly ConversationReply[] {
    const newestFirst: ConversationReply[] = [];
    let reply = this.reply(id);
    while (reply) {
      newestFirst.push(reply);
      reply = this.reply(this.tree.parent(reply.id));
    }
    return newestFirst.reverse();
  }

  /** Returns the turns on a path through the tree. */
  getTurnsOn(path: readonly string[]): readonly Turn[] {
    return this.getTurnIdsOn(path).flatMap((id) => this.turn(id) ?? []);
  }

  /** Returns the ids of the turns on a path: the ids of the replies that are not continued on the path. */
  getTurnIdsOn(path: readonly string[]): readonly string[] {
    return path.filter((id, index) => this.#replies.has(id) && !this.#replies.has(path[index + 1] ?? ''));
  }

  /** Returns the turn that ends with a reply. */
  turn(id: string): Turn | undefined {
    const reply = this.#replies.get(id);
    return reply && this.#createTurn(reply);
  }

  /** @returns the id of the question */
  addQuestion({ text, images, files, missing }: Prompt, parent: string | undefined): string {
    const id = randomUUID();
    this.#questions.set(id, { id, text, images, files, missing });
    this.tree.add(id, parent);
    return id;
  }

  addReply(settings: ReplySettings, parent: string | undefined): Turn {
    return this.#add(createEmptyReply(randomUUID(), settings), parent);
  }

  /** Adds a reply that the user edited. */
  addEditedReply(
    edited: Pick<ConversationReply, 'settings' | 'editOf' | 'result'>,
    text: string,
    parent: string,
  ): Turn {
    const reply = { ...createEmptyReply(randomUUID(), edited.settings), ...edited };
    reply.replies[0]?.appendEvent({ type: 'text', choice: 0, text });
    return this.#add(reply, parent);
  }

  /** Adds a copy of another conversation's question or reply below the head, under a new id. */
  addCopy(id: string, from: Messages): void {
    const question = from.#questions.get(id);
    const reply = from.#replies.get(id);
    if (question) this.addQuestion(question, this.tree.head);
    else if (reply) this.#add({ ...reply, id: randomUUID() }, this.tree.head);
  }

  /** Adds a message of an earlier session without changing the path. */
  restore(message: RestoredMessage): void {
    this.tree.addWithoutShowing(message.id, message.parent);
    this.setContent(message);
  }

  setContent({ id, content }: RestoredMessage): void {
    if ('text' in content) {
      this.#questions.set(id, { id, ...content });
      return;
    }
    const { settings, editOf, result, replies, unfinished } = content;
    this.#replies.set(id, {
      ...createEmptyReply(id, settings),
      result,
      replies: replies.map((reply) => new ReplyBuilder(reply)),
      ...(editOf !== undefined && { editOf }),
      ...(unfinished && { unfinished }),
    });
  }

  /** Appends received events to the choices of a reply. */
  appendEvents(id: string, events: readonly ChatEvent[]): void {
    const reply = this.#replies.get(id);
    if (reply === undefined) return;
    reply.lastActivityAt = performance.now();
    for (const event of events) appendEvent(reply.replies, event);
  }

  /** Records the omitted parts of a reply's request, or how the reply ended. */
  change(id: string, change: { omitted: readonly Explanation[] } | { result: ReplyResult }): void {
    const reply = this.#replies.get(id);
    if (reply) this.#replies.set(id, { ...reply, ...change });
  }

  /**
   * Removes a question or reply, and all messages below it.
   *
   * @returns the ids of the removed messages
   */
  remove(messageId: string): readonly string[] {
    const removed = this.tree.remove(messageId);
    for (const id of removed) {
      this.#questions.delete(id);
      this.#replies.delete(id);
    }
    return removed;
  }

  #createTurn({ id, settings, omitted, lastActivityAt, unfinished, editOf }: MutableReply): Turn {
    const chain = this.getChain(id);
    const firstReplyId = chain[0]?.id ?? id;
    const questionId = this.tree.parent(firstReplyId) ?? '';
    const { text, images, files, missing } = this.prompt(questionId);
    const question = { text, images, files, missing, ...settings };
    const replies = joinReplies(chain.map((reply) => reply.replies));
    const counted = chain.filter((reply) => reply.id === id || reply.editOf === undefined);
    const result = joinResults(counted.map((reply) => reply.result));
    return {
      id,
      firstReplyId,
      questionId,
      question,
      replies,
      omitted,
      result,
      lastActivityAt,
      ...(unfinished && { unfinished }),
      ...(editOf !== undefined && { isEdited: true }),
    };
  }

  #getEndedContent(id: string): RestoredMessage['content'] | undefined {
    const { settings, editOf, result, replies } = this.#replies.get(id) ?? {};
    if (!settings || !result || !replies) return undefined;
    return { settings, result, replies, ...(editOf !== undefined && { editOf }) };
  }

  #add(reply: MutableReply, parent: string | undefined): Turn {
    this.#replies.set(reply.id, reply);
    this.tree.add(reply.id, parent);
    return this.#createTurn(reply);
  }
}

const emptyPrompt: Prompt = { text: '', images: [] };

function createEmptyReply(id: string, settings: ReplySettings): MutableReply {
  return {
    id,
    settings,
    replies: [new ReplyBuilder()],
    omitted: [],
    result: undefined,
    lastActivityAt: performance.now(),
  };
}
