import type { ReplyDelta, Turn } from '../../protocol/chatTurn.ts';
import { element } from '../markdown/dom.ts';
import { type Painter, requestPaint } from '../markdown/paintQueue.ts';
import { numberWords, t } from '../words/l10n.ts';
import { StreamingTurn } from './streamingTurn.ts';
import { type GoOn, TurnElement } from './turn.ts';

/** How many turns are shown at first, and how many more on each request. */
const pageSize = 100;

/** How far above the screen the earlier turns may be when they are built: about two screens. */
const earlierMargin = '1600px 0px 0px';

/** How many of them are built at once. The others follow in later frames. */
const maxTurnsAtOnce = 4;

/**
 * The turns of the conversation and their elements. Only messages of the host change them; no render of the
 * page does.
 */
export class TurnList implements Painter {
  readonly element = element('div', 'turn-list');
  readonly #earlier = element('button', 'text-button', { type: 'button' });
  readonly #isFollowing: () => boolean;
  readonly #byId = new Map<string, StreamingTurn>();
  readonly #elements = new Map<StreamingTurn, TurnElement>();
  #turns: StreamingTurn[] = [];
  /** The ids of the turns that do not go along with the next question. */
  #leftOut: ReadonlySet<string> = new Set();
  /** The index of the first turn that goes along; -1 when none does. */
  #contextBegin = 0;
  /** The index of the first turn with an element. Earlier ones follow later, or when the reader asks. */
  #first = 0;
  /** How many turns come before this list. */
  #before = 0;
  #sharesQuestion = false;
  #isColumn = false;
  #goOn: GoOn = 'none';
  #wanted = 0;
  /** How many turns before the first one the host has not sent yet. */
  #missing = 0;
  #nearEarlier: IntersectionObserver | undefined;

