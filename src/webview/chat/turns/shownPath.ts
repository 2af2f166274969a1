import type { PathView } from '../../../protocol/chatPage.ts';
import type { ComparisonView, ReplyDelta, TurnView } from '../../../protocol/chatTurn.ts';
import { createElement } from '../../markdown/dom.ts';
import { Columns } from './columns.ts';
import type { StreamingTurn } from './streamingTurn.ts';
import type { TurnElement } from './turn.ts';
import { TurnList } from './turnList.ts';

/** The content of a chat: the turns of its path, followed by the columns. */
export class ShownPath {
  readonly element = createElement('div');
  readonly #list: TurnList;
  readonly #columns: Columns;
  /** The ids of the turns that are not sent with the next question. */
  #excludedIds: readonly string[] = [];

  /** @param isFollowing returns whether the reader is at the end of the conversation */
  constructor(isFollowing: () => boolean) {
    this.#list = new TurnList(isFollowing);
    this.#columns = new Columns(isFollowing);
    this.element.append(this.#list.element, this.#columns.element);
  }

  get isEmpty(): boolean {
    return this.#list.length === 0 && !this.#columns.isShown;
  }

  get isStreaming(): boolean {
    const { last } = this.#list;
    return this.#columns.isStreaming || (last !== undefined && last.view.state !== 'done');
  }

  /** Whether new content arrives at the end of the page. False while columns are below other columns. */
  get hasEnd(): boolean {
    return !this.isEmpty && !this.#columns.isStacked;
  }

  get lastQuestion(): string {
    return this.#columns.lastQuestion ?? this.#list.last?.view.question ?? '';
  }

  /** All turns of the path and the columns, including those without an element. */
  get allTurns(): readonly StreamingTurn[] {
    return this.#lists.flatMap((list) => list.allTurns);
  }

  /** Lists the turns between two heights of the page. */
  listTurnsBetween(top: number, bottom: number): ReturnType<TurnList['listTurnsBetween']> {
    return this.#lists.flatMap((list) => list.listTurnsBetween(top, bottom));
  }

  getElement(turn: StreamingTurn): TurnElement | undefined {
    return this.#lists.map((list) => list.getElement(turn)).find((element) => element !== undefined);
  }

  /** Shows the whole path, and reuses existing elements. */
  show({ unchangedTurns, turns, comparison }: PathView): void {
    const find = this.#createTurnLookup(comparison);
    this.#list.show(turns, this.#excludedIds, unchangedTurns);
    this.#columns.show(comparison, this.#excludedIds, this.#list.total, find);
  }

  /** Adds turns before all others. */
  addEarlier(turns: readonly TurnView[]): void {
    this.#list.addEarlier(turns);
  }

  /** Builds earlier turns when the reader scrolls close to them. */
  followScroll(scroller: Element): void {
    this.#list.followScroll(scroller);
  }

  /** Replaces the turns after the first `unchangedTurns` turns, and the columns. */
  showPath({ unchangedTurns, turns, comparison }: PathView): void {
    const find = this.#createTurnLookup(comparison);
    this.#list.showPath(unchangedTurns, turns, this.#excludedIds);
    this.#columns.show(comparison, this.#excludedIds, this.#list.total, find);
  }

  /** Shows the host's state of one turn. @returns whether its question was just sent */
  showTurn(turn: TurnView): boolean {
    return this.isInColumn(turn.id) ? this.#columns.showTurn(turn) : this.#list.showTurn(turn);
  }

  isInColumn(turnId: string): boolean {
    return this.#columns.has(turnId);
  }

  /** Appends a delta to a reply. @returns whether the turn changed its state */
  applyDelta(turnId: string, delta: ReplyDelta): boolean {
    return this.isInColumn(turnId)
      ? this.#columns.applyDelta(turnId, delta)
      : this.#list.applyDelta(turnId, delta);
  }

  /** Marks the turns that are not sent with the next question, by their ids. */
  showExcluded(ids: readonly string[]): void {
    this.#excludedIds = ids;
    this.#list.showExcluded(ids);
    this.#columns.showExcluded(ids);
  }

  /** Builds a turn, if it has no element yet. @returns its element; undefined if there is no such turn */
  async reveal(turnId: string): Promise<TurnElement | undefined> {
    return this.isInColumn(turnId) ? this.#columns.reveal(turnId) : this.#list.reveal(turnId);
  }

  /** Whether earlier turns are still being built. */
  get isBuilding(): boolean {
    return this.#lists.some(({ isBuilding }) => isBuilding);
  }

  /** Finds the turn at a height of the page, and how far it begins above that height, in pixels. */
  findPosition(top: number): { readonly turnId: string; readonly offset: number } | undefined {
    return this.#list.findPosition(top) ?? this.#columns.findPosition(top);
  }

  /** Returns the element of the turn at an index of the path, before the columns; undefined if it has none. */
  getElementAt(index: number): TurnElement | undefined {
    return this.#list.getElementAt(index);
  }

  focusLastReply(): void {
    if (this.#columns.isShown) this.#columns.focusAdjacent(1);
    else this.#list.focusLastReply();
  }

  focusAdjacentColumn(step: 1 | -1): void {
    this.#columns.focusAdjacent(step);
  }

  get #lists(): readonly TurnList[] {
    return [this.#list, ...this.#columns.lists];
  }

  /** Returns a lookup of the turns that are in columns now. It remains valid when the columns change. */
  #createTurnLookup(comparison: ComparisonView | undefined): (id: string) => StreamingTurn | undefined {
    const ids = comparison?.columns.flat().filter((turn) => typeof turn === 'string') ?? [];
    const turnsById = new Map(ids.map((id) => [id, this.#columns.find(id)]));
    return (id) => turnsById.get(id);
  }
}
