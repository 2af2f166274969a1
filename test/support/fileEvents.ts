import type { Locator } from 'playwright-core';

/** The bytes of a picture with one pixel, in base64. VS Code decodes pictures before it passes them on. */
export const pixel =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

/** Pastes a file, as the clipboard gives it to the page. */
export function pasteFile(target: Locator, type: string, base64: string): Promise<void> {
  return dispatch(target, 'paste', type, base64);
}

/** Drops a file, as a drag from outside gives it to the page. */
export function dropFile(target: Locator, type: string, base64: string): Promise<void> {
  return dispatch(target, 'drop', type, base64);
}

async function dispatch(
  target: Locator,
  event: 'paste' | 'drop',
  type: string,
  base64: string,
): Promise<void> {
  await target.evaluate(
    (element, file) => {
      const bytes = Uint8Array.from(atob(file.base64), (character) => character.charCodeAt(0));
      const data = new DataTransfer();
      data.items.add(new File([bytes], 'picture', { type: file.type }));
      const options = { bubbles: true, cancelable: true };
      element.dispatchEvent(
        file.event === 'paste'
          ? new ClipboardEvent('paste', { clipboardData: data, ...options })
          : new DragEvent('drop', { dataTransfer: data, ...options }),
      );
    },
    { event, type, base64 },
  );
}
