/**
 * Which message follows which, and the path that is shown: from a root to the head, which is the newest message
 * or the end of the branch that the user went to. Siblings stand in the order in which they were added.
 */
export class MessageTree {
  readonly #parents = new Map<string, string | undefined>();
  /** By parent; the roots under undefined. */
  readonly #children = new Map<string | undefined, string[]>();
  /** The child of each message that was shown last. */
  readonly #lastShown = new Map<string | undefined, string>();
  #path: string[] = [];
  #changes = 0;

  /** How often anything but the order changed: as long as it is the same, so is what follows from the tree. */
  get changes(): number {
    return this.#changes;
  }

  /** The ids from a root to the head. */
  get path(): readonly string[] {
    return this.#path;
  }

  get head(): string | undefined {
    return this.#path.at(-1);
  }

  /** All ids, in the order in which they were added. */
  get all(): readonly string[] {
    return [...this.#parents.keys()];
  }

  has(id: string): boolean {
    return this.#parents.has(id);
  }

  parent(id: string): string | undefined {
    return this.#parents.get(id);
  }

  /** The message and its alternatives, in order. */
  siblings(id: string): readonly string[] {
    return this.has(id) ? (this.#children.get(this.parent(id)) ?? []) : [];
  }

  /** The messages that follow a message at once, in order; the roots without an id. */
  children(id: string | undefined): readonly string[] {
    return this.#children.get(id) ?? [];
  }

  /** A message and all that follows it, parents first. */
  below(id: string): readonly string[] {
    const found = this.has(id) ? [id] : [];
    // The list grows while it is walked: a message is followed by its children.
    for (const each of found) found.push(...this.children(each));
    return found;
  }

  /** The ids from a root to a message. */
  pathTo(id: string | undefined): string[] {
    const upwards: string[] = [];
    for (let each = id; each !== undefined; each = this.parent(each)) upwards.push(each);
    return upwards.reverse();
  }

  /** The child of a message that was shown last; of the roots without an id. */
  lastShown(id: string | undefined): string | undefined {
    return this.#lastShown.get(id);
  }

  /** Adds a message after another, or as a root. It becomes the head. */
  add(id: string, parent: string | undefined): void {
    this.#insert(id, parent);
    if (this.head !== parent) this.#path = this.pathTo(parent);
    this.#path.push(id);
    this.#lastShown.set(parent, id);
  }

  /** Adds a message, and leaves the path as it is. */
  addAside(id: string, parent: string | undefined): void {
    this.#insert(id, parent);
    if (!this.#lastShown.has(parent)) this.#lastShown.set(parent, id);
  }

  /** Remembers which child of a message was shown last. */
  rememberShown(id: string, child: string): void {
    if (this.has(child) && this.parent(child) === id) this.#lastShown.set(id, child);
  }

  /**
   * Shows a message, and below it what was shown there last.
   *
   * @returns whether the path is another one now
   */
  show(id: string): boolean {
    if (!this.has(id)) return false;
    const path = this.pathTo(id);
    for (let next = this.#lastShown.get(id); next !== undefined; next = this.#lastShown.get(next)) {
      path.push(next);
    }
    if (path.at(-1) === this.head) return false;
    this.#changes += 1;
    this.#path = path;
    for (const [at, each] of path.entries()) this.#lastShown.set(path[at - 1], each);
    return true;
  }

  /** Puts the children of a message into an order; those that it does not name come last. */
  arrange(parent: string | undefined, order: ReadonlyMap<string, number>): void {
    const rank = (id: string) => order.get(id) ?? order.size;
    this.#children.get(parent)?.sort((one, other) => rank(one) - rank(other));
  }

  /** Shows a message as the end of the path, whatever follows it. */
  showTo(id: string): void {
    if (!this.has(id)) return;
    this.#changes += 1;
    this.#path = this.pathTo(id);
    for (const [at, each] of this.#path.entries()) this.#lastShown.set(this.#path[at - 1], each);
  }

  /**
   * Removes a message with all that follows it. A sibling takes its place on the path, the one after it first.
   *
   * @returns the ids of what was removed
   */
  remove(id: string): readonly string[] {
    if (!this.has(id)) return [];
    this.#changes += 1;
    const parent = this.parent(id);
    const wasShown = this.#path.includes(id);
    const siblings = this.#children.get(parent) ?? [];
    const at = siblings.indexOf(id);
    siblings.splice(at, 1);
    const next = siblings[at] ?? siblings[at - 1];
    if (this.#lastShown.get(parent) === id) this.#showLast(parent, next);
    const removed = this.below(id);
    this.#forget(removed);
    if (wasShown && next !== undefined) this.show(next);
    else if (wasShown) this.#path = this.pathTo(parent);
    return removed;
  }

  #insert(id: string, parent: string | undefined): void {
    if (this.has(id) || (parent !== undefined && !this.has(parent))) {
      throw new RangeError('A message is added once, after one that is there.');
    }
    this.#changes += 1;
    this.#parents.set(id, parent);
    const siblings = this.#children.get(parent);
    if (siblings) siblings.push(id);
    else this.#children.set(parent, [id]);
  }

  #showLast(parent: string | undefined, id: string | undefined): void {
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
