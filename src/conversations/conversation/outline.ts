import type { Conversation } from './conversation.ts';

/** A question or reply in the outline of a conversation. */
export interface OutlineItem {
  readonly id: string;
  readonly kind: 'question' | 'answer';
  /** Whether it is on the path that is shown, which the next request contains. */
  readonly isShown: boolean;
  /** The position among its alternatives, from 1. */
  readonly number: number;
  readonly count: number;
  /** The beginning of its text, unchanged. */
  readonly excerpt: string;
  /** Of a reply: the model of its request. */
  readonly model: string;
  readonly state: 'arriving' | 'ended';
  /** The messages below an alternative that is not on the main path; a question's replies come first. */
  readonly items: readonly OutlineItem[];
}

const maxWords = 300;

/** Deeper branches are not listed; they are listed once one of their ancestors is shown. */
const maxDepth = 100;

/**
 * All questions and replies of a conversation. The path that is shown is one flat list: questions with their
 * replies, and at each fork the alternatives in order, with the messages below them nested. So the depth
 * grows only with branches inside branches.
 */
export function outlineOf(conversation: Conversation): readonly OutlineItem[] {
  return new Outline(conversation).itemsFrom(conversation.tree.children(undefined));
}

/** The position of an item among its alternatives. */
interface ItemPosition extends Pick<OutlineItem, 'number' | 'count'> {
  /** Whether the messages below it are listed after it instead of nested. */
  readonly isMain: boolean;
  /** The number of branches around it. */
  readonly depth: number;
}

class Outline {
  readonly #conversation: Conversation;
  readonly #shown: ReadonlySet<string>;

  constructor(conversation: Conversation) {
    this.#conversation = conversation;
    this.#shown = new Set(conversation.tree.path);
  }

  /** Alternative questions, followed by the messages below the main one. */
  itemsFrom(questions: readonly string[], depth = 0): readonly OutlineItem[] {
    if (depth > maxDepth) return [];
    const items: OutlineItem[] = [];
    for (let siblings = questions; siblings.length > 0; ) {
      const main = this.#main(siblings);
      for (const [index, id] of siblings.entries()) {
        const position = { number: index + 1, count: siblings.length, isMain: id === main, depth };
        items.push(this.#question(id, position));
      }
      const reply = this.#main(this.#conversation.tree.children(main));
      siblings = reply === undefined ? [] : this.#followUps(reply);
    }
    return items;
  }

  #question(id: string, position: ItemPosition): OutlineItem {
    const replies = this.#conversation.tree.children(id);
    const main = this.#main(replies);
    return {
      ...this.#item(id, position),
      items: [
        ...replies.map((reply, index) =>
          this.#reply(reply, {
            ...{ number: index + 1, count: replies.length, isMain: reply === main },
            depth: position.depth,
          }),
        ),
        ...(position.isMain || main === undefined
          ? []
          : this.itemsFrom(this.#followUps(main), position.depth + 1)),
      ],
    };
  }

  #reply(id: string, position: ItemPosition): OutlineItem {
    return {
      ...this.#item(id, position),
      items: position.isMain ? [] : this.itemsFrom(this.#followUps(id), position.depth + 1),
    };
  }

  #item(id: string, { number, count }: ItemPosition): Omit<OutlineItem, 'items'> {
    const conversation = this.#conversation;
    const reply = conversation.reply(id);
    const text = reply?.replies[0]?.parts.find((part) => part.type === 'text');
    return {
      ...{ id, kind: reply ? 'answer' : 'question', isShown: this.#shown.has(id) },
      ...{ number, count },
      excerpt: (reply ? (text?.text ?? '') : conversation.prompt(id).text).slice(0, maxWords),
      model: reply?.settings.model ?? '',
      state: reply && (!reply.result || reply.unfinished === 'elsewhere') ? 'arriving' : 'ended',
    };
  }

  /** The questions after a reply, or after its continuations, which are read as one reply. */
  #followUps(reply: string): readonly string[] {
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

  /** The main one of several alternatives: the one on the shown path, or the one last shown. */
  #main(siblings: readonly string[]): string | undefined {
    const [first] = siblings;
    if (first === undefined) return undefined;
    const last = this.#conversation.tree.lastShown(this.#conversation.tree.parent(first));
    return (
      siblings.find((id) => this.#shown.has(id)) ?? siblings.find((id) => id === last) ?? siblings.at(-1)
    );
  }
}
