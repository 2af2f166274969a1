import { setContextKey } from '../../kit/manifest/contributions.ts';

/** What one click deleted. */
export interface Deletion {
  readonly ids: readonly string[];
  /** Those whose tabs were open. */
  readonly open: readonly string[];
}

/** What was deleted in this window and not brought back, the last one at the end. */
export class DeletedChats {
  #deletions: readonly Deletion[] = [];

  get last(): Deletion | undefined {
    return this.#deletions.at(-1);
  }

  add(deletion: Deletion): void {
    this.#become([...this.#deletions, deletion]);
  }

  remove(deletion: Deletion): void {
    this.#become(this.#deletions.filter((each) => each !== deletion));
  }

  /** A chat that came back in another way. */
  forget(id: string): void {
    const others = this.#deletions.map(({ ids, open }) => ({
      ids: ids.filter((each) => each !== id),
      open: open.filter((each) => each !== id),
    }));
    this.#become(others.filter(({ ids }) => ids.length > 0));
  }

  #become(deletions: readonly Deletion[]): void {
    this.#deletions = deletions;
    setContextKey('chatsDeleted', deletions.length > 0);
  }
}
