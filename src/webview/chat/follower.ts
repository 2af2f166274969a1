/** How far from the end still counts as being at it, in pixels. */
const nearEnd = 24;

/** Keeps the end in view while text arrives, as long as the reader is there; never moves a reader who left. */
export class Follower {
  readonly #scroller: HTMLElement;
  readonly #onChange: (following: boolean) => void;
  #following = true;
  #top = 0;

  /** @param onChange told when following begins or ends */
  constructor(scroller: HTMLElement, content: HTMLElement, onChange: (following: boolean) => void) {
    this.#scroller = scroller;
    this.#onChange = onChange;
    scroller.addEventListener('scroll', () => this.#look(), { passive: true });
    const observer = new ResizeObserver(() => {
      if (this.#following) this.#toEnd();
    });
    observer.observe(content);
    observer.observe(scroller);
  }

  /** Goes to the end and stays there. */
  follow(): void {
    this.#set(true);
    this.#toEnd();
  }

  #toEnd(): void {
    this.#scroller.scrollTop = this.#scroller.scrollHeight;
  }

  /** Only moving up is leaving: when text arrives, the end moves away from a reader who stays. */
  #look(): void {
    const { scrollTop, scrollHeight, clientHeight } = this.#scroller;
    if (scrollHeight - scrollTop - clientHeight <= nearEnd) this.#set(true);
    else if (scrollTop < this.#top) this.#set(false);
    this.#top = scrollTop;
  }

  #set(following: boolean): void {
    if (following === this.#following) return;
    this.#following = following;
    this.#onChange(following);
  }
}
