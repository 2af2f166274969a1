import assert from 'node:assert/strict';
import type { FrameLocator } from 'playwright-core';
import { Workbench } from '../../support/workbench.ts';

describe('a reply in VS Code', () => {
  let workbench: Workbench;
  let chat: FrameLocator;

  before(async () => {
    workbench = await Workbench.open({ name: 'reply-tools', theme: 'dark' });
    await workbench.activity('Model Gateway').click();
    await workbench.tryDemo();
  });

  after(() => workbench.close());

  async function sendQuestion(question: string): Promise<void> {
    await chat.getByRole('textbox', { name: 'Message' }).fill(question);
    await chat.getByRole('textbox', { name: 'Message' }).press('Enter');
    await chat.locator('.figures', { hasText: 'complete' }).last().waitFor({ timeout: 60_000 });
  }

  it('shows formulas with the bundle that is loaded for them', async () => {
    chat = await workbench.webview('New Chat');
    await chat.getByRole('button', { name: 'Model: demo/chat' }).waitFor();
    await sendQuestion('help');
    await chat.locator('.formula.display math').waitFor();
    await chat.locator('.formula.display').scrollIntoViewIfNeeded();
    await workbench.screenshot('reply-tools/help');
    assert.equal(await chat.locator('.formula.source').count(), 0);
  });

  it('inserts its code where the cursor was last', async () => {
    await workbench.runCommand('File: New Untitled Text File');
    await workbench.page.keyboard.type('before ');
    await workbench.tab('help').click();
    chat = await workbench.webview('help');
    await sendQuestion('Show me Python code');
    await chat.getByRole('button', { name: 'Insert at Cursor' }).last().click();
    await workbench.page
      .locator('.monaco-editor .view-lines', { hasText: 'before from collections' })
      .waitFor();
    await workbench.screenshot('reply-tools/inserted');
  });
});
