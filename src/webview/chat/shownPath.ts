import type { PathView } from '../../protocol/chatPage.ts';
import type { ComparisonView, ReplyDelta, Turn } from '../../protocol/chatTurn.ts';
import { element } from '../markdown/dom.ts';
import { Columns } from './columns.ts';
import type { StreamingTurn } from './streamingTurn.ts';
import type { TurnElement } from './turn.ts';
import { TurnList } from './turnList.ts';

/** What a chat shows: the turns of its path, and after them what is side by side. */
export class ShownPath {
  readonly element = element('div');
  readonly #list: TurnList;
  readonly #columns: Columns;
  /** The ids of the turns that do not go along with the next question. */
  #leftOut: readonly string[] = [];

  /** @param isFollowing whether the reader is at the end of the conversation */
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
    return this.#columns.isStreaming || (last !== undefined && last.turn.state !== 'done');
  }

  /** Whether what arrives is at the end: not where answers stand below each other. */
  get hasEnd(): boolean {
    return !this.isEmpty && !this.#columns.isStacked;
  }

  get lastQuestion(): string {
    return this.#columns.lastQuestion ?? this.#list.last?.turn.question ?? '';
  }

  /** The turns that are shown, also those without an element. */
  get all(): readonly StreamingTurn[] {
    return this.#lists.flatMap(({ all }) => all);
  }

  /** The turns between two heights of the page. */
  between(top: number, bottom: number): ReturnType<TurnList['between']> {
    return this.#lists.flatMap((list) => list.between(top, bottom));
  }

  elementOf(turn: StreamingTurn): TurnElement | undefined {
    for (const list of this.#lists) {
      const found = list.elementOf(turn);
      if (found) return found;
    }
    return undefined;
  }

  /** Shows all of it, reusing what is there. */
  show({ kept, turns, comparison }: PathView): void {
    const find = this.#found(comparison);
    this.#list.show(turns, this.#leftOut, kept);
    this.#columns.show(comparison, this.#leftOut, this.#list.total, find);
  }

  /** Takes turns that stand before all others. */
  addEarlier(turns: readonly Turn[]): void {
    this.#list.addEarlier(turns);
  }

  /** Builds earlier turns as the reader comes near them, in the box that scrolls. */
  followScroll(scroller: Element): void {
    this.#list.followScroll(scroller);
  }

  /** Shows other turns after the first ones, whose number is `kept`, and other columns. */
  showPath({ kept, turns, comparison }: PathView): void {
    const find = this.#found(comparison);
    this.#list.showPath(kept, turns, this.#leftOut);
    this.#columns.show(comparison, this.#leftOut, this.#list.total, find);
  }

  /** Shows the host's state of one turn. @returns whether its question was just asked */
  put(turn: Turn): boolean {
    return this.inColumn(turn.id) ? this.#columns.put(turn) : this.#list.put(turn);
  }

  inColumn(turnId: string): boolean {
    return this.#columns.has(turnId);
  }

  /** Adds to a reply. @returns whether the turn changed its state */
  applyDelta(turnId: string, delta: ReplyDelta): boolean {
    return this.inColumn(turnId)
      ? this.#columns.applyDelta(turnId, delta)
      : this.#list.applyDelta(turnId, delta);
  }

  /** Marks the turns that do not go along with the next question, by their ids. */
  showLeftOut(ids: readonly string[]): void {
    this.#leftOut = ids;
    this.#list.showLeftOut(ids);
    this.#columns.showLeftOut(ids);
  }

  /** Builds a turn, if it is not there yet. @returns its element; undefined when there is no such turn */
  async reveal(turnId: string): Promise<TurnElement | undefined> {
    return this.inColumn(turnId) ? this.#columns.reveal(turnId) : this.#list.reveal(turnId);
  }

  /** Whether turns above those that are there are still being built. */
  get isBuilding(): boolean {
    return this.#lists.some(({ isBuilding }) => isBuilding);
  }

  /** The turn at a height of the page, and how far it begins above that. */
  placeAt(top: number): { readonly turnId: string; readonly offset: number } | undefined {
    return this.#list.placeAt(top) ?? this.#columns.placeAt(top);
  }

  /** The element of a turn before the columns; undefined where it has none yet. */
  elementAt(index: number): TurnElement | undefined {
    return this.#list.elementAt(index);
  }

  focusLastReply(): void {
    if (this.#columns.isShown) this.#columns.focusBeside(1);
    else this.#list.focusLastReply();
  }

  focusColumnBeside(step: 1 | -1): void {
    this.#columns.focusBeside(step);
  }

  get #lists(): readonly TurnList[] {
    return [this.#list, ...this.#columns.lists];
  }

  /** Finds turns that are shown now, also once the columns show others. */
  #found(comparison: ComparisonView | undefined): (id: string) => StreamingTurn | undefined {
    const ids = comparison?.columns.flat().filter((turn) => typeof turn === 'string') ?? [];
    const found = new Map(ids.map((id) => [id, this.#columns.find(id)]));
    return (id) => found.get(id);
  }
}
