import type { ReactiveController, ReactiveControllerHost } from 'lit';

const tick = 1000;

/** Renders its element once a second while the page is visible, because it shows the time that passes. */
export class Seconds implements ReactiveController {
  readonly #host: ReactiveControllerHost;
  #timer: ReturnType<typeof setInterval> | undefined;
  readonly #onVisibility = () => this.#count();

  constructor(host: ReactiveControllerHost) {
    this.#host = host;
    host.addController(this);
  }

  hostConnected(): void {
    document.addEventListener('visibilitychange', this.#onVisibility);
    this.#count();
  }

  hostDisconnected(): void {
    document.removeEventListener('visibilitychange', this.#onVisibility);
    clearInterval(this.#timer);
  }

  #count(): void {
    clearInterval(this.#timer);
    if (document.hidden) return;
    this.#host.requestUpdate();
    this.#timer = setInterval(() => this.#host.requestUpdate(), tick);
  }
}
