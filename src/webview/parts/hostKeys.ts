/** Works around how VS Code handles the keys of its pages. It knows them by their numbers, in any keyboard layout. */

const keyA = 65;
const keyC = 67;
const keyV = 86;
const keyY = 89;
export const keyZ = 90;

/**
 * Leaves Ctrl+A, Ctrl+Z and Ctrl+Y in a text box to the browser. VS Code would select all or undo once more, which
 * takes as long as a message to its window and back: it would change text that is typed in the meantime.
 */
export function keepEditingKeys(): void {
  // VS Code listens at the window.
  document.addEventListener('keydown', (event) => {
    if (isEditingKey(event)) event.stopPropagation();
  });
}

function isEditingKey({ keyCode, ctrlKey, metaKey, altKey, shiftKey, target }: KeyboardEvent): boolean {
  if (!(ctrlKey || metaKey) || altKey || !isTextBox(target)) return false;
  if (keyCode === keyA) return !shiftKey;
  // In an empty box, Ctrl+Z may bring back a deleted message.
  return keyCode === keyY || (keyCode === keyZ && (shiftKey || target.value !== ''));
}

function isTextBox(target: EventTarget | null): target is HTMLInputElement | HTMLTextAreaElement {
  return target instanceof HTMLTextAreaElement || target instanceof HTMLInputElement;
}

/**
 * The number of a key with Ctrl+Alt that VS Code never receives: in a browser it leaves C and V with Ctrl to the page,
 * whatever other keys are held down. Not of AltGr, which types a character.
 */
export function keptKey(event: KeyboardEvent): typeof keyC | typeof keyV | undefined {
  const { keyCode, ctrlKey, metaKey, altKey, shiftKey } = event;
  if (!(ctrlKey || metaKey) || !altKey || shiftKey || event.getModifierState('AltGraph')) return undefined;
  if (navigator.userAgent.includes('Electron/')) return undefined;
  return keyCode === keyC || keyCode === keyV ? keyCode : undefined;
}
