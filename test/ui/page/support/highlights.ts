import type { ChatTestPage } from './chatPage.ts';

/** The highlighted ranges, by the name of the highlight. */
export function readMarkedTexts(
  chat: ChatTestPage,
  name: 'mg-find' | 'mg-find-current',
): Promise<readonly string[]> {
  return chat.page.evaluate((marks) => {
    const ranges = [...(CSS.highlights.get(marks) ?? [])];
    return ranges.map(({ startContainer, startOffset, endContainer, endOffset }) => {
      const range = document.createRange();
      range.setStart(startContainer, startOffset);
      range.setEnd(endContainer, endOffset);
      return range.toString();
    });
  }, name);
}
