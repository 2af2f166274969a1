import { spokenDuration } from '../words/times.ts';

/** The shortest time that is shown, in seconds. */
const minShownSeconds = 3;

/** When the time is first announced, in seconds. Later it is announced every full minute. */
const minSaidSeconds = 30;

/**
 * `<mg-elapsed>`: the seconds since a wait began, after the first few. Fires `waited` with the time in words,
 * seldom enough for a screen reader.
 */
class ElapsedElement extends HTMLElement {
  /** How long the wait had lasted before the element appeared, in milliseconds. */
  waitedBefore = 0;
  /** How many announcements were due. */
  #said = 0;
  #timer: ReturnType<typeof setInterval> | undefined;

  connectedCallback(): void {
    const started = performance.now();
    this.#said = timesToSay(Math.round(this.waitedBefore / 1000));
    // Numbers that change every second are nothing to be read aloud.
    this.ariaHidden = 'true';
    this.#timer = setInterval(
      () => this.#show((this.waitedBefore + performance.now() - started) / 1000),
      1000,
    );
  }

  disconnectedCallback(): void {
    clearInterval(this.#timer);
  }

  #show(elapsed: number): void {
    const seconds = Math.round(elapsed);
    if (seconds < minShownSeconds) return;
    const minutes = Math.floor(seconds / 60);
    this.textContent = minutes === 0 ? `${seconds} s` : `${minutes} min ${seconds % 60} s`;
    const times = timesToSay(seconds);
    if (times > this.#said) this.#say(seconds);
    this.#said = times;
  }

  #say(seconds: number): void {
    const detail = spokenDuration(seconds);
    this.dispatchEvent(new CustomEvent('waited', { detail, bubbles: true }));
  }
}

function timesToSay(seconds: number): number {
  return seconds < minSaidSeconds ? 0 : 1 + Math.floor(seconds / 60);
}

customElements.define('mg-elapsed', ElapsedElement);

declare global {
  interface HTMLElementEventMap {
    waited: CustomEvent<string>;
  }
}
