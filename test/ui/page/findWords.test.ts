import assert from 'node:assert/strict';
import { ChatTestPage, createTurn } from './support/chatPage.ts';
import { readMarkedTexts } from './support/highlights.ts';
import { getTestBrowser } from './support/testBrowser.ts';
import { waitForFocus, waitForValue } from './support/waits.ts';

describe('the words of a chat search in the revealed turn', () => {
  const chat = new ChatTestPage(getTestBrowser);

  beforeEach(() => chat.open());

  afterEach(() => chat.close());

  it('are marked, also in folded reasoning', async () => {
    await chat.show([
      createTurn({ id: 'a', question: 'Which bird?', reasoning: 'A quetzal.', text: 'A **quet**zal.' }),
      createTurn({ id: 'b', question: 'And this?', reasoning: 'A sparrow.', text: 'Brown.' }),
    ]);
    for (const [turnId, words, marked] of [
      ['a', ['quetzal', 'bird'], ['bird', 'quetzal', 'quetzal']],
      ['b', ['sparrow'], ['sparrow']],
    ] as const) {
      await chat.post({ type: 'reveal', turnId, words });
      await waitForValue(async () => (await readMarkedTexts(chat, 'mg-find')).toSorted(), marked);
    }
    assert.equal(await chat.page.locator('details.reasoning[open]').count(), 1);
  });

  it('do not take the focus from outside the page; the turn gets it together with the page', async () => {
    await chat.show([
      createTurn({ id: 'a', text: 'A quetzal.' }),
      createTurn({ id: 'b', text: 'A sparrow.' }),
    ]);
    const message = chat.page.getByRole('textbox', { name: 'Message' });
    await message.focus();
    await chat.page.evaluate(() => Object.assign(document, { hasFocus: () => false }));
    await chat.post({ type: 'reveal', turnId: 'a', words: ['quetzal'] });
    await waitForValue(() => readMarkedTexts(chat, 'mg-find'), ['quetzal']);
    await waitForFocus(message);
    await chat.page.evaluate(() => {
      Object.assign(document, { hasFocus: () => true });
      window.dispatchEvent(new Event('focus'));
    });
    await waitForFocus(chat.page.locator('mg-turn.found section.reply'));
    await chat.page.evaluate(() => window.dispatchEvent(new Event('focus')));
    await waitForFocus(chat.page.locator('mg-turn.found section.reply'));
  });
});
