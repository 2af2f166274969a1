import { Emitter } from '../../base/emitter.ts';
import type { Database } from '../../storage/database.ts';
import { type RevisedResult, Revisions } from '../../storage/revisions.ts';

/** The ids of the changed conversations; undefined if any may have changed. */
export type ChangedConversations = readonly string[] | undefined;

/** Marks a conversation as changed, by its key, within a transaction. */
type Touch = (conversation: number) => void;

/**
 * Makes all changes to conversations and their messages. Each change marks its conversations with a new
 * revision, which other windows and the search read, and notifies the listeners after the commit.
 */
export class StoreChanges {
  readonly #database: Database;
  readonly #revisions: Revisions;
  readonly #emitter = new Emitter<ChangedConversations>();
  /** Fires for the changes of all windows. */
  readonly onDidChange = this.#emitter.event;
  readonly #externalEmitter = new Emitter<ChangedConversations>();
  /** Fires for changes that other windows wrote. */
  readonly onDidChangeExternally = this.#externalEmitter.event;

  constructor(database: Database) {
    this.#database = database;
    this.#revisions = new Revisions(database);
    database.onDidReplace(() => {
      this.#revisions.reset();
      this.fireExternal(undefined);
      this.#emitter.fire(undefined);
    });
  }

  /** Runs `change` as one transaction, which survives the end of the process. */
  write<Result>(change: (touch: Touch) => Result): Result {
    return this.#publish(change, (runChange, stamp) => this.#revisions.write(runChange, stamp));
  }

  /** Like `write`, but the change also survives a power failure. */
  writeDurably<Result>(change: (touch: Touch) => Result): Result {
    return this.#publish(change, (runChange, stamp) => this.#revisions.writeDurably(runChange, stamp));
  }

  /**
   * Fires for changes of other windows since the last call. Purged conversations are not reported. Conversations
   * that this window changed may be reported again.
   *
   * @returns whether other windows changed anything
   */
  detectExternalChanges(): boolean {
    this.#database.reopenIfReplaced();
    const previousRevision = this.#revisions.findChangesOfOthers();
    if (previousRevision === undefined) return false;
    const changed = previousRevision < 0 ? undefined : this.#findChangedSince(previousRevision);
    this.fireExternal(changed);
    this.#emitter.fire(changed);
    return true;
  }

  /** Fires `onDidChangeExternally`, also for writes on behalf of a window that ended. */
  fireExternal(changed: ChangedConversations): void {
    this.#externalEmitter.fire(changed);
  }

  /** Finds the ids of the conversations that changed after a revision. */
  #findChangedSince(revision: number): readonly string[] {
    return this.#database
      .all<{ id: string }>('SELECT id FROM conversations WHERE revision > ?', revision)
      .map(({ id }) => id);
  }

  /** @param write runs `runChange` and `stamp` in one transaction */
  #publish<Result>(
    change: (touch: Touch) => Result,
    write: (runChange: () => Result, stamp: (revision: number) => void) => RevisedResult<Result>,
  ): Result {
    const touched = new Set<number>();
    const runChange = () => {
      // After a repair of the file, the change runs again.
      touched.clear();
      return change((conversation) => void touched.add(conversation));
    };
    const ids: string[] = [];
    const stamp = (revision: number) => {
      ids.length = 0;
      for (const key of touched) ids.push(...this.#storeRevision(key, revision));
    };
    const { result, revision } = write(runChange, stamp);
    if (revision !== undefined) this.#emitter.fire(ids);
    return result;
  }

  #storeRevision(conversation: number, revision: number): readonly string[] {
    const sql = 'UPDATE conversations SET revision = ? WHERE key = ? RETURNING id';
    return this.#database.all<{ id: string }>(sql, revision, conversation).map(({ id }) => id);
  }
}
