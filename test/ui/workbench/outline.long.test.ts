import assert from 'node:assert/strict';
import type { FrameLocator, Locator } from 'playwright-core';
import { Workbench } from '../../support/workbench.ts';
import { waitForKeyFocus } from '../../support/workbenchChat.ts';
import { focusRow } from '../../support/workbenchRows.ts';

describe('the messages of a chat in VS Code', () => {
  let workbench: Workbench;
  let chat: FrameLocator;

  before(async () => {
    workbench = await Workbench.open({ name: 'outline', viewport: { width: 1280, height: 1000 } });
    await workbench.activity('Model Gateway').click();
    await workbench.tryDemo();
    chat = await workbench.webview('New Chat');
    await chat.getByRole('button', { name: 'Model: demo/chat' }).waitFor();
    for (const text of ['Show me a table', 'Show me some code', 'Show me a list']) await sendQuestion(text);
    await chat.getByRole('button', { name: 'Ask Again' }).nth(1).click();
    await chat.getByRole('group', { name: 'Reply 2 of 2' }).waitFor();
    await waitForCompleteReply(2);
    await sendQuestion('And a formula');
  });

  after(() => workbench.close());

  const box = () => chat.getByRole('textbox', { name: 'Message' });
  const button = (name: string) => chat.getByRole('button', { name, exact: true });
  const questions = () => chat.locator('.question-text').allTextContents();

  async function sendQuestion(text: string): Promise<void> {
    const before = await chat.locator('mg-turn').count();
    await box().fill(text);
    await box().press('Enter');
    await waitForCompleteReply(before + 1);
  }

  /** Waits until this many turns are shown and the last reply is complete. */
  async function waitForCompleteReply(turns: number): Promise<void> {
    await chat
      .locator('mg-turn')
      .nth(turns - 1)
      .waitFor();
    await chat
      .locator('mg-turn')
      .nth(turns - 1)
      .locator('.figures', { hasText: 'complete' })
      .waitFor();
  }

  /**
   * Waits until the page shows a branch, has scrolled to the message of a row, and so has taken the focus, which
   * would close the palette.
   *
   * @param end the last question of the branch
   * @param question the question of the row's message
   */
  async function waitForBranch(end: string, question: string): Promise<void> {
    await chat.locator('.question-text', { hasText: end }).waitFor();
    await chat.locator('mg-turn.found', { hasText: question }).waitFor();
    await workbench.page.waitForFunction(() => document.activeElement instanceof HTMLIFrameElement);
  }

  function row(name: string | RegExp): Locator {
    return workbench.treeRows('Chat Outline').filter({ hasText: name });
  }

  it('are listed in the outline with their branches, and shown by a click or by Enter', async () => {
    await workbench.runCommand('Model Gateway: Show Chat Outline');
    await row('And a formula').waitFor();
    await workbench.screenshot('messages/outline-dark');
    const treeItem = (name: RegExp) => workbench.page.getByRole('treeitem', { name });
    await row('And a formula')
      .and(treeItem(/^Question: And a formula, shown/))
      .waitFor();
    await row('1/2')
      .and(treeItem(/alternative 1 of 2, on another branch/))
      .waitFor();
    await row('1/2').click();
    await waitForBranch('Show me a list', 'Show me some code');
    assert.deepEqual(await questions(), ['Show me a table', 'Show me some code', 'Show me a list']);
    await workbench.runCommand('Model Gateway: Show Chat Outline');
    await row('Show me a list').waitFor();
    // The rows are painted again when they show the selected branch.
    await workbench
      .treeRows('Chat Outline')
      .and(workbench.page.getByLabel(/2 of 2, on another branch/))
      .waitFor();
    await focusRow(workbench, 'Chat Outline', row('2/2'));
    await workbench.page.keyboard.press('Enter');
    await waitForBranch('And a formula', 'Show me some code');
  });

  it('are deleted with the following messages, and restored in place by Ctrl+Z', async () => {
    await chat.locator('.question', { hasText: 'Show me some code' }).hover();
    await workbench.screenshot('messages/tools-dark');
    await chat
      .locator('mg-turn')
      .nth(1)
      .getByRole('button', { name: 'Delete Question and Following Messages' })
      .click();
    await chat.locator('.deleted', { hasText: '7 messages on 2 branches were deleted.' }).waitFor();
    assert.deepEqual(await questions(), ['Show me a table']);
    await row('And a formula').waitFor({ state: 'detached' });
    await workbench.screenshot('messages/deleted-dark');
    await workbench.page.keyboard.press('Control+z');
    await chat.locator('.question-text', { hasText: 'And a formula' }).waitFor();
    assert.deepEqual(await questions(), ['Show me a table', 'Show me some code', 'And a formula']);
    await chat.getByRole('group', { name: 'Reply 2 of 2' }).waitFor();
    await row('1/2').waitFor();
  });

  it('are restored by command after a reload', async () => {
    await row('And a formula').click();
    await waitForBranch('And a formula', 'And a formula');
    await workbench.runCommand('Model Gateway: Show Chat Outline');
    await workbench.page.locator('.pane-body :focus').waitFor();
    await workbench.page.keyboard.press('Delete');
    await row('And a formula').waitFor({ state: 'detached' });
    await workbench.reload();
    chat = await workbench.webview('Show me a table');
    await chat.locator('.question-text', { hasText: 'Show me some code' }).waitFor();
    assert.deepEqual(await questions(), ['Show me a table', 'Show me some code']);
    await workbench.runCommand('Model Gateway: Undo Delete Message');
    await chat.locator('.question-text', { hasText: 'And a formula' }).waitFor();
  });

  it('are quoted from the selected text, by button and by command', async () => {
    const text = chat.locator('.question-text', { hasText: 'Show me some code' });
    await text.click({ clickCount: 3 });
    await workbench.screenshot('messages/quote-dark');
    await button('Quote').click();
    assert.equal(await box().inputValue(), '> Show me some code\n\n');
    await box().fill('');
    await text.click({ clickCount: 3 });
    await workbench.runCommand('Model Gateway: Quote Selection');
    await waitForKeyFocus(chat.locator('textarea'));
    assert.equal(await box().inputValue(), '> Show me some code\n\n');
    await box().fill('');
  });

  it('can be deleted in a narrow page', async () => {
    for (const theme of ['light', 'highContrast'] as const) {
      await workbench.setTheme(theme);
      await chat.locator('.question', { hasText: 'Show me some code' }).hover();
      await workbench.screenshot(`messages/outline-${theme}`);
    }
    await chat.locator('.question-text', { hasText: 'And a formula' }).click({ clickCount: 3 });
    await workbench.screenshot('messages/quote-highContrast');
    await workbench.closeSideBar();
    await workbench.page.setViewportSize({ width: 350, height: 800 });
    await button('Delete Reply and Following Messages').last().click();
    await chat.locator('.deleted', { hasText: '1 message was deleted.' }).waitFor();
    await workbench.screenshot('messages/deleted-350');
  });
});
