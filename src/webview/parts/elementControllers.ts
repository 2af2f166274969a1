import type { ReactiveController, ReactiveControllerHost } from 'lit';

const tickMs = 1000;

/** Renders its element again every second, while the page is visible. */
export class SecondTimer implements ReactiveController {
  readonly #host: ReactiveControllerHost;
  #timer: ReturnType<typeof setInterval> | undefined;
  readonly #onVisibility = () => this.#restart();

  constructor(host: ReactiveControllerHost) {
    this.#host = host;
    host.addController(this);
  }

  hostConnected(): void {
    document.addEventListener('visibilitychange', this.#onVisibility);
    this.#restart();
  }

  hostDisconnected(): void {
    document.removeEventListener('visibilitychange', this.#onVisibility);
    clearInterval(this.#timer);
  }

  #restart(): void {
    clearInterval(this.#timer);
    if (document.hidden) return;
    this.#host.requestUpdate();
    this.#timer = setInterval(() => this.#host.requestUpdate(), tickMs);
  }
}

/** Restores the focus after an update that moves the focused element. */
export function restoreFocus(host: HTMLElement & ReactiveControllerHost): void {
  let focused: Element | null = null;
  host.addController({
    hostUpdate: () => {
      focused = document.activeElement;
    },
    hostUpdated: () => {
      if (focused === document.activeElement || !(focused instanceof HTMLElement)) return;
      if (host.contains(focused)) focused.focus({ preventScroll: true });
    },
  });
}
