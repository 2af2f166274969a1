/** A wait shorter than this is not worth a number, in seconds. */
const worthTelling = 3;

/** `<mg-elapsed>`: the seconds since it appeared, once they are worth telling. */
class ElapsedElement extends HTMLElement {
  #timer: ReturnType<typeof setInterval> | undefined;

  connectedCallback(): void {
    const started = performance.now();
    // Numbers that change every second are nothing to be read aloud.
    this.ariaHidden = 'true';
    this.#timer = setInterval(() => this.#show((performance.now() - started) / 1000), 1000);
  }

  disconnectedCallback(): void {
    clearInterval(this.#timer);
  }

  #show(elapsed: number): void {
    const seconds = Math.round(elapsed);
    if (seconds < worthTelling) return;
    const minutes = Math.floor(seconds / 60);
    this.textContent = minutes === 0 ? `${seconds} s` : `${minutes} min ${seconds % 60} s`;
  }
}

customElements.define('mg-elapsed', ElapsedElement);
