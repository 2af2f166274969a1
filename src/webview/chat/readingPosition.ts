import type { ToChatPage } from '../../protocol/chatPage.ts';
import type { LightElement } from '../parts/lightElement.ts';
import { markWords } from './find/highlights.ts';
import type { StoredChat } from './storedChat.ts';
import { EndFollower } from './turns/endFollower.ts';
import type { ShownPath } from './turns/shownPath.ts';
import type { TurnElement } from './turns/turn.ts';
import { waitForFrame } from './turns/turnList.ts';

type StoredPosition = NonNullable<StoredChat['place']>;
type RevealMessage = Extract<ToChatPage, { type: 'reveal' }>;

interface ReadingPositionOptions {
  readonly turns: ShownPath;
  /** Called when the page begins or ends to follow the end of the chat. */
  readonly onFollow: (isFollowing: boolean) => void;
  /** Stores the reader's position; undefined at the end. */
  readonly store: (position: StoredPosition | undefined) => void;
}

/** The maximum number of frames to wait until the turns around a position are painted, after they are built. */
const maxFramesToPaint = 60;

/** The reader's position in the chat: at its end, which is followed, or at a turn. */
export class ReadingPosition {
  readonly #page: LightElement;
  readonly #options: ReadingPositionOptions;
  #follower: EndFollower | undefined;
  #isFollowing = true;
  /** The number of visits to a position. A new visit ends the previous one. */
  #visits = 0;
  /** The turn of a search result. It gets the focus when the page gets it. */
  #foundTurn: TurnElement | undefined;
  /** The element whose height is reserved for a shorter branch. */
  #content: HTMLElement | undefined;

  constructor(page: LightElement, options: ReadingPositionOptions) {
    this.#page = page;
    this.#options = options;
  }

  get scroller(): HTMLElement | null {
    return this.#page.querySelector('.turns');
  }

  /** Undefined until the page is rendered. */
  get follower(): EndFollower | undefined {
    return this.#follower;
  }

  /** Begins to track the position. Called after the first render of the page. */
  connect(scroller: HTMLElement, content: HTMLElement): void {
    const { turns, onFollow } = this.#options;
    this.#content = content;
    this.#follower = new EndFollower(
      scroller,
      content,
      () => turns.hasEnd,
      (isFollowing) => {
        this.#isFollowing = isFollowing;
        onFollow(isFollowing);
      },
    );
    turns.followScroll(scroller);
    scroller.addEventListener('scrollend', () => {
      this.#storePosition(scroller);
      if (!this.#follower?.isPaused) this.#reserveSpace(scroller);
    });
  }

  /** Scrolls to the end and begins to follow. */
  scrollToEnd(): void {
    this.#setMinHeight(0);
    this.#follower?.follow();
  }

  /**
   * Scrolls to a position, and restores it after each frame until the turns around it are painted.
   *
   * @param onShown called once the turn is built, before the turns around it are painted
   */
  async goTo({ turnId, offset }: StoredPosition, onShown?: (turn: TurnElement) => void): Promise<void> {
    this.#visits += 1;
    const visit = this.#visits;
    await this.#page.updateComplete;
    const { scroller } = this;
    const follower = this.#follower;
    if (!scroller || !follower) return;
    follower.pause();
    const turn = await this.#options.turns.reveal(turnId);
    if (turn) onShown?.(turn);
    // The focus counts as a movement of the reader.
    follower.pause();
    let frames = 0;
    while (turn && frames < maxFramesToPaint && follower.isPaused && visit === this.#visits) {
      scroller.scrollBy({ top: offset - this.#measureOffset(turn) });
      await waitForFrame();
      if (!this.#options.turns.isBuilding) frames += 1;
    }
    if (visit !== this.#visits) return;
    this.#reserveSpace(scroller);
    follower.resume();
  }

  /**
   * Preserves the position of a turn that another turn will replace.
   *
   * @param before undefined if no turn is replaced
   * @returns a function that shows the other turn at the same position
   */
  preservePosition(before: TurnElement | undefined): (after: TurnElement) => void {
    this.#setMinHeight(before ? this.#content?.offsetHeight : 0);
    if (!before) return () => {};
    const offset = this.#measureOffset(before);
    this.#follower?.pause();
    return ({ turnId }) => {
      if (turnId !== undefined) void this.goTo({ turnId, offset });
    };
  }

  /** Sets the minimum height of the turns, in pixels; 0 for none. */
  #setMinHeight(height = 0): void {
    if (this.#content) this.#content.style.minHeight = height === 0 ? '' : `${height}px`;
  }

  /**
   * Reserves space below the turns, so that a branch does not move if it is shorter than the previous one, nor does the
   * button that switches to the next branch. The space shrinks as the reader scrolls up.
   */
  #reserveSpace(scroller: HTMLElement): void {
    const content = this.#content;
    if (!content || content.style.minHeight === '') return;
    const { scrollTop, clientHeight, scrollHeight } = scroller;
    const needed = scrollTop + clientHeight - (scrollHeight - content.offsetHeight);
    this.#setMinHeight(0);
    if (content.offsetHeight >= needed) return;
    this.#setMinHeight(needed);
    scroller.scrollTop = scrollTop;
  }

  /** Measures how far a turn begins above the top of the scrolled area, in pixels. */
  #measureOffset(turn: TurnElement): number {
    return (this.scroller?.getBoundingClientRect().top ?? 0) - turn.getBoundingClientRect().top;
  }

  /**
   * Scrolls to the turn of a search result. Marks the turn until the next search, or until the page is opened again.
   */
  async showSearchResult({ turnId, words }: RevealMessage): Promise<void> {
    await this.goTo({ turnId, offset: 0 }, (shown) => this.#offerFocus(shown));
    for (const before of this.#page.querySelectorAll('mg-turn.found')) before.classList.remove('found');
    const turn = await this.#options.turns.reveal(turnId);
    turn?.classList.add('found');
    if (turn) markWords(turn, words);
  }

  /**
   * Moves the focus to the turn of a search result, if there is one. Called when the page gets the focus.
   *
   * @returns whether there was such a turn
   */
  takeFocus(): boolean {
    const turn = this.#foundTurn;
    this.#foundTurn = undefined;
    turn?.focusReply();
    return turn?.isConnected === true;
  }

  /**
   * Focuses a turn if the page has the focus, otherwise when it gets it. The user may be in the command palette,
   * which closes if the page takes the focus.
   */
  #offerFocus(turn: TurnElement): void {
    this.#foundTurn = turn;
    if (document.hasFocus()) this.takeFocus();
  }

  /** Stores the position relative to its turn, because the turns above may be built later. */
  #storePosition(scroller: HTMLElement): void {
    const { top } = scroller.getBoundingClientRect();
    this.#options.store(this.#isFollowing ? undefined : this.#options.turns.findPosition(top));
  }
}
