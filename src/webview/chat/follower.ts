/** How far from the end still counts as being at it, in pixels. */
const endTolerance = 24;

/** What a reader does to go somewhere else, by wheel, finger, scroll bar, keys or from one thing to the next. */
const moves = ['wheel', 'touchmove', 'pointerdown', 'keydown', 'focusin'] as const;

/** Keeps the end in view while text arrives, as long as the reader is there; never moves a reader who left. */
export class Follower {
  readonly #scroller: HTMLElement;
  readonly #onChange: (following: boolean) => void;
  #following = true;
  #top = 0;
  /** Whether the reader did something since they were last brought to the end. */
  #moved = false;

  /** @param onChange told when following begins or ends */
  constructor(scroller: HTMLElement, content: HTMLElement, onChange: (following: boolean) => void) {
    this.#scroller = scroller;
    this.#onChange = onChange;
    for (const move of moves) {
      scroller.addEventListener(move, () => this.#readerMoved(), { passive: true });
    }
    // A match that the find widget went to is selected.
    document.addEventListener('selectionchange', () => {
      if (scroller.contains(document.getSelection()?.anchorNode ?? null)) this.#readerMoved();
    });
    scroller.addEventListener('scroll', () => this.#onScroll(), { passive: true });
    const observer = new ResizeObserver(() => {
      if (this.#following) this.#toEnd();
    });
    observer.observe(content);
    observer.observe(scroller);
  }

  /** Goes to the end and stays there. */
  follow(): void {
    this.#moved = false;
    this.#set(true);
    this.#toEnd();
  }

  #readerMoved(): void {
    this.#moved = true;
  }

  #toEnd(): void {
    this.#scroller.scrollTop = this.#scroller.scrollHeight;
  }

  /**
   * Only a reader who moves up leaves: when text arrives, the end moves away from one who stays, and a turn that is
   * measured anew is shorter for a moment, which moves everything up.
   */
  #onScroll(): void {
    const { scrollTop, scrollHeight, clientHeight } = this.#scroller;
    if (scrollHeight - scrollTop - clientHeight <= endTolerance) this.#set(true);
    else if (scrollTop < this.#top && this.#moved) this.#set(false);
    else if (this.#following) this.#toEnd();
    this.#top = scrollTop;
  }

  #set(following: boolean): void {
    if (following === this.#following) return;
    this.#following = following;
    this.#onChange(following);
  }
}
