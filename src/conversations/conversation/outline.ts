import type { Conversation } from './conversation.ts';

/** A question or reply in the outline of a conversation. */
export interface OutlineItem {
  readonly id: string;
  readonly kind: 'question' | 'reply';
  /** Whether it is on the path that is shown, which the next request contains. */
  readonly isShown: boolean;
  /** The position among its alternatives, from 1. */
  readonly number: number;
  /** The number of alternatives. */
  readonly count: number;
  /** The beginning of its text, unchanged. */
  readonly excerpt: string;
  /** Of a reply: the model of its request. */
  readonly model: string;
  readonly state: 'arriving' | 'ended';
  /** Of a question: its replies. Of an alternative that is not on the main path: also the messages below it. */
  readonly items: readonly OutlineItem[];
}

/** In UTF-16 units. */
const maxExcerptLength = 300;

/** Deeper branches are only listed while one of their ancestors is shown. */
const maxDepth = 100;

/**
 * Lists all questions and replies of a conversation. The path that is shown is one flat list: questions with
 * their replies, and at each fork the alternatives in order, with the messages below them nested. The depth
 * therefore grows only with branches inside branches.
 */
export function createOutline(conversation: Conversation): readonly OutlineItem[] {
  return new Outline(conversation).listFrom(conversation.tree.children(undefined));
}

/** The position of an item among its alternatives. */
interface ItemPosition extends Pick<OutlineItem, 'number' | 'count'> {
  /** Whether the messages below it are listed after it instead of nested. */
  readonly isMain: boolean;
  /** The number of branches that contain the item. */
  readonly depth: number;
}

class Outline {
  readonly #conversation: Conversation;
  readonly #shownIds: ReadonlySet<string>;

  constructor(conversation: Conversation) {
    this.#conversation = conversation;
    this.#shownIds = new Set(conversation.tree.path);
  }

  /** Lists alternative questions, followed by the messages below the main one. */
  listFrom(questions: readonly string[], depth = 0): readonly OutlineItem[] {
    if (depth > maxDepth) return [];
    const items: OutlineItem[] = [];
    for (let siblings = questions; siblings.length > 0; ) {
      const main = this.#findMain(siblings);
      for (const [index, id] of siblings.entries()) {
        const position = { number: index + 1, count: siblings.length, isMain: id === main, depth };
        items.push(this.#createQuestion(id, position));
      }
      const reply = this.#findMain(this.#conversation.tree.children(main));
      siblings = reply === undefined ? [] : this.#listFollowUps(reply);
    }
    return items;
  }

  #createQuestion(id: string, position: ItemPosition): OutlineItem {
    const replies = this.#conversation.tree.children(id);
    const main = this.#findMain(replies);
    return {
      ...this.#createItem(id, position),
      items: [
        ...replies.map((reply, index) =>
          this.#createReply(reply, {
            number: index + 1,
            count: replies.length,
            isMain: reply === main,
            depth: position.depth,
          }),
        ),
        ...(position.isMain || main === undefined
          ? []
          : this.listFrom(this.#listFollowUps(main), position.depth + 1)),
      ],
    };
  }

  #createReply(id: string, position: ItemPosition): OutlineItem {
    return {
      ...this.#createItem(id, position),
      items: position.isMain ? [] : this.listFrom(this.#listFollowUps(id), position.depth + 1),
    };
  }

  #createItem(id: string, { number, count }: ItemPosition): Omit<OutlineItem, 'items'> {
    const conversation = this.#conversation;
    const reply = conversation.reply(id);
    const replyStart = reply?.replies[0]?.parts.find((part) => part.type === 'text');
    return {
      id,
      kind: reply ? 'reply' : 'question',
      isShown: this.#shownIds.has(id),
      number,
      count,
      excerpt: (reply ? (replyStart?.text ?? '') : conversation.prompt(id).text).slice(0, maxExcerptLength),
      model: reply?.settings.model ?? '',
      state: reply && (!reply.result || reply.unfinished === 'elsewhere') ? 'arriving' : 'ended',
    };
  }

  /** Lists the questions after a reply and after its continuations, which belong to the same turn. */
  #listFollowUps(reply: string): readonly string[] {
    const questions: string[] = [];
    const chain = [reply];
    for (const each of chain) {
      for (const id of this.#conversation.tree.children(each)) {
        if (this.#conversation.isQuestion(id)) questions.push(id);
        else chain.push(id);
      }
    }
    return questions;
  }

  /** Finds the main one of several alternatives: on the shown path, or else shown last. */
  #findMain(siblings: readonly string[]): string | undefined {
    const [first] = siblings;
    if (first === undefined) return undefined;
    const lastShown = this.#conversation.tree.lastShown(this.#conversation.tree.parent(first));
    return (
      siblings.find((id) => this.#shownIds.has(id)) ??
      siblings.find((id) => id === lastShown) ??
      siblings.at(-1)
    );
  }
}
