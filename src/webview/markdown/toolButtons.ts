import { element, icon } from './dom.ts';

/** A button with an icon in the frame of a block of code or a table. */
export interface ToolButton {
  readonly icon: string;
  readonly label: string;
  readonly action: string;
  readonly className?: string;
}

/** Builds the buttons. They are what `listenForActions` finds by `data-action`. */
export function toolButtons(buttons: readonly ToolButton[]): readonly HTMLElement[] {
  return buttons.map(({ icon: name, label, action, className = '' }) => {
    const button = element('button', `icon-button ${className}`.trim(), {
      ...{ type: 'button', title: label, 'aria-label': label, 'data-action': action },
    });
    button.append(icon(name));
    return button;
  });
}
