import assert from 'node:assert/strict';
import { ChatTestPage, createTurn } from './support/chatPage.ts';
import { getTestBrowser } from './support/testBrowser.ts';

const hebrew = 'שלום לכולם.';

describe('right-to-left text', () => {
  const chat = new ChatTestPage(getTestBrowser);

  beforeEach(() => chat.open());

  afterEach(() => chat.close());

  /** The distance of the first and the last character of a text from the left edge of the element that holds it. */
  async function measurePlaces(selector: string): Promise<{ readonly first: number; readonly last: number }> {
    const element = chat.page.locator(selector).first();
    await element.waitFor();
    return element.evaluate((holder) => {
      const walker = document.createTreeWalker(holder, NodeFilter.SHOW_TEXT);
      const texts: Text[] = [];
      while (walker.nextNode())
        if (walker.currentNode.textContent?.trim()) texts.push(walker.currentNode as Text);
      const leftEdge = (text: Text, at: number) => {
        const range = document.createRange();
        range.setStart(text, at);
        range.setEnd(text, at + 1);
        return range.getBoundingClientRect().left - holder.getBoundingClientRect().left;
      };
      const [begin] = texts;
      const end = texts.at(-1);
      if (!begin || !end) throw new Error('There is no text.');
      return { first: leftEdge(begin, 0), last: leftEdge(end, end.data.trimEnd().length - 1) };
    });
  }

  it('starts on the right in questions and replies, with its full stop at the left end', async () => {
    const text = `${hebrew}\n\n- ${hebrew}\n\nשלום \`const a = 1;\` לכולם.`;
    await chat.show([createTurn({ question: hebrew, text })]);
    for (const selector of ['.question-text', 'mg-markdown p', 'mg-markdown li', 'mg-markdown p:has(code)']) {
      const { first, last } = await measurePlaces(selector);
      assert.ok(first > 300, `${selector} begins at ${first}`);
      assert.ok(last < first, `${selector} ends at ${last}`);
    }
  });

  it('does not change the direction of code in it and of other text next to it', async () => {
    await chat.show([createTurn({ question: 'Hello.', text: `Hello.\n\n${hebrew} \`a = 1;\` ${hebrew}` })]);
    for (const selector of ['.question-text', 'mg-markdown p', 'mg-markdown p code']) {
      const { first, last } = await measurePlaces(selector);
      assert.ok(first < 40 && first < last, `${selector} goes from ${first} to ${last}`);
    }
  });
});
