import assert from 'node:assert/strict';
import { withFiles } from '../../../../src/conversations/conversation/askedFile.ts';
import type { Prompt } from '../../../../src/conversations/conversation/turn.ts';

/** A question or an answer, as the one who typed it or saw it arrive remembers it. */
export interface Remembered {
  readonly id: string;
  readonly parent: string | undefined;
  /** The window in which it was made. */
  readonly window: string;
  /** Of a question. */
  readonly prompt?: Prompt;
  /** Of an answer: all that arrived, or what the user made of it. */
  text: string;
  /** How much of the text must be there, if the answer is. */
  least: number;
  /** Nobody knows what became of what a window did and could not write. */
  fate: 'there' | 'gone' | 'unknown';
  /** Whether it is gone for good. */
  isPurged: boolean;
  /** Whether a window that shows it still may have written it again: after others, and as far as it knew it. */
  mayBeLate: boolean;
  /** Of an answer that ended: whether it was paid for. */
  end?: 'paid' | 'free';
  /** The same, once that is certain to be on disk. */
  counted?: 'paid' | 'free';
}

/** What somebody finds who reads the file. */
export interface Found extends Pick<Remembered, 'id' | 'parent'> {
  readonly prompt?: Prompt;
  readonly text: string;
}

/** What all windows did to chats, in the plainest form: a list. */
export class ChatMemory {
  /** In the order in which they were made. */
  readonly #all: Remembered[] = [];

  add(message: Pick<Remembered, 'id' | 'parent' | 'window' | 'prompt'>, text = ''): void {
    this.#all.push({
      ...message,
      text,
      least: text.length,
      fate: 'unknown',
      isPurged: false,
      mayBeLate: false,
    });
  }

  get(id: string | undefined): Remembered | undefined {
    return this.#all.find((each) => each.id === id);
  }

  /** What is certain to be deleted. */
  get gone(): readonly Remembered[] {
    return this.#all.filter(({ fate }) => fate === 'gone');
  }

  /** What may be gone for good from then on. */
  monthPassed(): void {
    for (const each of this.#all) {
      each.mayBeLate ||= each.fate !== 'there';
      if (each.mayBeLate) each.least = 0;
    }
  }

  /** What was made in a window. */
  of(window: string): readonly Remembered[] {
    return this.#all.filter((each) => each.window === window);
  }

  /** From the root to a message. */
  pathTo(id: string | undefined): readonly Remembered[] {
    const message = this.get(id);
    return message ? [...this.pathTo(message.parent), message] : [];
  }

  /** A message and all that follows it, parents first. */
  below(id: string): readonly Remembered[] {
    return this.#all.filter((each) => this.pathTo(each.id).some((above) => above.id === id));
  }

  /**
   * What a question that follows a message carries: each question with its answers, where these say anything.
   *
   * @param textOf what is known of an answer where it is asked
   */
  saidUpTo(id: string | undefined, textOf: (answer: Remembered) => string): readonly string[] {
    const path = this.pathTo(id);
    return path.flatMap(({ prompt }, at) => {
      const next = path.findIndex((each, place) => place > at && each.prompt);
      const answers = path.slice(at + 1, next === -1 ? path.length : next);
      const answer = answers.map(textOf).join('');
      return prompt && answer !== '' ? [withFiles(prompt.text, prompt.files), answer] : [];
    });
  }

  /** Compares what was paid for with what the file counts, whatever became of the messages. */
  checkUsage(counted: ReadonlySet<string>): void {
    for (const { id, text, counted: end } of this.#all) {
      if (end) assert.equal(counted.has(id) ? 'paid' : 'free', end, `what was spent on ${text}`);
    }
  }

  /** Compares all that is remembered with what the file has, siblings in their order. */
  check(found: readonly Found[]): void {
    const there = new Map(found.map((each) => [each.id, each]));
    for (const message of this.#all) {
      const kept = there.get(message.id);
      const name = message.prompt?.text ?? message.text;
      if (message.fate !== 'unknown') assert.equal(kept ? 'there' : 'gone', message.fate, name);
      if (kept) checkOne(message, kept);
    }
    for (const { id, parent } of this.#all.filter((each) => there.has(each.id))) {
      const isSibling = (each: Found) => {
        const remembered = this.get(each.id);
        const isOfWindow = remembered?.window === this.get(id)?.window;
        return each.parent === parent && isOfWindow && !remembered?.mayBeLate;
      };
      const remembered = this.#all.filter((each) => there.has(each.id) && isSibling({ ...each }));
      assert.deepEqual(
        found.filter(isSibling).map((each) => each.id),
        remembered.map((each) => each.id),
        'siblings in their order',
      );
    }
  }
}

function checkOne({ prompt, parent, text, least }: Remembered, kept: Found): void {
  assert.equal(kept.parent, parent, `${prompt?.text ?? text} stands where it was`);
  assert.deepEqual(kept.prompt, prompt);
  const isAll = text.startsWith(kept.text) && kept.text.length >= least;
  assert.ok(prompt || isAll, `${kept.text} of ${text}, at least ${least}`);
}
