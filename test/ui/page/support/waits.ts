import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import type { Locator } from 'playwright-core';

/** The position of an element in its page, in pixels. */
export interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** The time limit for a page on a busy machine, in milliseconds. */
const timeLimitMs = 30_000;

/**
 * The boxes of elements of one page, all at the same moment: when the document has not changed, and none of the
 * elements has moved, for three frames. Markdown is painted over several frames, and the elements below it move
 * with its end.
 */
export async function measureBoxes<const T extends readonly [Locator, ...Locator[]]>(
  ...elements: T
): Promise<{ readonly [K in keyof T]: Box }> {
  const [first] = elements;
  const handles = await Promise.all(elements.map((each) => each.elementHandle({ timeout: timeLimitMs })));
  const boxes = await first.evaluate(
    async (_, [all, withinMs]) => {
      let changes = 0;
      const observer = new MutationObserver(() => {
        changes += 1;
      });
      observer.observe(document, { subtree: true, childList: true, characterData: true, attributes: true });
      const read = () =>
        all.map((each) => {
          const { x, y, width, height } = (each as Element).getBoundingClientRect();
          return { x, y, width, height };
        });
      const end = performance.now() + withinMs;
      let last = '';
      for (let still = 0; still < 3; ) {
        if (performance.now() > end) throw new Error('The page does not come to rest.');
        await new Promise((resolve) => requestAnimationFrame(resolve));
        const now = JSON.stringify([changes, read()]);
        still = now === last ? still + 1 : 0;
        last = now;
      }
      observer.disconnect();
      return read();
    },
    [handles, timeLimitMs] as const,
  );
  return boxes as { [K in keyof T]: Box };
}

/** Waits until an element has the focus. */
export async function waitForFocus(element: Locator): Promise<void> {
  await element.and(element.page().locator(':focus')).waitFor({ state: 'attached', timeout: timeLimitMs });
}

/** Reads until the value is the expected one, and fails with the last value. */
export async function waitForValue<T>(read: () => Promise<T>, expected: Readonly<NoInfer<T>>): Promise<void> {
  const end = performance.now() + timeLimitMs;
  let found = await read();
  while (!isDeepStrictEqual(found, expected) && performance.now() < end) {
    await pause(20);
    found = await read();
  }
  assert.deepEqual(found, expected);
}
