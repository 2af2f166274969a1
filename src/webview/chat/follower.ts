/** How far from the end still counts as being at it, in pixels. */
const nearEnd = 24;

/** Keeps the end in view while text arrives, as long as the reader is there; never moves a reader who left. */
export class Follower {
  readonly #scroller: HTMLElement;
  readonly #onChange: (following: boolean) => void;
  #following = true;

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

  #look(): void {
    const { scrollTop, scrollHeight, clientHeight } = this.#scroller;
    this.#set(scrollHeight - scrollTop - clientHeight <= nearEnd);
  }

  #set(following: boolean): void {
    if (following === this.#following) return;
    this.#following = following;
    this.#onChange(following);
  }
}
