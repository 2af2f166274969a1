import assert from 'node:assert/strict';
import { prependFiles } from '../../../../src/conversations/conversation/attachedFile.ts';
import type { Prompt } from '../../../../src/conversations/conversation/turn.ts';

/** A question or a reply, as remembered by the user who typed it or saw it arrive. */
export interface Remembered {
  readonly id: string;
  readonly parent: string | undefined;
  /** The window that created it. */
  readonly window: string;
  /** Only for a question. */
  readonly prompt?: Prompt;
  /** Only for a reply: the full text that arrived, or the user's edit of it. */
  text: string;
  /** The minimum length of the stored text, if the reply is stored. */
  minLength: number;
  /** `unknown` after a change that a window could not write. */
  fate: 'there' | 'gone' | 'unknown';
  /** Whether it is deleted permanently. */
  isPurged: boolean;
  /** Whether a window that still shows it may have written it again: after other windows, and only in part. */
  mayBeLate: boolean;
  /** Only for a reply that ended: whether it was paid for. */
  end?: 'paid' | 'free';
  /** The value of `end` once it is certain to be on disk. */
  counted?: 'paid' | 'free';
}

/** A message as read from the file. */
export interface Found extends Pick<Remembered, 'id' | 'parent'> {
  readonly prompt?: Prompt;
  readonly text: string;
}

/** The changes of all windows to chats in the simplest form: a list. */
export class ChatMemory {
  /** In the order of creation. */
  readonly #all: Remembered[] = [];

  add(message: Pick<Remembered, 'id' | 'parent' | 'window' | 'prompt'>, text = ''): void {
    this.#all.push({
      ...message,
      text,
      minLength: text.length,
      fate: 'unknown',
      isPurged: false,
      mayBeLate: false,
    });
  }

  get(id: string | undefined): Remembered | undefined {
    return this.#all.find((each) => each.id === id);
  }

  /** The messages that are certainly deleted. */
  get gone(): readonly Remembered[] {
    return this.#all.filter(({ fate }) => fate === 'gone');
  }

  /** Marks the messages that may be deleted permanently from now on. */
  passMonth(): void {
    for (const each of this.#all) {
      each.mayBeLate ||= each.fate !== 'there';
      if (each.mayBeLate) each.minLength = 0;
    }
  }

  /** The messages that a window created. */
  of(window: string): readonly Remembered[] {
    return this.#all.filter((each) => each.window === window);
  }

  /** From the root to a message. */
  pathTo(id: string | undefined): readonly Remembered[] {
    const message = this.get(id);
    return message ? [...this.pathTo(message.parent), message] : [];
  }

  /** A message and all its descendants, parents first. */
  below(id: string): readonly Remembered[] {
    return this.#all.filter((each) => this.pathTo(each.id).some((above) => above.id === id));
  }

  /**
   * The texts that a question after a message is sent with: each earlier question with its replies, unless these
   * are empty.
   *
   * @param getText returns the text of a reply that is known to the window that sends the question
   */
  textsUpTo(id: string | undefined, getText: (reply: Remembered) => string): readonly string[] {
    const path = this.pathTo(id);
    return path.flatMap(({ prompt }, at) => {
      const next = path.findIndex((each, place) => place > at && each.prompt);
      const replies = path.slice(at + 1, next === -1 ? path.length : next);
      const reply = replies.map(getText).join('');
      return prompt && reply !== '' ? [prependFiles(prompt.text, prompt.files), reply] : [];
    });
  }

  /** Compares the paid replies with the replies that the file counts, even if their messages are deleted. */
  checkUsage(counted: ReadonlySet<string>): void {
    for (const { id, text, counted: end } of this.#all) {
      if (end) assert.equal(counted.has(id) ? 'paid' : 'free', end, `the usage of ${text}`);
    }
  }

  /** Compares all remembered messages with the messages in the file, siblings in their order. */
  check(found: readonly Found[]): void {
    const there = new Map(found.map((each) => [each.id, each]));
    for (const message of this.#all) {
      const stored = there.get(message.id);
      const name = message.prompt?.text ?? message.text;
      if (message.fate !== 'unknown') assert.equal(stored ? 'there' : 'gone', message.fate, name);
      if (stored) checkOne(message, stored);
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

function checkOne({ prompt, parent, text, minLength }: Remembered, found: Found): void {
  assert.equal(found.parent, parent, `${prompt?.text ?? text} has its position`);
  assert.deepEqual(found.prompt, prompt);
  const isAll = text.startsWith(found.text) && found.text.length >= minLength;
  assert.ok(prompt || isAll, `${found.text} of ${text}, at least ${minLength}`);
}
