import type { ToChatPage } from '../../protocol/chatPage.ts';
import type { LightElement } from '../parts/lightElement.ts';
import { markWords } from './find/highlights.ts';
import { Follower } from './follower.ts';
import type { ShownPath } from './shownPath.ts';
import type { TurnElement } from './turn.ts';
import { nextFrame } from './turnList.ts';
import type { StoredChat } from './unsent.ts';

type Place = NonNullable<StoredChat['place']>;
type Found = Extract<ToChatPage, { type: 'reveal' }>;

interface Links {
  readonly turns: ShownPath;
  readonly onFollow: (following: boolean) => void;
  /** Stores where the reader is; undefined at the end. */
  readonly remember: (place: Place | undefined) => void;
}

/** So many frames may pass until the turns around a place are painted, once they are built. */
const framesToPaint = 60;

/** Where the reader is in the chat: at its end, which is followed, or at a turn. */
export class ReadingPlace {
  readonly #page: LightElement;
  readonly #links: Links;
  #follower: Follower | undefined;
  #isFollowing = true;
  /** Grows with each place that the page goes to, which ends the way to the one before. */
  #visits = 0;
  /** What was looked for, until the page has the focus. */
  #found: TurnElement | undefined;
  #content: HTMLElement | undefined;

  constructor(page: LightElement, links: Links) {
    this.#page = page;
    this.#links = links;
  }

  get scroller(): HTMLElement | null {
    return this.#page.querySelector('.turns');
  }

  /** Undefined until the page is there. */
  get follower(): Follower | undefined {
    return this.#follower;
  }

  get isFollowing(): boolean {
    return this.#isFollowing;
  }

  /** Begins once the page is there. */
  connect(scroller: HTMLElement, content: HTMLElement): void {
    const { turns, onFollow } = this.#links;
    this.#content = content;
    this.#follower = new Follower(
      scroller,
      content,
      () => turns.hasEnd,
      (following) => {
        this.#isFollowing = following;
        onFollow(following);
      },
    );
    turns.followScroll(scroller);
    scroller.addEventListener('scrollend', () => {
      this.#remember(scroller);
      if (!this.#follower?.isHeld) this.#leaveRoom(scroller);
    });
  }

  /** Scrolls to the end and begins to follow. */
  toEnd(): void {
    this.#reserve(0);
    this.#follower?.follow();
  }

  /**
   * Goes to where the reader was before the page was closed, and stays there while the turns are painted.
   *
   * @param onShown called once the turn is there, before what is around it is painted
   */
  async goTo({ turnId, offset }: Place, onShown?: (turn: TurnElement) => void): Promise<void> {
    this.#visits += 1;
    const visit = this.#visits;
    await this.#page.updateComplete;
    const { scroller } = this;
    const follower = this.#follower;
    if (!scroller || !follower) return;
    follower.hold();
    const turn = await this.#links.turns.reveal(turnId);
    if (turn) onShown?.(turn);
    // The focus counts as a move of the reader.
    follower.hold();
    let frames = 0;
    while (turn && frames < framesToPaint && follower.isHeld && visit === this.#visits) {
      scroller.scrollBy({ top: offset - this.#offsetOf(turn) });
      await nextFrame();
      if (!this.#links.turns.isBuilding) frames += 1;
    }
    if (visit !== this.#visits) return;
    this.#leaveRoom(scroller);
    follower.release();
  }

  /**
   * Holds the page at a turn that another one is about to replace.
   *
   * @param before undefined where no turn is replaced
   * @returns what shows the other one at the same place
   */
  stayAt(before: TurnElement | undefined): (after: TurnElement) => void {
    this.#reserve(before ? this.#content?.offsetHeight : 0);
    if (!before) return () => {};
    const offset = this.#offsetOf(before);
    this.#follower?.hold();
    return ({ turnId }) => {
      if (turnId !== undefined) void this.goTo({ turnId, offset });
    };
  }

  /** Makes the turns at least so high, in pixels. */
  #reserve(height = 0): void {
    if (this.#content) this.#content.style.minHeight = height === 0 ? '' : `${height}px`;
  }

  /**
   * Keeps as much room below the turns as their place needs: a branch that is shorter than the one before it stays
   * where it is, with the button that leads to the next one. The room goes away as the reader scrolls up.
   */
  #leaveRoom(scroller: HTMLElement): void {
    const content = this.#content;
    if (!content || content.style.minHeight === '') return;
    const { scrollTop, clientHeight, scrollHeight } = scroller;
    const needed = scrollTop + clientHeight - (scrollHeight - content.offsetHeight);
    this.#reserve(0);
    if (content.offsetHeight >= needed) return;
    this.#reserve(needed);
    scroller.scrollTop = scrollTop;
  }

  /** How far a turn begins above the upper end of the page. */
  #offsetOf(turn: TurnElement): number {
    return (this.scroller?.getBoundingClientRect().top ?? 0) - turn.getBoundingClientRect().top;
  }

  /** Scrolls to a turn that was looked for. It is marked until another one is, or the page is opened anew. */
  async showFound({ turnId, words }: Found): Promise<void> {
    await this.goTo({ turnId, offset: 0 }, (shown) => this.#offerFocus(shown));
    for (const before of this.#page.querySelectorAll('mg-turn.found')) before.classList.remove('found');
    const turn = await this.#links.turns.reveal(turnId);
    turn?.classList.add('found');
    if (turn) markWords(turn, words);
  }

  /** Once the page has the focus, it goes to what was looked for before. @returns whether it did */
  takeFocus(): boolean {
    const turn = this.#found;
    this.#found = undefined;
    turn?.focusReply();
    return turn?.isConnected === true;
  }

  /** The user may have gone on elsewhere, as in the palette, which closes when the page takes the focus. */
  #offerFocus(turn: TurnElement): void {
    this.#found = turn;
    if (document.hasFocus()) this.takeFocus();
  }

  /** The place is by its turn: what is above is built later. */
  #remember(scroller: HTMLElement): void {
    const { top } = scroller.getBoundingClientRect();
    this.#links.remember(this.#isFollowing ? undefined : this.#links.turns.placeAt(top));
  }
}