  /** @param isFollowing whether the reader is at the end of the conversation */
  constructor(isFollowing: () => boolean) {
    this.#isFollowing = isFollowing;
    this.#earlier.hidden = true;
    this.element.append(this.#earlier);
    this.#earlier.addEventListener('click', () => this.#showEarlier());
  }

  /** Shows earlier turns as the reader comes near them, in the box that scrolls. */
  followScroll(scroller: Element): void {
    this.#nearEarlier = new IntersectionObserver(
      (entries) => {
        if (entries.at(-1)?.isIntersecting && !this.#earlier.hidden) this.#showEarlier();
      },
      { root: scroller, rootMargin: earlierMargin },
    );
    this.#nearEarlier.observe(this.#earlier);
  }

  get length(): number {
    return this.#turns.length;
  }

  /** How many turns there are, with those that the host has not sent yet. */
  get total(): number {
    return this.#missing + this.#turns.length;
  }

  /** The turns of the path that is shown, also those without an element. */
  get all(): readonly StreamingTurn[] {
    return this.#turns;
  }

  get first(): StreamingTurn | undefined {
    return this.#turns[0];
  }

  get last(): StreamingTurn | undefined {
    return this.#turns.at(-1);
  }

  find(turnId: string): StreamingTurn | undefined {
    return this.#byId.get(turnId);
  }

  /**
   * Makes the list a column, after other turns.
   *
   * @param sharesQuestion whether the question of its first turn is shown elsewhere
   */
  beColumn({ first, sharesQuestion }: { readonly first: number; readonly sharesQuestion: boolean }): void {
    this.#isColumn = true;
    this.#before = first;
    this.#sharesQuestion = sharesQuestion;
  }

  /**
   * Shows these turns, reusing the elements of known ones.
   *
   * @param leftOut the ids of those that do not go along with the next question
   * @param missing how many turns stand before them, which `addEarlier` brings
   */
  show(turns: readonly (Turn | StreamingTurn)[], leftOut: readonly string[], missing = 0): void {
    this.#missing = missing;
    this.#become(
      turns.map((turn) => this.#known(turn)),
      leftOut,
    );
  }

  /** Shows other turns after the first ones, whose number is `kept`. */
  showPath(kept: number, turns: readonly Turn[], leftOut: readonly string[]): void {
    const before = this.#turns.slice(0, Math.max(0, kept - this.#missing));
    this.#become([...before, ...turns.map((turn) => this.#known(turn))], leftOut);
  }

  /** Takes turns that stand before all others. They are built when the reader comes near them. */
  addEarlier(turns: readonly Turn[]): void {
    const added = turns.map((turn) => new StreamingTurn(turn));
    for (const turn of added) this.#byId.set(turn.turn.id, turn);
    this.#turns = [...added, ...this.#turns];
    this.#missing = Math.max(0, this.#missing - added.length);
    this.#first += added.length;
    this.#wanted += added.length;
    this.#placeAll();
    requestPaint(this);
  }

  /**
   * Builds a turn and those after it, if they are not there yet.
   *
   * @returns its element once it is built; undefined when there is no such turn
   */
  async reveal(turnId: string): Promise<TurnElement | undefined> {
    while (!this.#byId.has(turnId) && this.#missing > 0) await nextFrame();
    const turn = this.#byId.get(turnId);
    const index = turn ? this.#turns.indexOf(turn) : -1;
    if (index === -1) return undefined;
    this.#wanted = Math.min(this.#wanted, index);
    requestPaint(this);
    while (turn && this.#byId.get(turnId) === turn && !this.#elements.has(turn)) await nextFrame();
    return turn && this.#elements.get(turn);
  }

  /** Whether turns are wanted that have no element yet. */
  get isBuilding(): boolean {
    return this.#first > this.#wanted;
  }

  /** The turn at a height of the page, and how far it begins above that. */
  placeAt(top: number): { readonly turnId: string; readonly offset: number } | undefined {
    for (const turn of this.#turns) {
      const box = this.#elements.get(turn)?.getBoundingClientRect();
      if (box && box.bottom > top) return { turnId: turn.turn.id, offset: Math.round(top - box.top) };
    }
    return undefined;
  }

  /** The element of a turn; undefined where it has none yet. */
  elementAt(index: number): TurnElement | undefined {
    const turn = this.#turns[index - this.#missing];
    return turn && this.#elements.get(turn);
  }

  elementOf(turn: StreamingTurn): TurnElement | undefined {
    return this.#elements.get(turn);
  }

  /** The turns between two heights of the page. */
  between(top: number, bottom: number): readonly { turn: StreamingTurn; element: TurnElement }[] {
    return this.#turns.flatMap((turn) => {
      const element = this.#elements.get(turn);
      const box = element?.getBoundingClientRect();
      return element && box && box.bottom > top && box.top < bottom ? [{ turn, element }] : [];
    });
  }

  #become(turns: StreamingTurn[], leftOut: readonly string[]): void {
    this.#leftOut = new Set(leftOut);
    this.#turns = turns;
    this.#byId.clear();
    for (const turn of this.#turns) this.#byId.set(turn.turn.id, turn);
    this.#removeOthers(new Set(this.#turns));
    const first = this.#turns.findIndex((turn) => this.#elements.has(turn));
    this.#first = first === -1 ? turns.length : first;
    for (const [offset, turn] of this.#turns.slice(this.#first).entries()) {
      if (this.#elements.has(turn)) this.#elements.get(turn)?.show(turn);
      else this.element.append(this.#elementFor(turn, this.#first + offset));
    }
    this.#placeAll();
    this.#wanted = Math.max(0, Math.min(this.#first, turns.length - pageSize));
    for (let shown = 0; shown < maxTurnsAtOnce && this.paint(); shown += 1);
    requestPaint(this);
  }

  /**
   * Shows the host's state of one turn.
   *
   * @returns whether its question was just asked
   */
  put(turn: Turn): boolean {
    const known = this.#byId.get(turn.id);
    if (known) {
      const wasDone = known.turn.state === 'done';
      known.replace(turn);
      this.#elements.get(known)?.show(known);
      if (wasDone !== (turn.state === 'done')) this.#placeAll();
      return wasDone && turn.state === 'waiting';
    }
    const added = new StreamingTurn(turn);
    this.#byId.set(turn.id, added);
    this.#turns.push(added);
    this.element.append(this.#elementFor(added, this.#turns.length - 1));
    this.#placeAll();
    return true;
  }

  /** Marks the turns that do not go along with the next question, by their ids. */
  showLeftOut(ids: readonly string[]): void {
    this.#leftOut = new Set(ids);
    this.#placeAll();
  }

  /**
   * Adds to a reply.
   *
   * @returns whether the turn changed its state
   */
  applyDelta(turnId: string, delta: ReplyDelta): boolean {
    const turn = this.#byId.get(turnId);
    if (!turn) return false;
    const before = turn.turn.state;
    const changed = turn.applyDelta(delta);
    const shown = this.#elements.get(turn);
    shown?.heard();
    if (changed) shown?.show(turn);
    else shown?.applyDelta(delta);
    return turn.turn.state !== before;
  }

  /** Whether the chat can go on with the last answer alone. */
  offerGoOn(goOn: GoOn): void {
    this.#goOn = goOn;
    this.#placeAll();
  }

  focusLastReply(): void {
    if (this.last) this.#elements.get(this.last)?.focusReply();
  }

  /** Builds one more of the earlier turns. */
  paint(): boolean {
    const turn = this.#turns[this.#first - 1];
    if (turn && this.#first > this.#wanted) {
      this.#first -= 1;
      const shown = this.#elementFor(turn, this.#first);
      this.#earlier.after(shown);
      shown.renderNow();
    }
    if (this.#first > this.#wanted) return true;
    const count = this.#first + this.#missing;
    this.#earlier.hidden = count === 0;
    this.#earlier.textContent = t('Show Earlier Turns ({0})', numberWords(count));
    this.#lookAgain();
    return false;
  }

  #known(turn: Turn | StreamingTurn): StreamingTurn {
    if (turn instanceof StreamingTurn) return turn;
    const known = this.#byId.get(turn.id);
    known?.replace(turn);
    return known ?? new StreamingTurn(turn);
  }

  #removeOthers(kept: ReadonlySet<StreamingTurn>): void {
    for (const [turn, shown] of this.#elements) {
      if (kept.has(turn)) continue;
      shown.remove();
      this.#elements.delete(turn);
    }
  }

  #elementFor(turn: StreamingTurn, index: number): TurnElement {
    const shown = new TurnElement();
    shown.isFollowing = this.#isFollowing;
    shown.show(turn);
    this.#place(shown, turn, index);
    this.#elements.set(turn, shown);
    return shown;
  }

  #placeAll(): void {
    this.#contextBegin = this.#turns.findIndex(({ turn }) => !this.#leftOut.has(turn.id));
    for (const [index, turn] of this.#turns.entries()) {
      const shown = this.#elements.get(turn);
      if (shown) this.#place(shown, turn, index);
    }
  }

  #place(shown: TurnElement, { turn }: StreamingTurn, index: number): void {
    shown.number = this.#before + this.#missing + index + 1;
    shown.inColumn = this.#isColumn;
    shown.part = this.#sharesQuestion && index === 0 ? 'reply' : 'all';
    shown.isLast = index === this.#turns.length - 1;
    shown.goOn = shown.isLast ? this.#goOn : 'none';
    shown.isBusy = this.last?.turn.state !== 'done';
    shown.isLeftOut = this.#leftOut.has(turn.id);
    shown.beginsContext = this.#missing + index > 0 && index === this.#contextBegin;
  }

  /** Whether the reader is still near the earlier turns: only a change is told by itself. */
  #lookAgain(): void {
    this.#nearEarlier?.unobserve(this.#earlier);
    this.#nearEarlier?.observe(this.#earlier);
  }

  /**
   * Shows earlier turns. A scrolled box keeps its content in place only below the very top, so this scrolls
   * down a pixel.
   */
  #showEarlier(): void {
    const scroller = this.element.closest('.turns');
    if (scroller) scroller.scrollTop = Math.max(1, scroller.scrollTop);
    this.#wanted = Math.max(0, this.#first - pageSize);
    requestPaint(this);
  }
}

export function nextFrame(): Promise<void> {
  return new Promise((resolve) => requestAnimationFrame(() => resolve()));
}
