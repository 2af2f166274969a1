import type { ReactiveControllerHost } from 'lit';

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
