import type { ReactiveControllerHost } from 'lit';

/** Keeps the focus inside an element where it is, although an update moves what has it to another place. */
export function keepFocus(host: HTMLElement & ReactiveControllerHost): void {
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
