import assert from 'node:assert/strict';
import type { Locator } from 'playwright-core';
import { Workbench } from '../../support/workbench.ts';

describe('the Requests view in VS Code', () => {
  let workbench: Workbench;

  before(async () => {
    workbench = await Workbench.open({ name: 'requests', viewport: { width: 1280, height: 1000 } });
    await workbench.activity('Model Gateway').click();
    await workbench.tryDemo();
    const chat = await workbench.webview('New Chat');
    await chat.getByRole('button', { name: 'Model: demo/chat' }).waitFor();
    const box = chat.getByRole('textbox', { name: 'Message' });
    await box.fill('Hello');
    await box.press('Enter');
    await chat.locator('.figures', { hasText: 'complete' }).waitFor();
    await box.fill('fail with 429');
    await box.press('Enter');
    await chat.locator('mg-turn').last().locator('.notice').waitFor();
  });

  after(() => workbench.close());

  function row(name: string | RegExp): Locator {
    return workbench.treeRows('Requests').filter({ hasText: name });
  }

  it('lists the requests, opens a failure by a click, and copies it as cURL by its button', async () => {
    await workbench.runCommand('Model Gateway: Show Requests');
    await row(/Chat demo\/chat.*429/).waitFor();
    await row(/Chat demo\/chat.*200/).waitFor();
    await row(/List models.*200/)
      .first()
      .waitFor();
    await workbench.screenshot('requests/view');

    await row(/429/).click();
    const editor = workbench.page.locator('.editor-instance .view-lines');
    await editor.filter({ hasText: 'Class: rate-limited' }).waitFor();
    await workbench.screenshot('requests/failure');
    assert.ok((await editor.textContent())?.includes('$MODEL_GATEWAY_CREDENTIAL'));

    await row(/429/).hover();
    await row(/429/).getByRole('button', { name: 'Copy Request…' }).click();
    await workbench.quickInput.pick('Copy as cURL');
    await workbench.page.locator('.statusbar-item', { hasText: 'Copied.' }).waitFor();
  });
});
