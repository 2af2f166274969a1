import type { ReplyDelta, TurnView } from '../../../protocol/chatTurn.ts';
import { createElement } from '../../markdown/dom.ts';
import { type Painter, requestPaint } from '../../markdown/streaming/paintQueue.ts';
import { formatNumber, t } from '../../words/l10n.ts';
import { StreamingTurn } from './streamingTurn.ts';
import { type ContinueOffer, TurnElement } from './turn.ts';

/** The number of turns that are shown at first, and that each click on the button adds. */
const pageSize = 100;

/** How far above the viewport earlier turns begin to be built: about two screens. */
const earlierMargin = '1600px 0px 0px';

/** The number of turns that are built at once. The others follow in later frames. */
const maxTurnsAtOnce = 4;

/**
 * The turns of the conversation and their elements. Only messages of the host change them; renders of the page do
 * not.
 */
export class TurnList implements Painter {
  readonly element = createElement('div', 'turn-list');
  readonly #earlierButton = createElement('button', 'text-button', { type: 'button' });
  readonly #isFollowing: () => boolean;
  readonly #turnsById = new Map<string, StreamingTurn>();
  readonly #elements = new Map<StreamingTurn, TurnElement>();
  #turns: StreamingTurn[] = [];
  /** The ids of the turns that are not sent with the next question. */
  #excludedIds: ReadonlySet<string> = new Set();
  /** The index of the first turn that is sent with the next question; -1 if no turn is sent. */
  #contextBegin = 0;
  /** The index of the first turn with an element. Earlier turns are built when the reader comes close to them. */
  #firstBuilt = 0;
  /** The number of turns before this list, if it is a column. */
  #turnsBefore = 0;
  #sharesQuestion = false;
  #isColumn = false;
  #continueOffer: ContinueOffer = 'none';
  /** The index of the first turn that should have an element. */
  #firstToBuild = 0;
  /** The number of earlier turns that the host has not sent yet. */
  #missingCount = 0;
  #earlierObserver: IntersectionObserver | undefined;

