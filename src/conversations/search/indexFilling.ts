import type { Database } from '../../storage/sharedDatabase.ts';
import { folded, tokensOf } from './foldedText.ts';
import { textsOf } from './messageTexts.ts';
import { emptyIndex } from './searchSchema.ts';
import type { ChangedConversation, KnownMessage, StoreReader } from './storeReader.ts';

export type TextKind = 'title' | 'question' | 'reply' | 'reasoning';

interface Taken {
  readonly revision: number;
  readonly conversation: number;
}

interface TextRow {
  readonly conversation: number;
  readonly message: string;
  readonly kind: TextKind;
  readonly state: string;
  readonly model: string | null;
  readonly at: number;
  readonly hasImage: boolean;
  readonly text: string;
}

/** How many conversations are looked up at a time, and messages read at a time. */
const conversationsAtOnce = 200;
const messagesAtOnce = 20;

/**
 * Takes what changed in the store into the index, in transactions. Windows that do so at once take turns, and each
 * goes on where the last one ended.
 */
export class IndexFilling {
  readonly #index: Database;
  readonly #store: StoreReader;

  constructor(index: Database, store: StoreReader) {
    this.#index = index;
    this.#store = store;
  }

  /**
   * Works for about so many milliseconds.
   *
   * @returns whether there may be more
   */
  fill(ms: number): boolean {
    if (this.#isCurrent()) return false;
    const end = performance.now() + ms;
    return this.#index.write(() => {
      if (this.#taken().revision > this.#store.revision()) this.#empty();
      const { revision, conversation } = this.#taken();
      const changed = this.#store.changedAfter(revision, conversation, conversationsAtOnce);
      for (const one of changed) {
        if (!this.#takeIn(one, end)) return true;
        this.#index.run('UPDATE taken SET revision = ?, conversation = ?', one.revision, one.key);
        if (performance.now() > end) return true;
      }
      if (changed.length === conversationsAtOnce) return true;
      this.#removeLost();
      return false;
    });
  }

  /** How much of the store is taken in, from 0 to 1. */
  share(): number {
    const { revision, conversation } = this.#taken();
    const { taken, all } = this.#store.progress(revision, conversation);
    return all === 0 ? 1 : taken / all;
  }

  /** A change of nothing but drafts or windows has a revision of which no conversation tells. */
  #isCurrent(): boolean {
    const { revision, conversation } = this.#taken();
    if (revision > this.#store.revision() || revision < 0) return false;
    return this.#store.changedAfter(revision, conversation, 1).length === 0 && !this.#hasLost();
  }

  #taken(): Taken {
    return (
      this.#index.get<Taken>('SELECT revision, conversation FROM taken') ?? { revision: -1, conversation: 0 }
    );
  }

