import { setContextKey } from '../../kit/manifest/contributions.ts';

/** The chats deleted by one action. */
export interface Deletion {
  readonly ids: readonly string[];
  /** The chats that had open tabs. */
  readonly openTabs: readonly string[];
}

/** The deletions of this window that can still be undone, oldest first. */
export class DeletedChats {
  #deletions: readonly Deletion[] = [];

  get last(): Deletion | undefined {
    return this.#deletions.at(-1);
  }

  add(deletion: Deletion): void {
    this.#setDeletions([...this.#deletions, deletion]);
  }

  remove(deletion: Deletion): void {
    this.#setDeletions(this.#deletions.filter((each) => each !== deletion));
  }

  /** Removes a chat that was restored by another command than undo. */
  forget(id: string): void {
    const others = this.#deletions.map(
      ({ ids, openTabs }): Deletion => ({
        ids: ids.filter((each) => each !== id),
        openTabs: openTabs.filter((each) => each !== id),
      }),
    );
    this.#setDeletions(others.filter(({ ids }) => ids.length > 0));
  }

  #setDeletions(deletions: readonly Deletion[]): void {
    this.#deletions = deletions;
    setContextKey('chatsDeleted', deletions.length > 0);
  }
}