  /** @param isFollowing returns whether the reader is at the end of the conversation */
  constructor(isFollowing: () => boolean) {
    this.#isFollowing = isFollowing;
    this.#earlierButton.hidden = true;
    this.element.append(this.#earlierButton);
    this.#earlierButton.addEventListener('click', () => this.#showEarlier());
  }

  /** Shows earlier turns when the reader scrolls close to them. */
  followScroll(scroller: Element): void {
    this.#earlierObserver = new IntersectionObserver(
      (entries) => {
        if (entries.at(-1)?.isIntersecting && !this.#earlierButton.hidden) this.#showEarlier();
      },
      { root: scroller, rootMargin: earlierMargin },
    );
    this.#earlierObserver.observe(this.#earlierButton);
  }

  get length(): number {
    return this.#turns.length;
  }

  /** The number of turns, including turns that the host has not sent yet. */
  get total(): number {
    return this.#missingCount + this.#turns.length;
  }

  /** The turns of the current path, including those without an element. */
  get allTurns(): readonly StreamingTurn[] {
    return this.#turns;
  }

  get first(): StreamingTurn | undefined {
    return this.#turns[0];
  }

  get last(): StreamingTurn | undefined {
    return this.#turns.at(-1);
  }

  find(turnId: string): StreamingTurn | undefined {
    return this.#turnsById.get(turnId);
  }

  /**
   * Makes the list a column, after other turns.
   *
   * @param turnsBefore the number of turns before the columns
   * @param sharesQuestion whether the question of its first turn is shown above all columns
   */
  becomeColumn(turnsBefore: number, sharesQuestion: boolean): void {
    this.#isColumn = true;
    this.#turnsBefore = turnsBefore;
    this.#sharesQuestion = sharesQuestion;
  }

  /**
   * Shows these turns, and reuses the elements of known turns.
   *
   * @param excludedIds the ids of the turns that are not sent with the next question
   * @param missing the number of turns before them, which `addEarlier` adds later
   */
  show(turns: readonly (TurnView | StreamingTurn)[], excludedIds: readonly string[], missing = 0): void {
    this.#missingCount = missing;
    this.#setTurns(
      turns.map((turn) => this.#toStreamingTurn(turn)),
      excludedIds,
    );
  }

  /** Replaces the turns after the first `unchangedTurns` turns. */
  showPath(unchangedTurns: number, turns: readonly TurnView[], excludedIds: readonly string[]): void {
    const before = this.#turns.slice(0, Math.max(0, unchangedTurns - this.#missingCount));
    this.#setTurns([...before, ...turns.map((turn) => this.#toStreamingTurn(turn))], excludedIds);
  }

  /** Adds turns before all others. They are built when the reader scrolls close to them. */
  addEarlier(turns: readonly TurnView[]): void {
    const newTurns = turns.map((turn) => new StreamingTurn(turn));
    for (const turn of newTurns) this.#turnsById.set(turn.view.id, turn);
    this.#turns = [...newTurns, ...this.#turns];
    this.#missingCount = Math.max(0, this.#missingCount - newTurns.length);
    this.#firstBuilt += newTurns.length;
    this.#firstToBuild += newTurns.length;
    this.#updateElements();
    requestPaint(this);
  }

  /**
   * Builds a turn and the turns after it, if they have no elements yet.
   *
   * @returns the element once it is built; undefined if there is no such turn
   */
  async reveal(turnId: string): Promise<TurnElement | undefined> {
    while (!this.#turnsById.has(turnId) && this.#missingCount > 0) await waitForFrame();
    const turn = this.#turnsById.get(turnId);
    const index = turn ? this.#turns.indexOf(turn) : -1;
    if (index === -1) return undefined;
    this.#firstToBuild = Math.min(this.#firstToBuild, index);
    requestPaint(this);
    while (turn && this.#turnsById.get(turnId) === turn && !this.#elements.has(turn)) await waitForFrame();
    return turn && this.#elements.get(turn);
  }

  /** Whether turns are still being built. */
  get isBuilding(): boolean {
    return this.#firstBuilt > this.#firstToBuild;
  }

  /** Finds the turn at a height of the page, and how far it begins above that height, in pixels. */
  findPosition(top: number): { readonly turnId: string; readonly offset: number } | undefined {
    for (const turn of this.#turns) {
      const box = this.#elements.get(turn)?.getBoundingClientRect();
      if (box && box.bottom > top) return { turnId: turn.view.id, offset: Math.round(top - box.top) };
    }
    return undefined;
  }

  /** Returns the element of the turn at an index of the path; undefined if it has none. */
  getElementAt(index: number): TurnElement | undefined {
    const turn = this.#turns[index - this.#missingCount];
    return turn && this.#elements.get(turn);
  }

  getElement(turn: StreamingTurn): TurnElement | undefined {
    return this.#elements.get(turn);
  }

  /** Lists the turns between two heights of the page that have elements. */
  listTurnsBetween(top: number, bottom: number): readonly { turn: StreamingTurn; element: TurnElement }[] {
    return this.#turns.flatMap((turn) => {
      const element = this.#elements.get(turn);
      const box = element?.getBoundingClientRect();
      return element && box && box.bottom > top && box.top < bottom ? [{ turn, element }] : [];
    });
  }

  #setTurns(turns: StreamingTurn[], excludedIds: readonly string[]): void {
    this.#excludedIds = new Set(excludedIds);
    this.#turns = turns;
    this.#turnsById.clear();
    for (const turn of this.#turns) this.#turnsById.set(turn.view.id, turn);
    this.#removeOthers(new Set(this.#turns));
    const first = this.#turns.findIndex((turn) => this.#elements.has(turn));
    this.#firstBuilt = first === -1 ? turns.length : first;
    for (const [offset, turn] of this.#turns.slice(this.#firstBuilt).entries()) {
      if (this.#elements.has(turn)) this.#elements.get(turn)?.show(turn);
      else this.element.append(this.#createElement(turn, this.#firstBuilt + offset));
    }
    this.#updateElements();
    this.#firstToBuild = Math.max(0, Math.min(this.#firstBuilt, turns.length - pageSize));
    for (let count = 0; count < maxTurnsAtOnce && this.paint(); count += 1);
    requestPaint(this);
  }

  /**
   * Shows the host's state of one turn.
   *
   * @returns whether its question was just sent
   */
  showTurn(turn: TurnView): boolean {
    const knownTurn = this.#turnsById.get(turn.id);
    if (knownTurn) {
      const wasDone = knownTurn.view.state === 'done';
      knownTurn.replace(turn);
      this.#elements.get(knownTurn)?.show(knownTurn);
      if (wasDone !== (turn.state === 'done')) this.#updateElements();
      return wasDone && turn.state === 'waiting';
    }
    const newTurn = new StreamingTurn(turn);
    this.#turnsById.set(turn.id, newTurn);
    this.#turns.push(newTurn);
    this.element.append(this.#createElement(newTurn, this.#turns.length - 1));
    this.#updateElements();
    return true;
  }

  /** Marks the turns that are not sent with the next question, by their ids. */
  showExcluded(ids: readonly string[]): void {
    this.#excludedIds = new Set(ids);
    this.#updateElements();
  }

  /**
   * Appends a delta to a reply.
   *
   * @returns whether the turn changed its state
   */
  applyDelta(turnId: string, delta: ReplyDelta): boolean {
    const turn = this.#turnsById.get(turnId);
    if (!turn) return false;
    const before = turn.view.state;
    const changed = turn.applyDelta(delta);
    const turnElement = this.#elements.get(turn);
    turnElement?.restartWait();
    if (changed) turnElement?.show(turn);
    else turnElement?.applyDelta(delta);
    return turn.view.state !== before;
  }

  /** Sets whether the chat can continue with only the last reply. */
  setContinueOffer(offer: ContinueOffer): void {
    this.#continueOffer = offer;
    this.#updateElements();
  }

  focusLastReply(): void {
    if (this.last) this.#elements.get(this.last)?.focusReply();
  }

  /** Builds the next earlier turn. */
  paint(): boolean {
    const turn = this.#turns[this.#firstBuilt - 1];
    if (turn && this.#firstBuilt > this.#firstToBuild) {
      this.#firstBuilt -= 1;
      const turnElement = this.#createElement(turn, this.#firstBuilt);
      this.#earlierButton.after(turnElement);
      turnElement.renderNow();
    }
    if (this.#firstBuilt > this.#firstToBuild) return true;
    const count = this.#firstBuilt + this.#missingCount;
    this.#earlierButton.hidden = count === 0;
    this.#earlierButton.textContent = t('Show Earlier Turns ({0})', formatNumber(count));
    this.#observeAgain();
    return false;
  }

  #toStreamingTurn(turn: TurnView | StreamingTurn): StreamingTurn {
    if (turn instanceof StreamingTurn) return turn;
    const knownTurn = this.#turnsById.get(turn.id);
    knownTurn?.replace(turn);
    return knownTurn ?? new StreamingTurn(turn);
  }

  #removeOthers(remaining: ReadonlySet<StreamingTurn>): void {
    for (const [turn, turnElement] of this.#elements) {
      if (remaining.has(turn)) continue;
      turnElement.remove();
      this.#elements.delete(turn);
    }
  }

  #createElement(turn: StreamingTurn, index: number): TurnElement {
    const turnElement = new TurnElement();
    turnElement.isFollowing = this.#isFollowing;
    turnElement.show(turn);
    this.#updateElement(turnElement, turn, index);
    this.#elements.set(turn, turnElement);
    return turnElement;
  }

  #updateElements(): void {
    this.#contextBegin = this.#turns.findIndex(({ view }) => !this.#excludedIds.has(view.id));
    for (const [index, turn] of this.#turns.entries()) {
      const turnElement = this.#elements.get(turn);
      if (turnElement) this.#updateElement(turnElement, turn, index);
    }
  }

  #updateElement(turnElement: TurnElement, { view }: StreamingTurn, index: number): void {
    turnElement.number = this.#turnsBefore + this.#missingCount + index + 1;
    turnElement.isInColumn = this.#isColumn;
    turnElement.part = this.#sharesQuestion && index === 0 ? 'reply' : 'all';
    turnElement.isLast = index === this.#turns.length - 1;
    turnElement.continueOffer = turnElement.isLast ? this.#continueOffer : 'none';
    turnElement.isBusy = this.last?.view.state !== 'done';
    turnElement.isExcluded = this.#excludedIds.has(view.id);
    turnElement.beginsContext = this.#missingCount + index > 0 && index === this.#contextBegin;
  }

  /**
   * Observes the button again, because the observer reports only changes and the reader may still be close to it.
   */
  #observeAgain(): void {
    this.#earlierObserver?.unobserve(this.#earlierButton);
    this.#earlierObserver?.observe(this.#earlierButton);
  }

  /** Shows earlier turns. Scrolls down a pixel first, because scroll anchoring does not work at the very top. */
  #showEarlier(): void {
    const scroller = this.element.closest('.turns');
    if (scroller) scroller.scrollTop = Math.max(1, scroller.scrollTop);
    this.#firstToBuild = Math.max(0, this.#firstBuilt - pageSize);
    requestPaint(this);
  }
}

/** Waits until the next frame. */
export function waitForFrame(): Promise<void> {
  return new Promise((resolve) => requestAnimationFrame(() => resolve()));
}
