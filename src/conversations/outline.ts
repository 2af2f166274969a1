import type { Conversation } from './conversation/conversation.ts';

/** A question or answer in the outline of a conversation. */
export interface OutlineItem {
  readonly id: string;
  readonly of: 'question' | 'answer';
  /** Whether it is on the path that is shown, and so goes along with the next question. */
  readonly isShown: boolean;
  /** From 1, among its alternatives. */
  readonly number: number;
  readonly count: number;
  /** Its first words, as they were written. */
  readonly words: string;
  /** Of an answer: the model that was asked. */
  readonly model: string;
  readonly state: 'arriving' | 'ended';
  /** What follows an alternative that is not gone on with beside it, and of a question its answers first. */
  readonly items: readonly OutlineItem[];
}

const maxWords = 300;

/** Branches within so many branches are not listed; they are once one of those above is shown. */
const maxDepth = 100;

/**
 * All questions and answers of a conversation. The path that is shown is one list, as it is read: questions with their
 * answers, and at each fork the alternatives in their order, with what follows them inside. So it is deep only where
 * branches have branches.
 */
export function outlineOf(conversation: Conversation): readonly OutlineItem[] {
  return new Outline(conversation).listed(conversation.following(undefined));
}

/** Where an item stands among its alternatives. */
interface Place extends Pick<OutlineItem, 'number' | 'count'> {
  /** Whether what follows it is listed after it, and not inside. */
  readonly isMain: boolean;
  /** Within how many branches it is listed. */
  readonly depth: number;
}

class Outline {
  readonly #conversation: Conversation;
  readonly #shown: ReadonlySet<string>;

  constructor(conversation: Conversation) {
    this.#conversation = conversation;
    this.#shown = new Set(conversation.path);
  }

  /** Questions that are alternatives, and after them what follows the one that is gone on with. */
  listed(questions: readonly string[], depth = 0): readonly OutlineItem[] {
    if (depth > maxDepth) return [];
    const items: OutlineItem[] = [];
    for (let siblings = questions; siblings.length > 0; ) {
      const main = this.#main(siblings);
      for (const [at, id] of siblings.entries()) {
        const place = { number: at + 1, count: siblings.length, isMain: id === main, depth };
        items.push(this.#question(id, place));
      }
      const answer = this.#main(this.#conversation.following(main));
      siblings = answer === undefined ? [] : this.#followUps(answer);
    }
    return items;
  }

  #question(id: string, place: Place): OutlineItem {
    const answers = this.#conversation.following(id);
    const main = this.#main(answers);
    return {
      ...this.#item(id, place),
      items: [
        ...answers.map((answer, at) =>
          this.#answer(answer, {
            ...{ number: at + 1, count: answers.length, isMain: answer === main },
            depth: place.depth,
          }),
        ),
        ...(place.isMain || main === undefined ? [] : this.listed(this.#followUps(main), place.depth + 1)),
      ],
    };
  }

  #answer(id: string, place: Place): OutlineItem {
    return {
      ...this.#item(id, place),
      items: place.isMain ? [] : this.listed(this.#followUps(id), place.depth + 1),
    };
  }

  #item(id: string, { number, count }: Place): Omit<OutlineItem, 'items'> {
    const conversation = this.#conversation;
    const answer = conversation.answer(id);
    const text = answer?.replies[0]?.parts.find((part) => part.type === 'text');
    return {
      ...{ id, of: answer ? 'answer' : 'question', isShown: this.#shown.has(id) },
      ...{ number, count },
      words: (answer ? (text?.text ?? '') : conversation.prompt(id).text).slice(0, maxWords),
      model: answer?.asked.model ?? '',
      state: answer && (!answer.result || answer.unfinished === 'elsewhere') ? 'arriving' : 'ended',
    };
  }

  /** The questions after an answer, or after what continues it, which is read as one with it. */
  #followUps(answer: string): readonly string[] {
    const questions: string[] = [];
    const chain = [answer];
    for (const each of chain) {
      for (const id of this.#conversation.following(each)) {
        if (this.#conversation.isQuestion(id)) questions.push(id);
        else chain.push(id);
      }
    }
    return questions;
  }

  /** The one of some alternatives that is gone on with: that which is shown, or was last. */
  #main(siblings: readonly string[]): string | undefined {
    const [first] = siblings;
    if (first === undefined) return undefined;
    const last = this.#conversation.lastShown(this.#conversation.above(first));
    return (
      siblings.find((id) => this.#shown.has(id)) ?? siblings.find((id) => id === last) ?? siblings.at(-1)
    );
  }
}
