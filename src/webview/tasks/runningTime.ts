import { html, type TemplateResult } from 'lit';
import { LightElement, property } from '../parts/lightElement.ts';
import { duration } from '../words/times.ts';

const tick = 1000;

/** `<mg-running-time>`: how long a task has been running. Updates once a second while visible. */
class RunningTimeElement extends LightElement.with({
  /** Milliseconds since 1970. */
  since: property<number>(),
}) {
  #timer: ReturnType<typeof setInterval> | undefined;
  readonly #onVisibility = () => this.#count();

  override connectedCallback(): void {
    super.connectedCallback();
    // Numbers that change every second are nothing to be read aloud.
    this.ariaHidden = 'true';
    document.addEventListener('visibilitychange', this.#onVisibility);
    this.#count();
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    document.removeEventListener('visibilitychange', this.#onVisibility);
    clearInterval(this.#timer);
  }

  protected override render(): TemplateResult {
    const seconds = Math.max(0, Math.floor((Date.now() - this.since) / 1000));
    return html`${duration(seconds * 1000)}`;
  }

  #count(): void {
    clearInterval(this.#timer);
    if (document.hidden) return;
    this.requestUpdate();
    this.#timer = setInterval(() => this.requestUpdate(), tick);
  }
}

customElements.define('mg-running-time', RunningTimeElement);
