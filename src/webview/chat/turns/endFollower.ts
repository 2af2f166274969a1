/** The maximum distance from the end that counts as being at the end, in pixels. */
const endTolerance = 24;

/** The events of a reader who may be scrolling: wheel, touch, scroll bar, keys, focus. */
const readerEvents = ['wheel', 'touchmove', 'pointerdown', 'keydown', 'focusin'] as const;

/** Scrolls to the end while text arrives, unless the reader has scrolled away. */
export class EndFollower {
  readonly #scroller: HTMLElement;
  readonly #hasEnd: () => boolean;
  readonly #onChange: (isFollowing: boolean) => void;
  #isFollowing = true;
  /** The last known scroll position, in pixels. */
  #top = 0;
  /** The last known height of the content, in pixels. */
  #height = 0;
  /** Whether the reader acted since the last scroll to the end. */
  #hasMoved = false;
  /** Whether the caller sets the scroll position. In the meantime, following does not change. */
  #isPaused = false;

  /**
   * @param hasEnd returns whether there is an end to follow: an empty chat is read from its beginning
   * @param onChange called when following begins or ends
   */
  constructor(
    scroller: HTMLElement,
    content: HTMLElement,
    hasEnd: () => boolean,
    onChange: (isFollowing: boolean) => void,
  ) {
    this.#scroller = scroller;
    this.#hasEnd = hasEnd;
    this.#onChange = onChange;
    for (const type of readerEvents) {
      scroller.addEventListener(type, () => this.#recordMove(), { passive: true });
    }
    // The find widget selects a match that it has scrolled to.
    document.addEventListener('selectionchange', () => {
      if (scroller.contains(document.getSelection()?.anchorNode ?? null)) this.#recordMove();
    });
    scroller.addEventListener('scroll', () => this.#onScroll(), { passive: true });
    const observer = new ResizeObserver(() => {
      if (this.#isFollowing && this.#hasEnd()) this.#scrollToEnd();
    });
    observer.observe(content);
    observer.observe(scroller);
  }

  /** Scrolls to the end and begins to follow. */
  follow(): void {
    this.#hasMoved = false;
    this.#setFollowing(true);
    this.#scrollToEnd();
  }

  /**
   * Ends following until `resume`, or until the reader moves. In the meantime the caller sets the scroll position,
   * while the page is being painted.
   */
  pause(): void {
    this.#isPaused = true;
    this.#setFollowing(false);
  }

  get isPaused(): boolean {
    return this.#isPaused;
  }

  /** Follows again if the page is now at its end. */
  resume(): void {
    this.#isPaused = false;
    this.#onScroll();
  }

  #recordMove(): void {
    this.#hasMoved = true;
    this.#isPaused = false;
  }

  /**
   * Scrolls to the end. Stores the position at once, because the reader may scroll up before the scroll event of this
   * change arrives.
   */
  #scrollToEnd(): void {
    this.#scroller.scrollTop = this.#scroller.scrollHeight;
    this.#top = this.#scroller.scrollTop;
    this.#height = this.#scroller.scrollHeight;
  }

  /**
   * Ends following only when the reader, or a program such as a screen reader, scrolls up. Arriving text also moves the
   * end away, and a turn that is measured again is shorter for a moment, which moves everything up. These events change
   * the height of the content, and do not end following.
   */
  #onScroll(): void {
    if (this.#isPaused) return;
    if (!this.#hasEnd()) {
      this.#setFollowing(true);
      return;
    }
    const { scrollTop, scrollHeight, clientHeight } = this.#scroller;
    if (scrollHeight - scrollTop - clientHeight <= endTolerance) this.#setFollowing(true);
    else if (scrollTop < this.#top && (this.#hasMoved || scrollHeight === this.#height))
      this.#setFollowing(false);
    else if (this.#isFollowing) this.#scrollToEnd();
    this.#top = scrollTop;
    this.#height = scrollHeight;
  }

  #setFollowing(isFollowing: boolean): void {
    if (isFollowing === this.#isFollowing) return;
    this.#isFollowing = isFollowing;
    this.#onChange(isFollowing);
  }
}
