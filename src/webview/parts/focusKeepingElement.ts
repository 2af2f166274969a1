import type { PropertyValues } from 'lit';
import { LightElement } from './lightElement.ts';

/** An element in which the focus stays where it is, although an update moves what has it to another place. */
export abstract class FocusKeepingElement extends LightElement {
  protected override update(changed: PropertyValues): void {
    const focused = document.activeElement;
    super.update(changed);
    if (focused !== document.activeElement && focused instanceof HTMLElement && this.contains(focused)) {
      focused.focus({ preventScroll: true });
    }
  }
}
