import type { Messages } from './messages.ts';
import type { Asking, Prompt, Turn } from './turn.ts';

/** How many answers stand side by side at most. */
export const maxCompared = 6;

interface Found {
  readonly from: readonly string[];
  readonly changes: number;
  readonly ends: readonly string[];
  /** The last answer of the column in which a message stands; undefined for one before the columns. */
  readonly columnOf: ReadonlyMap<string, string | undefined>;
}

/**
 * The branches of a chat that are shown side by side, a column each. They are as they are in the tree: answers of
 * one question, or what was said below such answers. They count while the path that is shown is one of them.
 */
export class Comparison {
  readonly #messages: Messages;
  #ends: readonly string[] = [];
  /** What follows from `#ends`, until they or the tree change. */
  #found: Found | undefined;

  constructor(messages: Messages) {
    this.#messages = messages;
  }

  /** The ids of the last answers of the columns, in order; none unless there are several. */
  get ends(): readonly string[] {
    return this.#shown.ends;
  }

  get isShown(): boolean {
    return this.ends.length > 0;
  }

  /** The models that a further question asks: that of each column. */
  get models(): readonly string[] {
    return this.ends.flatMap((end) => this.#messages.answer(end)?.asked.model ?? []);
  }

  /** How many turns come before the columns: all of them go on from there. */
  get trunk(): number {
    const [first = [], ...others] = this.#turnIds;
    const parted = first.findIndex((id, at) => others.some((ids) => ids[at] !== id));
    return parted === -1 ? first.length : parted;
  }

  /** The turns of each column, in order, after those before the columns. */
  get columns(): readonly (readonly Turn[])[] {
    const { trunk } = this;
    return this.#turnIds.map((ids) => ids.slice(trunk).flatMap((id) => this.#messages.turn(id) ?? []));
  }

  /** The question that the columns begin with; undefined where each has its own. */
  get sharedQuestion(): string | undefined {
    const questions = new Set(this.columns.map(([first]) => first?.questionId));
    return questions.size === 1 ? [...questions][0] : undefined;
  }

  /** The column in which a turn stands, by its last answer; undefined for a turn before the columns. */
  columnOf(turnId: string): string | undefined {
    return this.#shown.columnOf.get(turnId);
  }

  /** An answer and those of the same model that could stand in its column; the whole row where nothing is compared. */
  alternatives(answerId: string): readonly string[] {
    const { tree } = this.#messages;
    const siblings = tree.siblings(answerId);
    const { columnOf } = this.#shown;
    const own = columnOf.get(answerId);
    if (own === undefined) return siblings;
    const model = this.#modelOf(answerId);
    const isElsewhere = (id: string) => columnOf.has(id) && columnOf.get(id) !== own;
    return siblings.filter((id) => this.#modelOf(id) === model && !isElsewhere(id));
  }

  /** Brings back what was shown side by side. */
  restore(ends: readonly string[] = []): void {
    this.#ends = ends;
  }

  /**
   * Asks several models one question.
   *
   * @param parent the answer above it; undefined at the root
   * @param asked one for each model
   */
  ask(prompt: Prompt, asked: readonly Asking[], parent: string | undefined): readonly Turn[] {
    const question = this.#messages.addQuestion(prompt, parent);
    const turns = asked.map((each) => this.#messages.addAnswer(each, question));
    this.#show(turns.map(({ id }) => id));
    return turns;
  }

  /**
   * Asks a further question in each column.
   *
   * @param asked one for each column, in order
   */
  goOn(prompt: Prompt, asked: readonly Asking[]): readonly Turn[] {
    const turns = this.ends.flatMap((end, column) => {
      const how = asked[column];
      return how ? [this.#messages.addAnswer(how, this.#messages.addQuestion(prompt, end))] : [];
    });
    this.#show(turns.map(({ id }) => id));
    return turns;
  }

  /** Asks more models the question of a turn. Their answers stand beside it. */
  askBeside(turnId: string, asked: readonly Asking[]): readonly Turn[] {
    const { tree } = this.#messages;
    const question = this.#messages.turn(turnId)?.questionId;
    if (question === undefined) return [];
    const isOnPath = tree.path.includes(turnId) && tree.head !== undefined;
    const before = this.isShown ? this.ends : [isOnPath ? (tree.head ?? turnId) : turnId];
    const turns = asked.map((each) => this.#messages.addAnswer(each, question));
    this.#show([...before, ...turns.map(({ id }) => id)]);
    return turns;
  }

  /**
   * Shows an answer and its alternatives side by side, each as it was left.
   *
   * @returns whether there are any
   */
  resume(answerId: string): boolean {
    const { tree } = this.#messages;
    const siblings = tree.siblings(answerId);
    const first = Math.max(0, Math.min(siblings.indexOf(answerId), siblings.length - maxCompared));
    const shown = siblings.slice(first, first + maxCompared);
    if (shown.length < 2) return false;
    const { head } = tree;
    this.#ends = shown.map((id) =>
      head !== undefined && tree.pathTo(head).includes(id) ? head : this.#leaf(id),
    );
    if (head === undefined || !this.#ends.includes(head)) tree.showTo(this.#leaf(answerId));
    return true;
  }

  /**
   * The column in which an answer can be shown, by its last answer: that of its model. A question can be shown where
   * one column alone has one in its place.
   */
  columnFor(answerId: string): string | undefined {
    const shown = this.columnOf(answerId);
    if (shown !== undefined) return shown;
    const { tree } = this.#messages;
    const siblings = tree.siblings(answerId);
    const model = this.#modelOf(answerId);
    const found = this.ends.filter((end) =>
      tree.pathTo(end).some((id) => siblings.includes(id) && this.#modelOf(id) === model),
    );
    return model === undefined && found.length > 1 ? undefined : found[0];
  }

  /** Shows an answer in a column, and below it what was shown there last. */
  show(column: string, answerId: string): void {
    const end = this.#leaf(answerId);
    this.#messages.tree.showTo(end);
    this.replace(column, end);
  }

  /** Puts another branch into a column. */
  replace(column: string, end: string): void {
    this.#ends = this.#ends.map((each) => (each === column ? end : each));
  }

  /** Takes a column away. What it showed stays in the tree. */
  close(column: string): void {
    const { ends } = this;
    const others = ends.filter((end) => end !== column);
    if (others.length === ends.length) return;
    this.#show(others);
  }

  /** Shows one column alone. */
  leave(column: string): void {
    this.#messages.tree.showTo(column);
    this.#ends = [];
  }

  /** The first one is the path, for whatever goes by one. */
  #show(ends: readonly string[]): void {
    this.#ends = ends;
    const [first] = ends;
    if (first !== undefined) this.#messages.tree.showTo(first);
  }

  /** The ids of the turns of each column, with those before the columns. */
  get #turnIds(): readonly (readonly string[])[] {
    return this.ends.map((end) => this.#messages.turnIdsOn(this.#messages.tree.pathTo(end)));
  }

  get #shown(): Found {
    const { changes } = this.#messages.tree;
    if (this.#found?.from !== this.#ends || this.#found.changes !== changes) {
      const ends = this.#endsNow();
      this.#found = { from: this.#ends, changes, ends, columnOf: this.#columnsOf(ends) };
    }
    return this.#found;
  }

  #endsNow(): readonly string[] {
    const { head } = this.#messages.tree;
    if (head === undefined || !this.#ends.includes(head)) return [];
    const there = this.#ends.filter((id) => this.#messages.answer(id) !== undefined);
    const passed = this.#above(there);
    const ends = [...new Set(there)].filter((end) => !passed.has(end));
    return ends.includes(head) && ends.length > 1 ? ends.slice(0, maxCompared) : [];
  }

  /** The columns of messages: their ends, or undefined for messages before the columns. */
  #columnsOf(ends: readonly string[]): ReadonlyMap<string, string | undefined> {
    const columns = new Map<string, string | undefined>();
    for (const end of ends) {
      for (const id of this.#messages.tree.pathTo(end)) columns.set(id, columns.has(id) ? undefined : end);
    }
    return columns;
  }

  /** The messages that others of these go on from. */
  #above(ids: readonly string[]): ReadonlySet<string> {
    const { tree } = this.#messages;
    const above = new Set<string>();
    for (const id of ids) {
      for (let at = tree.parent(id); at !== undefined && !above.has(at); at = tree.parent(at)) above.add(at);
    }
    return above;
  }

  #leaf(id: string): string {
    const { tree } = this.#messages;
    let leaf = id;
    for (let next = tree.lastShown(leaf); next !== undefined; next = tree.lastShown(next)) {
      if (this.#messages.answer(next)) leaf = next;
    }
    return leaf;
  }

  #modelOf(answerId: string): string | undefined {
    return this.#messages.answer(answerId)?.asked.model;
  }
}
