import assert from 'node:assert/strict';
import type { Locator } from 'playwright-core';
import { findFaultsInThemes } from './support/accessibility.ts';
import { ChatTestPage, createTurn, type TurnDraft } from './support/chatPage.ts';
import type { PageOptions } from './support/pageBrowser.ts';
import { getTestBrowser } from './support/testBrowser.ts';

/** JSON as models write it: in one line, with text that Markdown would interpret. */
const json = JSON.stringify({
  title: 'The *first* city, `Ur`',
  cities: Array.from({ length: 30 }, (_, at) => ({ name: `City ${at} # <b>`, people: at * 1000 })),
});

describe('a reply to a request for JSON', () => {
  const chat = new ChatTestPage(getTestBrowser);

  afterEach(() => chat.close());

  async function open(turn: TurnDraft, options?: PageOptions): Promise<void> {
    await chat.open(options);
    await chat.show([createTurn({ requestsJson: true, ...turn })]);
  }

  const code = (): Locator => chat.page.locator('.reply-text .code-block pre code');
  const add = (text: string) =>
    chat.post({ type: 'delta', turnId: 'turn-1', choice: 0, text, reasoning: '' });

  async function waitForCode(text: string): Promise<void> {
    await chat.page.waitForFunction(
      (words) => document.querySelector('.reply-text .code-block code')?.textContent.trimEnd() === words,
      text.trimEnd(),
    );
  }

  it('is shown as code while it arrives, and indented when it is complete', async () => {
    await open({ state: 'waiting' });
    const pieces = ['{', ...(json.slice(1).match(/.{1,97}/g) ?? [])];
    let arrived = '';
    for (const piece of pieces) {
      arrived += piece;
      await add(piece);
      if (arrived.length > 1) await waitForCode(arrived);
    }
    await chat.patch({ changed: [createTurn({ requestsJson: true, text: json })] });
    await waitForCode(JSON.stringify(JSON.parse(json), null, 2));
    assert.ok((await code().locator('[class^=token-]').count()) > 60, 'it has colours');
    assert.equal(await chat.page.locator('.reply-text em, .reply-text b').count(), 0);
  });

  it('is copied by the host, which has the original text', async () => {
    await open({ text: json });
    await chat.page.getByRole('button', { name: 'Copy Code' }).press('Enter');
    const [copied] = (await chat.readPosted()).slice(-1);
    assert.partialDeepStrictEqual(copied, { type: 'copy-reply', turnId: 'turn-1', choice: 0 });
  });

  it('can be searched as it is shown', async () => {
    await open({ text: json });
    await chat.post({ type: 'perform', action: 'find' });
    await chat.page.getByRole('textbox', { name: 'Find' }).fill('"people": 29');
    await chat.page.locator('.find-count', { hasText: '1 of 1' }).waitFor();
    await chat.page.waitForFunction(() => CSS.highlights.get('mg-find-current')?.size === 1);
  });

  it('is shown as Markdown when it is not JSON, and unchanged when it was cut off', async () => {
    await open({ text: 'Sorry, *no*: {"a": 1}' });
    await chat.page.locator('.reply-text em').waitFor();
    assert.equal(await code().count(), 0);
    await chat.show([createTurn({ requestsJson: true, text: '{"a": [1,\n2, "**b' })]);
    await waitForCode('{"a": [1,\n2, "**b');
  });

  it('with a long line is shown completely', async () => {
    const long = JSON.stringify({ text: 'x'.repeat(100_000), end: 'The end.' });
    await open({ text: long });
    await waitForCode(JSON.stringify(JSON.parse(long), null, 2));
  });

  it('meets the accessibility guidelines and fits into 300 pixels', async () => {
    await open({ text: json });
    await code().waitFor();
    await chat.resize(300, 700);
    const faults = await findFaultsInThemes(chat, async (theme) => {
      await chat.savePicture(`json-reply-${theme}-300`);
      assert.ok((await chat.page.evaluate(() => document.documentElement.scrollWidth)) <= 300, theme);
    });
    assert.deepEqual(faults, []);
  });
});
