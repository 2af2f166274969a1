import type { Database } from '../../storage/sharedDatabase.ts';
import { createTokens, foldText } from './foldedText.ts';
import { emptyIndex } from './searchDatabase.ts';
import { type ChangedConversation, type MessageInfo, readTexts, type StoreReader } from './storeReader.ts';

export type TextKind = 'title' | 'question' | 'reply' | 'reasoning';

/** The revision and key of the last indexed conversation. */
interface IndexPosition {
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

/** A conversation that is only partly indexed. */
interface PartialConversation {
  readonly changed: ChangedConversation;
  /** The position of the index before this conversation. */
  readonly after: IndexPosition;
  /** Its key in the index. */
  readonly conversation: number;
  readonly missing: readonly MessageInfo[];
  /** The index in `missing` of the next message. */
  readonly nextIndex: number;
}

interface FillResult {
  /** Whether there may be more. */
  readonly hasMore: boolean;
  readonly partial?: PartialConversation | undefined;
}

/** The number of conversations that are looked up at a time, and of messages that are read at a time. */
const conversationsAtOnce = 200;
const messagesAtOnce = 20;

/**
 * Adds changes of the store to the index, in transactions, each conversation at most once. If several windows
 * do so at the same time, they take turns, and each continues at the position of the last one.
 */
export class IndexFiller {
  readonly #index: Database;
  readonly #store: StoreReader;
  /** The ids of indexed conversations. A conversation that changes repeatedly is indexed only once in a run. */
  readonly #finishedIds = new Set<string>();
  #partial: PartialConversation | undefined;

  constructor(index: Database, store: StoreReader) {
    this.#index = index;
    this.#store = store;
  }

  /**
   * Works for about `durationMs`.
   *
   * @returns whether there may be more
   */
  fill(durationMs: number): boolean {
    if (this.#isCurrent()) return false;
    const deadline = performance.now() + durationMs;
    // A transaction may fail or run twice, so the state is changed after its end.
    const earlierPartial = this.#partial;
    this.#partial = undefined;
    const finished: string[] = [];
    const result = this.#index.write(() => {
      finished.length = 0;
      if (this.#readPosition().revision > this.#store.readRevision())
        for (const sql of emptyIndex) this.#index.run(sql);
      return this.#fillUntil(deadline, earlierPartial, finished);
    });
    for (const id of finished) this.#finishedIds.add(id);
    this.#partial = result.partial;
    return result.hasMore;
  }

  /** @param finished receives the ids of the conversations that are done */
  #fillUntil(
    deadline: number,
    earlierPartial: PartialConversation | undefined,
    finished: string[],
  ): FillResult {
    if (earlierPartial && this.#isStillNext(earlierPartial)) {
      const partial = this.#indexMessages(earlierPartial, deadline);
      if (partial) return { hasMore: true, partial };
      this.#advance(earlierPartial.changed, finished);
      if (performance.now() > deadline) return { hasMore: true };
    }
    const position = this.#readPosition();
    const changed = this.#store.readChangedAfter(
      position.revision,
      position.conversation,
      conversationsAtOnce,
    );
    for (const conversation of changed) {
      if (this.#finishedIds.has(conversation.id) || finished.includes(conversation.id)) break;
      const partial = this.#indexConversation(conversation, deadline);
      if (partial) return { hasMore: true, partial };
      this.#advance(conversation, finished);
      const isLastRead = conversation === changed[conversationsAtOnce - 1];
      if (isLastRead || performance.now() > deadline) return { hasMore: true };
    }
    this.#removeLostConversations();
    return { hasMore: false };
  }

