import assert from 'node:assert/strict';
import { ChatTestPage, createTurn } from './support/chatPage.ts';
import { getTestBrowser } from './support/testBrowser.ts';
import { measureBoxes, waitForFocus } from './support/waits.ts';

const long = Array.from({ length: 40 }, (_, at) => `Paragraph ${at}.`).join('\n\n');
const turns = Array.from({ length: 150 }, (_, at) =>
  createTurn({ id: `t${at}`, question: `Question ${at}?`, text: long }),
);

describe('the scroll position of a chat', () => {
  const chat = new ChatTestPage(getTestBrowser);

  beforeEach(() => chat.open());

  afterEach(() => chat.close());

  /** The distance between the upper end of the page and the question of a turn. */
  async function measureTop(question: string): Promise<number> {
    const questionText = chat.page.locator('.question-text', { hasText: question });
    const [box, page] = await measureBoxes(questionText, chat.page.locator('.turns'));
    return Math.round(box.y - page.y);
  }

  for (const question of ['Question 148?', 'Question 20?']) {
    it(`is restored when the page is loaded again: ${question}`, async () => {
      const turnId = `t${Number.parseInt(question.slice(9), 10)}`;
      const stored = JSON.stringify({ chat: 'chat-1', place: { turnId, offset: 10 } });
      await chat.page.evaluate((state) => sessionStorage.setItem('state', state), stored);
      await chat.show(turns);
      await chat.page.locator('.question-text', { hasText: question }).waitFor();
      await chat.page.getByRole('button', { name: 'Jump to End' }).waitFor();
      await chat.page.waitForFunction(() => document.querySelectorAll('mg-turn').length >= 100);
      const top = await measureTop(question);
      assert.ok(top >= 0 && top < 60, `${top}`);
    });
  }

  it('is at a revealed message, which has the focus, while the turns around it are painted', async () => {
    await chat.show(turns);
    await chat.post({ type: 'reveal', turnId: 't20', words: [] });
    await waitForFocus(chat.page.locator('mg-turn section.reply'));
    await chat.page.locator('mg-turn.found').waitFor();
    const top = await measureTop('Question 20?');
    assert.ok(top >= 0 && top < 60, `${top}`);
  });
});
