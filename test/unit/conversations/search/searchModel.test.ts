import assert from 'node:assert/strict';
import { dirname, join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { SearchIndex } from '../../../../src/conversations/search/searchIndex.ts';
import { addExchange, addReply, StoreFolder } from '../../../support/conversationStores.ts';
import { countRepetitions } from '../../../support/longRuns.ts';
import { createRandom } from '../../../support/seededRandom.ts';

/** Letters and the forms that they are compared as. */
const letters: Readonly<Record<string, string>> = {
  a: 'a',
  b: 'b',
  n: 'n',
  o: 'o',
  A: 'a',
  B: 'b',
  É: 'e',
  é: 'e',
  'e\u0301': 'e',
  ö: 'o',
  ñ: 'n',
  1: '1',
  ａ: 'a',
  天: '天',
  气: '气',
  京: '京',
  カ: 'カ',
  ガ: 'ガ',
  ｶ: 'カ',
  ー: 'ー',
  한: '한',
  국: '국',
  ' ': ' ',
  '\n': ' ',
  '-': '-',
  '.': '.',
  '*': '*',
  '(': '(',
};
const alphabet = Object.keys(letters);

/** A text as it is stored, and as it is compared. */
interface ModelText {
  readonly written: string;
  readonly compared: string;
}

interface ModelMessage extends ModelText {
  readonly id: string;
  readonly parent: string | undefined;
  readonly isReply: boolean;
  isDeleted: boolean;
}

interface ModelChat {
  readonly id: string;
  title: ModelText;
  isDeleted: boolean;
  readonly messages: ModelMessage[];
  /** The deleted messages, each with its descendants, in the order of deletion. */
  readonly deletions: (readonly ModelMessage[])[];
}

const noText: ModelText = { written: '', compared: '' };

/** Whether a text is found: it contains all terms. If all terms are short words, they must be separate words. */
function isHit(text: string, terms: readonly string[]): boolean {
  if (!terms.every((term) => text.includes(term))) return false;
  return terms.some(isLong) || terms.every((term) => holdsWords(text, term));
}

/** Whether a part of the term is searched within words: three letters, or one letter of Chinese or similar. */
function isLong(term: string): boolean {
  return /[a-z0-9]{3}|[^\x20-\x7e]/.test(term);
}

function holdsWords(text: string, term: string): boolean {
  const words = wordsIn(term);
  return words.every((word, nth) => {
    const isLast = nth === words.length - 1 && term.endsWith(word);
    return wordsIn(text).some(
      (each) => each === word || (isLast && word.length === 2 && each.startsWith(word)),
    );
  });
}

function wordsIn(text: string): readonly string[] {
  return text.match(/[a-z0-9]+/g) ?? [];
}

describe('the chat search compared with a simple model', () => {
  for (let seed = 1; seed <= countRepetitions(200); seed++) {
    it(`finds exactly the expected messages (seed ${seed})`, async function () {
      this.timeout(60_000);
      await new SearchRun(seed).run();
    });
  }
});

class SearchRun {
  readonly #random: () => number;
  readonly #folder = new StoreFolder();
  readonly #store = this.#folder.open();
  readonly #chats: ModelChat[] = [];
  readonly #index = new SearchIndex({
    store: this.#folder.file,
    index: join(dirname(this.#folder.file), 'search.sqlite'),
  });

  constructor(seed: number) {
    this.#random = createRandom(seed);
  }

  async run(): Promise<void> {
    try {
      for (let step = 0; step < 60; step++) {
        this.#change();
        if (step % 3 === 0) await this.#compare();
      }
    } finally {
      this.#index.close();
      this.#folder.remove();
    }
  }

  #change(): void {
    const chat = this.#pick(this.#chats);
    const act = Math.floor(this.#random() * 12);
    if (!chat || act === 0) this.#create();
    else if (act < 5) this.#ask(chat);
    else if (act < 7) this.#retry(chat);
    else if (act === 7) this.#rename(chat);
    else if (act === 8) this.#store.archive(chat.id, this.#random() < 0.5);
    else if (act === 9) this.#toggle(chat);
    else if (act === 10) this.#delete(chat);
    else this.#undelete(chat);
  }

  #create(): void {
    this.#chats.push({
      id: this.#store.create(),
      title: noText,
      isDeleted: false,
      messages: [],
      deletions: [],
    });
  }

  #ask(chat: ModelChat): void {
    const parent = this.#pick(chat.messages.filter((each) => each.isReply && !each.isDeleted));
    const [question, reply] = [this.#text(), this.#text()];
    if (chat.isDeleted || (!parent && chat.messages.length > 0)) return;
    const ids = addExchange(this.#store, chat.id, question.written, reply.written, parent?.id);
    this.#add(chat, question, { id: ids.question, parent: parent?.id, isReply: false });
    this.#add(chat, reply, { id: ids.reply, parent: ids.question, isReply: true });
  }

  #retry(chat: ModelChat): void {
    const question = this.#pick(chat.messages.filter((each) => !each.isReply && !each.isDeleted));
    if (!question || chat.isDeleted) return;
    const reply = this.#text();
    const id = addReply(this.#store, chat.id, question.id, reply.written);
    this.#add(chat, reply, { id, parent: question.id, isReply: true });
  }

  #add(chat: ModelChat, text: ModelText, message: Pick<ModelMessage, 'id' | 'parent' | 'isReply'>): void {
    chat.messages.push({ ...text, ...message, isDeleted: false });
  }

  #rename(chat: ModelChat): void {
    chat.title = this.#text();
    this.#store.rename(chat.id, chat.title.written);
  }

  #toggle(chat: ModelChat): void {
    chat.isDeleted = !chat.isDeleted;
    if (chat.isDeleted) this.#store.delete(chat.id);
    else this.#store.undelete(chat.id);
  }

  #delete(chat: ModelChat): void {
    const root = this.#pick(chat.messages.filter(({ isDeleted }) => !isDeleted));
    if (!root || chat.isDeleted) return;
    const deleted = [root];
    for (const { id } of deleted) {
      deleted.push(...chat.messages.filter(({ parent, isDeleted }) => parent === id && !isDeleted));
    }
    for (const each of deleted) each.isDeleted = true;
    this.#store.deleteMessages(chat.id, root.id);
    chat.deletions.push(deleted);
  }

  #undelete(chat: ModelChat): void {
    const [root, ...below] = chat.deletions.pop() ?? [];
    if (!root) return;
    for (const each of [root, ...below]) each.isDeleted = false;
    this.#store.undeleteMessages(chat.id, root.id);
  }

  async #compare(): Promise<void> {
    const terms = this.#terms();
    // A quoted term is a single term, even if it contains blanks.
    const typed = terms.map(({ written }) => `"${written}"`).join(' ');
    const compared = terms.map((term) => term.compared.trim());
    if (compared.some((term) => term === '')) return;
    const { hits } = await this.#index.search(
      typed,
      10_000,
      () => setImmediate(),
      () => undefined,
    );
    const found = hits.map(({ conversation, message = 'title' }) => `${conversation} ${message}`);
    assert.deepEqual(found.toSorted(), this.#expected(compared).toSorted(), JSON.stringify(typed));
  }

  #expected(terms: readonly string[]): readonly string[] {
    const isFound = ({ compared }: ModelText) => isHit(compared, terms);
    return this.#chats
      .filter(({ isDeleted }) => !isDeleted)
      .flatMap(({ id, title, messages }) => [
        ...(title.written !== '' && isFound(title) ? [`${id} title`] : []),
        ...messages.flatMap((each) => (!each.isDeleted && isFound(each) ? [`${id} ${each.id}`] : [])),
      ]);
  }

  /** Parts of existing texts, or any text. */
  #terms(): readonly ModelText[] {
    const written = this.#pick(this.#chats.flatMap(({ messages }) => messages))?.written ?? '';
    const letters = splitLetters(written);
    const part = () => {
      const begin = Math.floor(this.#random() * letters.length);
      return toModelText(letters.slice(begin, begin + 1 + Math.floor(this.#random() * 6)));
    };
    if (letters.length === 0 || this.#random() < 0.2) return [this.#text(4)];
    return this.#random() < 0.7 ? [part()] : [part(), part()];
  }

  #text(maxLength = 30): ModelText {
    const length = 1 + Math.floor(this.#random() * maxLength);
    return toModelText(Array.from({ length }, () => this.#pick(alphabet) ?? ''));
  }

  #pick<Item>(of: readonly Item[]): Item | undefined {
    return of[Math.floor(this.#random() * of.length)];
  }
}

function toModelText(written: readonly string[]): ModelText {
  return { written: written.join(''), compared: written.map((each) => letters[each] ?? '').join('') };
}

/** The letters of a text, each with its accent. */
function splitLetters(text: string): readonly string[] {
  return text.match(/.\u0301?/gsu) ?? [];
}
