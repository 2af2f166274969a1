import type { Messages } from './messages.ts';
import type { Prompt, ReplySettings, Turn } from './turn.ts';

/** The maximum number of replies shown side by side. */
export const maxCompared = 6;

/** Values that are derived from `storedEnds` and from the tree at its `changeCount`. */
interface ColumnState {
  readonly storedEnds: readonly string[];
  readonly changeCount: number;
  readonly ends: readonly string[];
  /** For each message, the last reply of its column; undefined for a message before the columns. */
  readonly columnEnds: ReadonlyMap<string, string | undefined>;
}

/**
 * The branches of a chat that are shown side by side, one column each. The columns are branches of the tree:
 * replies to one question, or messages below such replies. They are shown only while the path is one of them.
 */
export class Comparison {
  readonly #messages: Messages;
  /** May contain messages that no longer exist, or are no longer the ends of branches. */
  #ends: readonly string[] = [];
  #cached: ColumnState | undefined;

  constructor(messages: Messages) {
    this.#messages = messages;
  }

  /** The ids of the last replies of the columns, in order; empty unless there are several columns. */
  get ends(): readonly string[] {
    return this.#current.ends;
  }

  get isShown(): boolean {
    return this.ends.length > 0;
  }

  /** The models for a further question: one for each column. */
  get models(): readonly string[] {
    return this.ends.flatMap((end) => this.#messages.reply(end)?.settings.model ?? []);
  }

  /** The number of turns before the columns; all columns share them. */
  get trunkLength(): number {
    const [first = [], ...others] = this.#turnIds;
    const firstDifference = first.findIndex((id, index) => others.some((ids) => ids[index] !== id));
    return firstDifference === -1 ? first.length : firstDifference;
  }

  /** The turns of each column, in order, after those before the columns. */
  get columns(): readonly (readonly Turn[])[] {
    const { trunkLength } = this;
    return this.#turnIds.map((ids) => ids.slice(trunkLength).flatMap((id) => this.#messages.turn(id) ?? []));
  }

  /** The question at the start of all columns; undefined if the columns start with different questions. */
  get sharedQuestion(): string | undefined {
    const questions = new Set(this.columns.map(([first]) => first?.questionId));
    return questions.size === 1 ? [...questions][0] : undefined;
  }

  /** Returns the end of a turn's column; undefined for a turn before the columns. */
  getColumnEnd(turnId: string): string | undefined {
    return this.#current.columnEnds.get(turnId);
  }

  /**
   * Lists a reply and its siblings by the same model, without those in other columns. For a reply that is not in
   * a column, lists all siblings.
   */
  listAlternatives(replyId: string): readonly string[] {
    const { tree } = this.#messages;
    const siblings = tree.siblings(replyId);
    const { columnEnds } = this.#current;
    const ownEnd = columnEnds.get(replyId);
    if (ownEnd === undefined) return siblings;
    const model = this.#getModel(replyId);
    const isInOtherColumn = (id: string) => columnEnds.has(id) && columnEnds.get(id) !== ownEnd;
    return siblings.filter((id) => this.#getModel(id) === model && !isInOtherColumn(id));
  }

  restore(ends: readonly string[] = []): void {
    this.#ends = ends;
  }

  /**
   * Adds one question with replies by several models.
   *
   * @param parent the reply above it; undefined at the root
   * @param settings one for each model
   */
  addQuestion(
    prompt: Prompt,
    settings: readonly ReplySettings[],
    parent: string | undefined,
  ): readonly Turn[] {
    const question = this.#messages.addQuestion(prompt, parent);
    const turns = settings.map((each) => this.#messages.addReply(each, question));
    this.#showColumns(turns.map(({ id }) => id));
    return turns;
  }

  /**
   * Adds a further question to each column.
   *
   * @param settings one for each column, in order
   */
  addFollowUps(prompt: Prompt, settings: readonly ReplySettings[]): readonly Turn[] {
    const turns = this.ends.flatMap((end, column) => {
      const columnSettings = settings[column];
      return columnSettings
        ? [this.#messages.addReply(columnSettings, this.#messages.addQuestion(prompt, end))]
        : [];
    });
    this.#showColumns(turns.map(({ id }) => id));
    return turns;
  }

  /** Adds replies by more models to the question of a turn, and shows them next to that turn. */
  addReplies(turnId: string, settings: readonly ReplySettings[]): readonly Turn[] {
    const { tree } = this.#messages;
    const question = this.#messages.turn(turnId)?.questionId;
    if (question === undefined) return [];
    const { head = turnId } = tree;
    const existingEnds = this.isShown ? this.ends : [tree.path.includes(turnId) ? head : turnId];
    const turns = settings.map((each) => this.#messages.addReply(each, question));
    this.#showColumns([...existingEnds, ...turns.map(({ id }) => id)]);
    return turns;
  }

  /**
   * Shows a reply and its alternatives side by side, each with the branch that was last shown below it.
   *
   * @returns false if it has no alternatives
   */
  showAlternatives(replyId: string): boolean {
    const { tree } = this.#messages;
    const siblings = tree.siblings(replyId);
    const start = Math.max(0, Math.min(siblings.indexOf(replyId), siblings.length - maxCompared));
    const shown = siblings.slice(start, start + maxCompared);
    if (shown.length < 2) return false;
    const { head, path } = tree;
    this.#ends = shown.map((id) => (head !== undefined && path.includes(id) ? head : this.#findLeaf(id)));
    if (head === undefined || !this.#ends.includes(head)) tree.showUpTo(this.#findLeaf(replyId));
    return true;
  }

  /**
   * Finds the end of the column that can show a message: the column that contains the message, or a sibling by
   * the same model. For a question, the result is undefined if several columns contain siblings.
   */
  chooseColumn(replyId: string): string | undefined {
    const ownColumn = this.getColumnEnd(replyId);
    if (ownColumn !== undefined) return ownColumn;
    const { tree } = this.#messages;
    const siblings = tree.siblings(replyId);
    const model = this.#getModel(replyId);
    const candidates = this.ends.filter((end) =>
      tree.pathTo(end).some((id) => siblings.includes(id) && this.#getModel(id) === model),
    );
    return model === undefined && candidates.length > 1 ? undefined : candidates[0];
  }

  /** Shows a reply in a column, with the branch that was last shown below it. */
  show(column: string, replyId: string): void {
    const end = this.#findLeaf(replyId);
    this.#messages.tree.showUpTo(end);
    this.replaceEnd(column, end);
  }

  /** Records that a column has a new last reply. */
  replaceEnd(column: string, end: string): void {
    this.#ends = this.#ends.map((each) => (each === column ? end : each));
  }

  /** Closes a column. Its messages remain in the tree. */
  close(column: string): void {
    const { ends } = this;
    const others = ends.filter((end) => end !== column);
    if (others.length === ends.length) return;
    this.#showColumns(others);
  }

  /** Ends the comparison; the column becomes the path. */
  showOnly(column: string): void {
    this.#messages.tree.showUpTo(column);
    this.#ends = [];
  }

  /** The first column becomes the path, for code that works on a single path. */
  #showColumns(ends: readonly string[]): void {
    this.#ends = ends;
    const [first] = ends;
    if (first !== undefined) this.#messages.tree.showUpTo(first);
  }

  /** The ids of the turns of each column, including the turns before the columns. */
  get #turnIds(): readonly (readonly string[])[] {
    return this.ends.map((end) => this.#messages.getTurnIdsOn(this.#messages.tree.pathTo(end)));
  }

  get #current(): ColumnState {
    const { changeCount } = this.#messages.tree;
    if (this.#cached?.storedEnds !== this.#ends || this.#cached.changeCount !== changeCount) {
      const ends = this.#findCurrentEnds();
      this.#cached = { storedEnds: this.#ends, changeCount, ends, columnEnds: this.#mapColumns(ends) };
    }
    return this.#cached;
  }

  /** Finds the stored ends that still are ends of branches; none unless the head is one of several such ends. */
  #findCurrentEnds(): readonly string[] {
    const { head } = this.#messages.tree;
    if (head === undefined || !this.#ends.includes(head)) return [];
    const existing = this.#ends.filter((id) => this.#messages.reply(id) !== undefined);
    const ancestors = this.#collectAncestors(existing);
    const ends = [...new Set(existing)].filter((end) => !ancestors.has(end));
    return ends.includes(head) && ends.length > 1 ? ends.slice(0, maxCompared) : [];
  }

  /** Maps each message to the end of its column, or to undefined before the columns. */
  #mapColumns(ends: readonly string[]): ReadonlyMap<string, string | undefined> {
    const columns = new Map<string, string | undefined>();
    for (const end of ends) {
      for (const id of this.#messages.tree.pathTo(end)) columns.set(id, columns.has(id) ? undefined : end);
    }
    return columns;
  }

  #collectAncestors(ids: readonly string[]): ReadonlySet<string> {
    const { tree } = this.#messages;
    const ancestors = new Set<string>();
    for (const id of ids) {
      let parent = tree.parent(id);
      while (parent !== undefined && !ancestors.has(parent)) {
        ancestors.add(parent);
        parent = tree.parent(parent);
      }
    }
    return ancestors;
  }

  /** Finds the last reply of the branch that was last shown below a message. */
  #findLeaf(id: string): string {
    const { tree } = this.#messages;
    let leaf = id;
    for (let next = tree.lastShown(leaf); next !== undefined; next = tree.lastShown(next)) {
      if (this.#messages.reply(next)) leaf = next;
    }
    return leaf;
  }

  #getModel(replyId: string): string | undefined {
    return this.#messages.reply(replyId)?.settings.model;
  }
}
