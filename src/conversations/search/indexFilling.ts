import type { Database } from '../../storage/sharedDatabase.ts';
import { folded, tokensOf } from './foldedText.ts';
import { textsOf } from './messageTexts.ts';
import { emptyIndex } from './searchDatabase.ts';
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

/** A conversation of which some messages are still to be taken in. */
interface Unfinished {
  readonly changed: ChangedConversation;
  /** How far the store was taken in before it. */
  readonly after: Taken;
  /** Its key in the index. */
  readonly conversation: number;
  readonly missing: readonly KnownMessage[];
  /** The place of the next message in `missing`. */
  readonly next: number;
}

interface FillResult {
  /** Whether there may be more. */
  readonly hasMore: boolean;
  readonly unfinished?: Unfinished | undefined;
}

/** How many conversations are looked up at a time, and messages read at a time. */
const conversationsAtOnce = 200;
const messagesAtOnce = 20;

/**
 * Takes what changed in the store into the index, in transactions, each conversation at most once. Windows that do so
 * at once take turns, and each goes on where the last one ended.
 */
export class IndexFilling {
  readonly #index: Database;
  readonly #store: StoreReader;
  /** Conversations that this filling has taken in. One that keeps changing must not keep it busy. */
  readonly #finished = new Set<string>();
  #unfinished: Unfinished | undefined;

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
    // A transaction may fail or run twice: state changes after its end.
    const unfinished = this.#unfinished;
    this.#unfinished = undefined;
    const finished: string[] = [];
    const result = this.#index.write(() => {
      finished.length = 0;
      if (this.#taken().revision > this.#store.revision()) this.#empty();
      return this.#fillUntil(end, unfinished, finished);
    });
    for (const id of finished) this.#finished.add(id);
    this.#unfinished = result.unfinished;
    return result.hasMore;
  }

  #fillUntil(end: number, earlier: Unfinished | undefined, finished: string[]): FillResult {
    if (earlier && this.#isStillNext(earlier)) {
      const unfinished = this.#takeInMessages(earlier, end);
      if (unfinished) return { hasMore: true, unfinished };
      this.#advance(earlier.changed, finished);
      if (performance.now() > end) return { hasMore: true };
    }
    const after = this.#taken();
    const changed = this.#store.changedAfter(after.revision, after.conversation, conversationsAtOnce);
    for (const one of changed) {
      if (this.#finished.has(one.id) || finished.includes(one.id)) break;
      const unfinished = this.#takeIn(one, end);
      if (unfinished) return { hasMore: true, unfinished };
      this.#advance(one, finished);
      const isLastRead = one === changed[conversationsAtOnce - 1];
      if (isLastRead || performance.now() > end) return { hasMore: true };
    }
    this.#removeLost();
    return { hasMore: false };
  }

  #advance({ id, revision, key }: ChangedConversation, finished: string[]): void {
    this.#index.run('UPDATE taken SET revision = ?, conversation = ?', revision, key);
    finished.push(id);
  }

  /** How much of the store is taken in, from 0 to 1. */
  share(): number {
    const { revision, conversation } = this.#taken();
    const { taken, all } = this.#store.progress(revision, conversation);
    const { next, missing } = this.#unfinished ?? { next: 0, missing: [] };
    return all === 0 ? 1 : Math.min(1, (taken + next / Math.max(1, missing.length)) / all);
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

  /** False when another window has gone on with the index meanwhile. */
  #isStillNext({ changed, after, conversation }: Unfinished): boolean {
    const taken = this.#taken();
    if (taken.revision !== after.revision || taken.conversation !== after.conversation) return false;
    const sql = 'SELECT id FROM conversations WHERE key = ?';
    return this.#index.get<{ id: string }>(sql, conversation)?.id === changed.id;
  }

  /** @returns what is still to be taken in when the time is over */
  #takeIn(changed: ChangedConversation, end: number): Unfinished | undefined {
    const known = this.#index.get<{ key: number }>(
      'SELECT key FROM conversations WHERE id = ?',
      changed.id,
    )?.key;
    if (changed.deletedAt !== null) {
      if (known !== undefined) this.#removeConversation(known);
      return undefined;
    }
    const messages = this.#store.messages(changed.key);
    const conversation = this.#putConversation(changed, messages);
    const missing = this.#missing(conversation, messages);
    return this.#takeInMessages({ changed, after: this.#taken(), conversation, missing, next: 0 }, end);
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

  /**
   * The messages whose texts the index lacks. Removes the texts of those that are gone. Messages that arrive come last:
   * they are taken in again each time.
   */
  #missing(conversation: number, messages: readonly KnownMessage[]): readonly KnownMessage[] {
    const known = this.#knownStates(conversation);
    const there = new Set(messages.map(({ id }) => id));
    for (const id of known.keys()) if (!there.has(id)) this.#removeMessage(conversation, id);
    return [
      // A message that is done never changes.
      ...messages.filter(({ id, state }) => state !== 'arriving' && known.get(id) !== state),
      ...messages.filter(({ state }) => state === 'arriving'),
    ];
  }

  /** @returns what is still to be taken in when the time is over */
  #takeInMessages(work: Unfinished, end: number): Unfinished | undefined {
    const { conversation, missing } = work;
    for (let next = work.next; next < missing.length; ) {
      const batch = missing.slice(next, next + messagesAtOnce);
      // Another window may have taken in some of them meanwhile.
      for (const { id } of batch) this.#removeMessage(conversation, id);
      this.#insertMessages(conversation, batch);
      next += batch.length;
      if (next < missing.length && performance.now() > end) return { ...work, next };
    }
    return undefined;
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