  #advance({ id, revision, key }: ChangedConversation, finished: string[]): void {
    this.#index.run('UPDATE position SET revision = ?, conversation = ?', revision, key);
    finished.push(id);
  }

  /** The indexed share of the store, from 0 to 1. */
  readShare(): number {
    const { revision, conversation } = this.#readPosition();
    const { indexed, total } = this.#store.readProgress(revision, conversation);
    const { nextIndex, missing } = this.#partial ?? { nextIndex: 0, missing: [] };
    return total === 0 ? 1 : Math.min(1, (indexed + nextIndex / Math.max(1, missing.length)) / total);
  }

  /** Compares conversations, because a revision also increases without a change of a conversation. */
  #isCurrent(): boolean {
    const { revision, conversation } = this.#readPosition();
    if (revision > this.#store.readRevision() || revision < 0) return false;
    return (
      this.#store.readChangedAfter(revision, conversation, 1).length === 0 && !this.#hasLostConversations()
    );
  }

  #readPosition(): IndexPosition {
    const position = this.#index.get<IndexPosition>('SELECT revision, conversation FROM position');
    return position ?? { revision: -1, conversation: 0 };
  }

  /** Whether conversations disappeared without a recorded change, for example after damage of the store. */
  #hasLostConversations(): boolean {
    const indexedCount = this.#index.get<{ n: number }>('SELECT count(*) AS n FROM conversations')?.n ?? 0;
    return indexedCount > this.#store.countConversations();
  }

  #removeLostConversations(): void {
    if (!this.#hasLostConversations()) return;
    const storedIds = this.#store.readIds();
    const indexed = this.#index.all<{ key: number; id: string }>('SELECT key, id FROM conversations');
    for (const { key, id } of indexed) if (!storedIds.has(id)) this.#removeConversation(key);
  }

  /** Returns false if another window has continued the index in the meantime. */
  #isStillNext({ changed, after, conversation }: PartialConversation): boolean {
    const position = this.#readPosition();
    if (position.revision !== after.revision || position.conversation !== after.conversation) return false;
    const sql = 'SELECT id FROM conversations WHERE key = ?';
    return this.#index.get<{ id: string }>(sql, conversation)?.id === changed.id;
  }

  /** @returns the rest of the conversation if the deadline has passed */
  #indexConversation(changed: ChangedConversation, deadline: number): PartialConversation | undefined {
    const existingKey = this.#index.get<{ key: number }>(
      'SELECT key FROM conversations WHERE id = ?',
      changed.id,
    )?.key;
    if (changed.deletedAt !== null) {
      if (existingKey !== undefined) this.#removeConversation(existingKey);
      return undefined;
    }
    const messages = this.#store.readMessages(changed.key);
    const conversation = this.#storeConversation(changed, messages);
    const missing = this.#findMissing(conversation, messages);
    return this.#indexMessages(
      { changed, after: this.#readPosition(), conversation, missing, nextIndex: 0 },
      deadline,
    );
  }

  #storeConversation(changed: ChangedConversation, messages: readonly MessageInfo[]): number {
    const { id, title, beginning, workspace, changedAt } = changed;
    const models = new Set(messages.flatMap(({ model }) => model?.toLowerCase() ?? []));
    const row = this.#index.get<{ key: number }>(
      `INSERT INTO conversations (id, title, workspace, models) VALUES (?, ?, ?, ?)
       ON CONFLICT (id) DO UPDATE SET title = excluded.title, workspace = excluded.workspace, models = excluded.models
       RETURNING key`,
      id,
      title === '' ? beginning : title,
      normalizeUri(workspace),
      [...models].join('\n'),
    );
    const conversation = row?.key ?? 0;
    this.#removeTexts('conversation = ? AND message = ?', conversation, '');
    if (title !== '') {
      this.#insert({
        conversation,
        message: '',
        kind: 'title',
        state: 'done',
        model: null,
        at: changedAt,
        hasImage: false,
        text: title,
      });
    }
    return conversation;
  }

  /**
   * Finds the messages whose texts the index lacks, and removes the texts of deleted messages. Arriving messages
   * are last, because they are indexed again each time.
   */
  #findMissing(conversation: number, messages: readonly MessageInfo[]): readonly MessageInfo[] {
    const indexedStates = this.#readIndexedStates(conversation);
    const storedIds = new Set(messages.map(({ id }) => id));
    for (const id of indexedStates.keys()) if (!storedIds.has(id)) this.#removeMessage(conversation, id);
    return [
      // A message does not change after it is done.
      ...messages.filter(({ id, state }) => state !== 'arriving' && indexedStates.get(id) !== state),
      ...messages.filter(({ state }) => state === 'arriving'),
    ];
  }

  /** @returns the rest of the conversation if the deadline has passed */
  #indexMessages(partial: PartialConversation, deadline: number): PartialConversation | undefined {
    const { conversation, missing } = partial;
    for (let next = partial.nextIndex; next < missing.length; ) {
      const batch = missing.slice(next, next + messagesAtOnce);
      // Another window may have indexed some of them in the meantime.
      for (const { id } of batch) this.#removeMessage(conversation, id);
      this.#insertMessages(conversation, batch);
      next += batch.length;
      if (next < missing.length && performance.now() > deadline) return { ...partial, nextIndex: next };
    }
    return undefined;
  }

  #readIndexedStates(conversation: number): ReadonlyMap<string, string> {
    const rows = this.#index.all<{ message: string; state: string }>(
      `SELECT message, state FROM texts WHERE conversation = ? AND message <> ''`,
      conversation,
    );
    return new Map(rows.map(({ message, state }) => [message, state]));
  }

  #insertMessages(conversation: number, messages: readonly MessageInfo[]): void {
    for (const record of this.#store.readRecords(messages.map(({ key }) => key))) {
      const { id: message, role, state, createdAt: at, request } = record;
      const { text, reasoning, hasImage } = readTexts(record);
      const row = { conversation, message, state, model: request?.model.toLowerCase() ?? null, at, hasImage };
      if (role !== 'tool') this.#insert({ ...row, kind: role === 'assistant' ? 'reply' : 'question', text });
      const reasoningText = role === 'tool' ? `${reasoning}\n${text}` : reasoning;
      if (reasoningText !== '') this.#insert({ ...row, kind: 'reasoning', text: reasoningText });
    }
  }

  #insert({ conversation, message, kind, state, model, at, hasImage, text }: TextRow): void {
    const index = this.#index;
    const key = index.get<{ key: number }>(
      `INSERT INTO texts (conversation, message, kind, state, model, at, hasImage) VALUES (?, ?, ?, ?, ?, ?, ?)
       RETURNING key`,
      conversation,
      message,
      kind,
      state,
      model,
      at,
      hasImage ? 1 : 0,
    )?.key;
    if (key === undefined) return;
    // SQLite reads a text up to its first NUL.
    index.run('INSERT INTO contents (key, text) VALUES (?, ?)', key, text.replaceAll('\0', ' '));
    const tokens = [...createTokens(foldText(text))].join(' ');
    if (tokens !== '') index.run('INSERT INTO tokens (rowid, words) VALUES (?, ?)', key, tokens);
  }

  #removeConversation(conversation: number): void {
    this.#removeTexts('conversation = ?', conversation);
    this.#index.run('DELETE FROM conversations WHERE key = ?', conversation);
  }

  #removeMessage(conversation: number, message: string): void {
    this.#removeTexts('conversation = ? AND message = ?', conversation, message);
  }

  #removeTexts(condition: string, ...values: readonly (string | number)[]): void {
    const rows = this.#index.all<{ key: number }>(`SELECT key FROM texts WHERE ${condition}`, ...values);
    for (const { key } of rows) {
      this.#index.run('DELETE FROM tokens WHERE rowid = ?', key);
      for (const table of ['contents', 'texts']) this.#index.run(`DELETE FROM ${table} WHERE key = ?`, key);
    }
  }
}

/** Users type a path into a filter as it is shown, without escapes. */
function normalizeUri(uri: string | null): string {
  if (uri === null) return '';
  try {
    return decodeURIComponent(uri).toLowerCase();
  } catch {
    return uri.toLowerCase();
  }
}