  #empty(): void {
    for (const sql of emptyIndex) this.#index.run(sql);
  }

  /** Whether conversations are gone of which no change tells, as after the store was damaged. */
  #hasLost(): boolean {
    const known = this.#index.get<{ n: number }>('SELECT count(*) AS n FROM conversations')?.n ?? 0;
    return known > this.#store.count();
  }

  #removeLost(): void {
    if (!this.#hasLost()) return;
    const there = this.#store.ids();
    const known = this.#index.all<{ key: number; id: string }>('SELECT key, id FROM conversations');
    for (const { key, id } of known) if (!there.has(id)) this.#removeConversation(key);
  }

  /** @returns false when the time is over, and the rest of it is still to be taken in */
  #takeIn(changed: ChangedConversation, end: number): boolean {
    const known = this.#index.get<{ key: number }>(
      'SELECT key FROM conversations WHERE id = ?',
      changed.id,
    )?.key;
    if (changed.deletedAt !== null) {
      if (known !== undefined) this.#removeConversation(known);
      return true;
    }
    const messages = this.#store.messages(changed.key);
    const conversation = this.#putConversation(changed, messages);
    return this.#takeInMessages(conversation, messages, end);
  }

  #putConversation(changed: ChangedConversation, messages: readonly KnownMessage[]): number {
    const { id, title, beginning, workspace, changedAt } = changed;
    const models = new Set(messages.flatMap(({ model }) => model?.toLowerCase() ?? []));
    const row = this.#index.get<{ key: number }>(
      `INSERT INTO conversations (id, title, workspace, models) VALUES (?, ?, ?, ?)
       ON CONFLICT (id) DO UPDATE SET title = excluded.title, workspace = excluded.workspace, models = excluded.models
       RETURNING key`,
      ...[id, title === '' ? beginning : title, searchedUri(workspace), [...models].join('\n')],
    );
    const conversation = row?.key ?? 0;
    this.#removeTexts('conversation = ? AND message = ?', conversation, '');
    if (title !== '') {
      this.#insert({
        ...{ conversation, message: '', kind: 'title', state: 'done', model: null, at: changedAt },
        ...{ hasImage: false, text: title },
      });
    }
    return conversation;
  }

  #takeInMessages(conversation: number, messages: readonly KnownMessage[], end: number): boolean {
    const known = this.#knownStates(conversation);
    const there = new Set(messages.map(({ id }) => id));
    for (const id of known.keys()) if (!there.has(id)) this.#removeMessage(conversation, id);
    // A message that is done never changes.
    const missing = messages.filter(({ id, state }) => state === 'arriving' || known.get(id) !== state);
    for (let nth = 0; nth < missing.length; nth += messagesAtOnce) {
      if (nth > 0 && performance.now() > end) return false;
      for (const { id } of missing.slice(nth, nth + messagesAtOnce)) {
        if (known.has(id)) this.#removeMessage(conversation, id);
      }
      this.#insertMessages(conversation, missing.slice(nth, nth + messagesAtOnce));
    }
    return true;
  }

  #knownStates(conversation: number): ReadonlyMap<string, string> {
    const rows = this.#index.all<{ message: string; state: string }>(
      `SELECT message, state FROM texts WHERE conversation = ? AND message <> ''`,
      conversation,
    );
    return new Map(rows.map(({ message, state }) => [message, state]));
  }

  #insertMessages(conversation: number, messages: readonly KnownMessage[]): void {
    for (const record of this.#store.records(messages.map(({ key }) => key))) {
      const { id: message, role, state, createdAt: at, request } = record;
      const { text, reasoning, hasImage } = textsOf(record);
      const row = { conversation, message, state, model: request?.model.toLowerCase() ?? null, at, hasImage };
      if (role !== 'tool') this.#insert({ ...row, kind: role === 'assistant' ? 'reply' : 'question', text });
      const thought = role === 'tool' ? `${reasoning}\n${text}` : reasoning;
      if (thought !== '') this.#insert({ ...row, kind: 'reasoning', text: thought });
    }
  }

  #insert({ conversation, message, kind, state, model, at, hasImage, text }: TextRow): void {
    const index = this.#index;
    const key = index.get<{ key: number }>(
      `INSERT INTO texts (conversation, message, kind, state, model, at, hasImage) VALUES (?, ?, ?, ?, ?, ?, ?)
       RETURNING key`,
      ...[conversation, message, kind, state, model, at, hasImage ? 1 : 0],
    )?.key;
    if (key === undefined) return;
    // SQLite reads a text up to its first NUL.
    index.run('INSERT INTO contents (key, text) VALUES (?, ?)', key, text.replaceAll('\0', ' '));
    const tokens = [...tokensOf(folded(text))].join(' ');
    if (tokens !== '') index.run('INSERT INTO tokens (rowid, words) VALUES (?, ?)', key, tokens);
  }

  #removeConversation(conversation: number): void {
    this.#removeTexts('conversation = ?', conversation);
    this.#index.run('DELETE FROM conversations WHERE key = ?', conversation);
  }

  #removeMessage(conversation: number, message: string): void {
    this.#removeTexts('conversation = ? AND message = ?', conversation, message);
  }

  #removeTexts(which: string, ...values: readonly (string | number)[]): void {
    const rows = this.#index.all<{ key: number }>(`SELECT key FROM texts WHERE ${which}`, ...values);
    for (const { key } of rows) {
      this.#index.run('DELETE FROM tokens WHERE rowid = ?', key);
      for (const table of ['contents', 'texts']) this.#index.run(`DELETE FROM ${table} WHERE key = ?`, key);
    }
  }
}

function searchedUri(uri: string | null): string {
  if (uri === null) return '';
  try {
    return decodeURIComponent(uri).toLowerCase();
  } catch {
    return uri.toLowerCase();
  }
}
