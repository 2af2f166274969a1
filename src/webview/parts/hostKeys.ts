/**
 * Works around VS Code's handling of keys in its pages. Keys are identified by key code, in any keyboard layout.
 */

const keyA = 65;
const keyC = 67;
const keyV = 86;
const keyY = 89;
export const keyZ = 90;

/**
 * Lets only the browser handle Ctrl+A, Ctrl+Z and Ctrl+Y in a text box. VS Code would select all or undo again after a
 * message to its window and back, which would change text that is typed in the meantime.
 */
export function protectEditingKeys(): void {
  // VS Code listens on the window.
  document.addEventListener('keydown', (event) => {
    if (isEditingKey(event)) event.stopPropagation();
  });
}

function isEditingKey({ keyCode, ctrlKey, metaKey, altKey, shiftKey, target }: KeyboardEvent): boolean {
  if (!(ctrlKey || metaKey) || altKey || !isTextBox(target)) return false;
  if (keyCode === keyA) return !shiftKey;
  // In an empty box, Ctrl+Z may restore a deleted message.
  return keyCode === keyY || (keyCode === keyZ && (shiftKey || target.value !== ''));
}

export function isTextBox(
  target: EventTarget | null | undefined,
): target is HTMLInputElement | HTMLTextAreaElement {
  return target instanceof HTMLTextAreaElement || target instanceof HTMLInputElement;
}

/**
 * Returns the key code of Ctrl+Alt+C or Ctrl+Alt+V in a browser; undefined for other keys. VS Code never receives
 * these keys: in a browser only the page receives Ctrl+C and Ctrl+V, regardless of other modifiers. Ignores AltGr,
 * which types a character.
 */
export function readBrowserKey(event: KeyboardEvent): typeof keyC | typeof keyV | undefined {
  const { keyCode, ctrlKey, metaKey, altKey, shiftKey } = event;
  if (!(ctrlKey || metaKey) || !altKey || shiftKey || event.getModifierState('AltGraph')) return undefined;
  if (navigator.userAgent.includes('Electron/')) return undefined;
  return keyCode === keyC || keyCode === keyV ? keyCode : undefined;
}
