/** Works around how VS Code handles the keys of its pages. */

/**
 * Leaves Ctrl+A in a text box to the browser. VS Code would select all once more, which takes as long as a message to
 * its window and back: the next typed letter would replace those typed before.
 */
export function keepSelectAll(): void {
  // VS Code listens at the window.
  document.addEventListener('keydown', (event) => {
    const { key, ctrlKey, metaKey, altKey, shiftKey, target } = event;
    const isSelectAll = (ctrlKey || metaKey) && !altKey && !shiftKey && key.toLowerCase() === 'a';
    if (isSelectAll && target instanceof Element && target.matches('input, textarea'))
      event.stopPropagation();
  });
}

/**
 * Whether VS Code never learns of a key of ours: in a browser it leaves C, V and X with Ctrl to the page, whatever
 * other keys are held down.
 */
export function isKeptFromHost({ ctrlKey, metaKey, altKey, shiftKey }: KeyboardEvent): boolean {
  return (ctrlKey || metaKey) && altKey && !shiftKey && !navigator.userAgent.includes('Electron/');
}
