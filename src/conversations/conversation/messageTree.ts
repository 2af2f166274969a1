/**
 * The parents of messages, and the path that is shown: from a root to the head, which is the newest message or
 * the end of the selected branch. Siblings are ordered by the time they were added.
 */
export class MessageTree {
  readonly #parents = new Map<string, string | undefined>();
  /** By parent; roots have the key undefined. */
  readonly #children = new Map<string | undefined, string[]>();
  /** For each message, the child that was last shown. */
  readonly #lastShown = new Map<string | undefined, string>();
  #path: string[] = [];
  #changeCount = 0;

  /** Counts the changes of the messages, their parents and the path, for caches of derived values. */
  get changeCount(): number {
    return this.#changeCount;
  }

  /** The shown ids, from a root to the head. */
  get path(): readonly string[] {
    return this.#path;
  }

  get head(): string | undefined {
    return this.#path.at(-1);
  }

  /** All ids, in insertion order. */
  get ids(): readonly string[] {
    return [...this.#parents.keys()];
  }

  has(id: string): boolean {
    return this.#parents.has(id);
  }

  parent(id: string): string | undefined {
    return this.#parents.get(id);
  }

  /** Returns a message and its alternatives, in order. */
  siblings(id: string): readonly string[] {
    return this.has(id) ? (this.#children.get(this.parent(id)) ?? []) : [];
  }

  /** Returns the children of a message in order, or the roots if the id is undefined. */
  children(id: string | undefined): readonly string[] {
    return this.#children.get(id) ?? [];
  }

  /** Returns a message and all its descendants, parents first. */
  subtree(id: string): readonly string[] {
    const ids = this.has(id) ? [id] : [];
    // The list grows during the loop: the children of each message are appended.
    for (const each of ids) for (const child of this.children(each)) ids.push(child);
    return ids;
  }

  /** Returns the ids from a root to a message. */
  pathTo(id: string | undefined): string[] {
    const upwards: string[] = [];
    for (let next = id; next !== undefined; next = this.parent(next)) upwards.push(next);
    return upwards.reverse();
  }

  /** Returns the last shown child of a message, or the last shown root if the id is undefined. */
  lastShown(id: string | undefined): string | undefined {
    return this.#lastShown.get(id);
  }

  /** Adds a message below another one, or as a root, and makes it the head. */
  add(id: string, parent: string | undefined): void {
    this.#insert(id, parent);
    if (this.head !== parent) this.#path = this.pathTo(parent);
    this.#path.push(id);
    this.#lastShown.set(parent, id);
  }

  /** Adds a message without showing it. */
  addWithoutShowing(id: string, parent: string | undefined): void {
    this.#insert(id, parent);
    if (!this.#lastShown.has(parent)) this.#lastShown.set(parent, id);
  }

  /** Records which child of a message was last shown. */
  rememberShown(id: string, child: string): void {
    if (this.has(child) && this.parent(child) === id) this.#lastShown.set(id, child);
  }

  /**
   * Shows a message, with the branch that was last shown below it.
   *
   * @returns whether the path changed
   */
  show(id: string): boolean {
    if (!this.has(id)) return false;
    const path = this.pathTo(id);
    for (let next = this.#lastShown.get(id); next !== undefined; next = this.#lastShown.get(next)) {
      path.push(next);
    }
    if (path.at(-1) === this.head) return false;
    this.#setPath(path);
    return true;
  }

  /** Sorts the children of a message; children that are not in `order` come last. */
  sortChildren(parent: string | undefined, order: ReadonlyMap<string, number>): void {
    const rank = (id: string) => order.get(id) ?? order.size;
    this.#children.get(parent)?.sort((one, other) => rank(one) - rank(other));
  }

  /** Makes a message the end of the path, even if it has children. */
  showUpTo(id: string): void {
    if (this.has(id)) this.#setPath(this.pathTo(id));
  }

  /**
   * Removes a message with its descendants. On the path it is replaced by a sibling, preferably the next one.
   *
   * @returns the ids of the removed messages
   */
  remove(id: string): readonly string[] {
    if (!this.has(id)) return [];
    this.#changeCount += 1;
    const parent = this.parent(id);
    const wasShown = this.#path.includes(id);
    const siblings = this.#children.get(parent) ?? [];
    const index = siblings.indexOf(id);
    siblings.splice(index, 1);
    const next = siblings[index] ?? siblings[index - 1];
    if (this.#lastShown.get(parent) === id) this.#setLastShown(parent, next);
    const removed = this.subtree(id);
    this.#forget(removed);
    if (wasShown && next !== undefined) this.show(next);
    else if (wasShown) this.#path = this.pathTo(parent);
    return removed;
  }

  #setPath(path: string[]): void {
    this.#changeCount += 1;
    this.#path = path;
    for (const [index, each] of path.entries()) this.#lastShown.set(path[index - 1], each);
  }

  #insert(id: string, parent: string | undefined): void {
    if (this.has(id) || (parent !== undefined && !this.has(parent))) {
      throw new RangeError('The message already exists, or its parent does not.');
    }
    this.#changeCount += 1;
    this.#parents.set(id, parent);
    const siblings = this.#children.get(parent);
    if (siblings) siblings.push(id);
    else this.#children.set(parent, [id]);
  }

  #setLastShown(parent: string | undefined, id: string | undefined): void {
    if (id === undefined) this.#lastShown.delete(parent);
    else this.#lastShown.set(parent, id);
  }

  #forget(removed: readonly string[]): void {
    for (const each of removed) {
      this.#parents.delete(each);
      this.#children.delete(each);
      this.#lastShown.delete(each);
    }
  }
}
