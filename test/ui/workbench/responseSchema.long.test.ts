import type { FrameLocator, Locator } from 'playwright-core';
import { Workbench } from '../../support/workbench.ts';
import { sendByEnter, waitForKeyFocus } from '../../support/workbenchChat.ts';
import { waitForValue } from '../page/support/waits.ts';

const schema = JSON.stringify({
  type: 'object',
  properties: { city: { type: 'string' }, people: { type: 'integer', minimum: 1000 } },
  required: ['city', 'people'],
});

describe('a response schema, by keyboard only', () => {
  let workbench: Workbench;
  let chat: FrameLocator;

  before(async () => {
    workbench = await Workbench.open({ name: 'response-schema', theme: 'light' });
    await workbench.activity('Model Gateway').click();
    await workbench.tryDemo();
    chat = await workbench.webview('New Chat');
    await chat.getByRole('button', { name: 'Model: demo/chat' }).waitFor();
  });

  after(() => workbench.close());

  const editor = (): Locator =>
    workbench.page.locator('.editor-instance .monaco-editor[data-uri*="schema.json"]');

  async function write(text: string): Promise<void> {
    const { keyboard } = workbench.page;
    await editor().and(workbench.page.locator('.focused')).waitFor();
    await keyboard.press('Control+A');
    await keyboard.insertText(text);
    // The editor closes brackets automatically.
    await keyboard.press('Control+Shift+End');
    await keyboard.press('Delete');
  }

  async function sendQuestion(question: string): Promise<void> {
    const figures = chat.locator('.figures');
    const before = await figures.count();
    // From the editor to the chat in the first group, then to its message box.
    await workbench.page.keyboard.press('Control+1');
    await waitForKeyFocus(chat.locator(':focus'));
    await workbench.page.keyboard.press('Control+Alt+ArrowDown');
    await waitForKeyFocus(chat.getByRole('textbox', { name: 'Message' }));
    await workbench.page.keyboard.type(question);
    await sendByEnter(workbench.page, chat, figures.nth(before));
  }

  it('is written in an editor that validates and completes it', async () => {
    const { page } = workbench;
    await workbench.typeCommand('Model Gateway: Edit Response Schema…');
    await editor().waitFor();
    await write('{"type": "strng"}');
    await editor().locator('.squiggly-warning, .squiggly-error').first().waitFor();
    await write('{"type": ""}');
    for (let at = 0; at < 2; at += 1) await page.keyboard.press('ArrowLeft');
    await page.keyboard.press('Control+Space');
    const offered = page.locator('.suggest-widget .monaco-list-row');
    await offered.filter({ hasText: 'integer' }).waitFor();
    await workbench.screenshot('response-schema/editor');
    await page.keyboard.press('Escape');
  });

  it('is sent with the next question after it is saved, and the reply matches it', async () => {
    await write(schema);
    await workbench.page.keyboard.press('Control+S');
    await workbench.statusBarItem('The next question of the chat uses this schema').waitFor();
    await sendQuestion('Which city?');
    await chat.getByText('Matches the schema.').waitFor();
    const code = chat.locator('.reply-text .code-block code');
    const shown = async () => (await code.textContent())?.replace(/\s/g, '');
    await waitForValue(shown, '{"city":"demo","people":1000}');
    await workbench.screenshot('response-schema/matches');
  });

  it('shows where a reply does not match it, and leads there', async () => {
    await sendQuestion('Ignore the schema.');
    await chat.getByText('Does not match the schema:').waitFor();
    await workbench.screenshot('response-schema/differs');
    await workbench.tabTo(chat.getByRole('button', { name: '$.city is missing' }), 'Shift+Tab');
    await workbench.page.keyboard.press('Enter');
    await workbench.page
      .locator('.editor-instance .monaco-editor')
      .filter({ hasText: 'No model was used.' })
      .waitFor();
  });

  it('is restored in its editor after a reload', async () => {
    await workbench.tab(/Which city/).click();
    await workbench.reload();
    await editor().filter({ hasText: 'minimum' }).waitFor();
  });
});
