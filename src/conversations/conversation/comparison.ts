import type { Messages } from './messages.ts';
import type { Prompt, ReplySettings, Turn } from './turn.ts';

/** The maximum number of replies shown side by side. */
export const maxCompared = 6;

interface ShownColumns {
  /** The value of `#ends` and the change counter of the tree from which the other values are derived. */
  readonly from: readonly string[];
  readonly changes: number;
  readonly ends: readonly string[];
  /** For each message, the last reply of its column; undefined for a message before the columns. */
  readonly columnOf: ReadonlyMap<string, string | undefined>;
}

/**
 * The branches of a chat that are shown side by side, one column each. The columns are branches of the tree:
 * replies to one question, or messages below such replies. They are shown only while the path is one of them.
 */
export class Comparison {
  readonly #messages: Messages;
  #ends: readonly string[] = [];
  /** Cached values derived from `#ends` and the tree. */
  #cached: ShownColumns | undefined;

  constructor(messages: Messages) {
    this.#messages = messages;
  }

  /** The ids of the last replies of the columns, in order; empty unless there are several columns. */
  get ends(): readonly string[] {
    return this.#shown.ends;
  }

  get isShown(): boolean {
    return this.ends.length > 0;
  }

  /** The models for a further question: one for each column. */
  get models(): readonly string[] {
    return this.ends.flatMap((end) => this.#messages.reply(end)?.settings.model ?? []);
  }

  /** The number of turns before the columns; all columns share them. */
  get trunk(): number {
    const [first = [], ...others] = this.#turnIds;
    const firstDifference = first.findIndex((id, index) => others.some((ids) => ids[index] !== id));
    return firstDifference === -1 ? first.length : firstDifference;
  }

  /** The turns of each column, in order, after those before the columns. */
  get columns(): readonly (readonly Turn[])[] {
    const { trunk } = this;
    return this.#turnIds.map((ids) => ids.slice(trunk).flatMap((id) => this.#messages.turn(id) ?? []));
  }

  /** The question at the start of all columns; undefined if the columns have different ones. */
  get sharedQuestion(): string | undefined {
    const questions = new Set(this.columns.map(([first]) => first?.questionId));
    return questions.size === 1 ? [...questions][0] : undefined;
  }

  /** The column of a turn, by its last reply; undefined for a turn before the columns. */
  columnOf(turnId: string): string | undefined {
    return this.#shown.columnOf.get(turnId);
  }

  /**
   * A reply and its siblings by the same model that no other column shows; all siblings if it is not in a
   * column.
   */
  alternatives(replyId: string): readonly string[] {
    const { tree } = this.#messages;
    const siblings = tree.siblings(replyId);
    const { columnOf } = this.#shown;
    const own = columnOf.get(replyId);
    if (own === undefined) return siblings;
    const model = this.#modelOf(replyId);
    const isInOtherColumn = (id: string) => columnOf.has(id) && columnOf.get(id) !== own;
    return siblings.filter((id) => this.#modelOf(id) === model && !isInOtherColumn(id));
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
    this.#show(turns.map(({ id }) => id));
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
    this.#show(turns.map(({ id }) => id));
    return turns;
  }

  /** Adds replies by more models to the question of a turn, and shows them next to that turn. */
  addReplies(turnId: string, settings: readonly ReplySettings[]): readonly Turn[] {
    const { tree } = this.#messages;
    const question = this.#messages.turn(turnId)?.questionId;
    if (question === undefined) return [];
    const isOnPath = tree.path.includes(turnId) && tree.head !== undefined;
    const before = this.isShown ? this.ends : [isOnPath ? (tree.head ?? turnId) : turnId];
    const turns = settings.map((each) => this.#messages.addReply(each, question));
    this.#show([...before, ...turns.map(({ id }) => id)]);
    return turns;
  }

  /**
   * Shows a reply and its alternatives side by side, each with the branch that was last shown below it.
   *
   * @returns whether there are any
   */
  resume(replyId: string): boolean {
    const { tree } = this.#messages;
    const siblings = tree.siblings(replyId);
    const first = Math.max(0, Math.min(siblings.indexOf(replyId), siblings.length - maxCompared));
    const shown = siblings.slice(first, first + maxCompared);
    if (shown.length < 2) return false;
    const { head } = tree;
    this.#ends = shown.map((id) =>
      head !== undefined && tree.pathTo(head).includes(id) ? head : this.#leaf(id),
    );
    if (head === undefined || !this.#ends.includes(head)) tree.showTo(this.#leaf(replyId));
    return true;
  }

  /**
   * The column that can show a reply, by its last reply: the column of the reply's model. A message without
   * a model, such as a question, needs a single column with one of its siblings.
   */
  columnFor(replyId: string): string | undefined {
    const shown = this.columnOf(replyId);
    if (shown !== undefined) return shown;
    const { tree } = this.#messages;
    const siblings = tree.siblings(replyId);
    const model = this.#modelOf(replyId);
    const candidates = this.ends.filter((end) =>
      tree.pathTo(end).some((id) => siblings.includes(id) && this.#modelOf(id) === model),
    );
    return model === undefined && candidates.length > 1 ? undefined : candidates[0];
  }

  /** Shows a reply in a column, with the branch that was last shown below it. */
  show(column: string, replyId: string): void {
    const end = this.#leaf(replyId);
    this.#messages.tree.showTo(end);
    this.replace(column, end);
  }

  replace(column: string, end: string): void {
    this.#ends = this.#ends.map((each) => (each === column ? end : each));
  }

  /** Closes a column. Its messages stay in the tree. */
  close(column: string): void {
    const { ends } = this;
    const others = ends.filter((end) => end !== column);
    if (others.length === ends.length) return;
    this.#show(others);
  }

  showOnly(column: string): void {
    this.#messages.tree.showTo(column);
    this.#ends = [];
  }

  /** The first column becomes the path, for code that works on a single path. */
  #show(ends: readonly string[]): void {
    this.#ends = ends;
    const [first] = ends;
    if (first !== undefined) this.#messages.tree.showTo(first);
  }

  /** The ids of the turns of each column, including the turns before the columns. */
  get #turnIds(): readonly (readonly string[])[] {
    return this.ends.map((end) => this.#messages.turnIdsOn(this.#messages.tree.pathTo(end)));
  }

  get #shown(): ShownColumns {
    const { changes } = this.#messages.tree;
    if (this.#cached?.from !== this.#ends || this.#cached.changes !== changes) {
      const ends = this.#currentEnds();
      this.#cached = { from: this.#ends, changes, ends, columnOf: this.#columnsOf(ends) };
    }
    return this.#cached;
  }

  #currentEnds(): readonly string[] {
    const { head } = this.#messages.tree;
    if (head === undefined || !this.#ends.includes(head)) return [];
    const existing = this.#ends.filter((id) => this.#messages.reply(id) !== undefined);
    const ancestors = this.#ancestorsOf(existing);
    const ends = [...new Set(existing)].filter((end) => !ancestors.has(end));
    return ends.includes(head) && ends.length > 1 ? ends.slice(0, maxCompared) : [];
  }

  /** Maps each message to the end of its column, or to undefined before the columns. */
  #columnsOf(ends: readonly string[]): ReadonlyMap<string, string | undefined> {
    const columns = new Map<string, string | undefined>();
    for (const end of ends) {
      for (const id of this.#messages.tree.pathTo(end)) columns.set(id, columns.has(id) ? undefined : end);
    }
    return columns;
  }

  /** The ancestors of the messages. */
  #ancestorsOf(ids: readonly string[]): ReadonlySet<string> {
    const { tree } = this.#messages;
    const above = new Set<string>();
    for (const id of ids) {
      for (let up = tree.parent(id); up !== undefined && !above.has(up); up = tree.parent(up)) above.add(up);
    }
    return above;
  }

  #leaf(id: string): string {
    const { tree } = this.#messages;
    let leaf = id;
    for (let next = tree.lastShown(leaf); next !== undefined; next = tree.lastShown(next)) {
      if (this.#messages.reply(next)) leaf = next;
    }
    return leaf;
  }

  #modelOf(replyId: string): string | undefined {
    return this.#messages.reply(replyId)?.settings.model;
  }
}
