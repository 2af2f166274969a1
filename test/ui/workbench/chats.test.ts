import assert from 'node:assert/strict';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { FrameLocator } from 'playwright-core';
import { definePictureTest } from '../../support/pictures.ts';
import { poll, Workbench } from '../../support/workbench.ts';
import { findAccessibilityFaults } from '../page/support/accessibility.ts';
import { waitForValue } from '../page/support/waits.ts';

const question = 'Answer slowly, in 600 words: what does a lighthouse keeper do?';

describe('a saved chat', () => {
  let workbench: Workbench;
  let chat: FrameLocator;

  before(async () => {
    workbench = await Workbench.open({ name: 'chats', theme: 'light' });
    await workbench.activity('Model Gateway').click();
    await workbench.tryDemo();
    chat = await workbench.webview('New Chat');
    await chat.getByRole('button', { name: 'Model: demo/chat' }).waitFor();
  });

  after(() => workbench.close());

  const box = () => chat.getByRole('textbox', { name: 'Message' });
  const button = (name: string) => chat.getByRole('button', { name, exact: true });
  const replyText = () => chat.locator('.reply-text').last().innerText();

  async function sendQuestion(text: string): Promise<void> {
    await box().fill(text);
    await box().press('Enter');
  }

  /** Ignores the title of the document, which VS Code sets. */
  async function assertAccessible(): Promise<void> {
    const page = await (await chat.locator('body').elementHandle())?.ownerFrame();
    const faults = await findAccessibilityFaults(page ?? assert.fail());
    assert.deepEqual(
      faults.filter((fault) => !fault.startsWith('document-title')),
      [],
    );
  }

  it('is restored after a reload during a reply, with its question, the received text and the draft', async () => {
    await sendQuestion(question);
    const arrived = await poll('some words of the reply', async () => {
      if ((await chat.locator('.reply-text').count()) === 0) return undefined;
      const text = await replyText();
      return text.length > 60 ? text : undefined;
    });
    await box().fill('And what at night?');
    await poll(
      'the draft on disk',
      async () => readDrafts(workbench).includes('And what at night?') || undefined,
    );
    await workbench.reload();
    chat = await workbench.webview(/^Answer slowly/);
    await chat.locator('.question-text', { hasText: 'lighthouse keeper' }).waitFor();
    const back = await replyText();
    await workbench.screenshot('chats/reloaded');
    assert.ok(back.startsWith(arrived.slice(0, 40)), back);
    assert.equal(await box().inputValue(), 'And what at night?');
    await button('Continue').waitFor();
    await chat.locator('.notice').getByRole('button', { name: 'Ask Again' }).waitFor();
    await chat.getByText('Stopped when its window closed').waitFor();
    await assertAccessible();
  });

  it('continues a stopped reply where it ended', async () => {
    const before = await replyText();
    await button('Continue').click();
    await button('Stop').waitFor();
    await poll('more of the reply', async () => (await replyText()).length > before.length + 20 || undefined);
    await button('Stop').click();
    await button('Continue').waitFor();
    const after = await replyText();
    assert.ok(after.startsWith(before.trimEnd()), after);
    assert.doesNotMatch(after, /cut off/);
    await workbench.screenshot('chats/continued');
  });

  it('sends an edited question on a new branch, and switches between both', async () => {
    await chat.locator('.question').hover();
    await workbench.screenshot('chats/tools');
    await button('Edit Question').click();
    const edited = chat.getByRole('textbox', { name: 'Edited question' });
    await workbench.screenshot('chats/editor-light');
    await assertAccessible();
    await edited.fill('Show me a table');
    await edited.press('Enter');
    await chat.locator('.figures', { hasText: 'complete' }).waitFor();
    await chat.getByRole('group', { name: 'Question 2 of 2' }).waitFor();
    await assertAccessible();
    await workbench.screenshot('chats/branch-light');
    await button('Previous Question').click();
    await chat.getByRole('group', { name: 'Question 1 of 2' }).waitFor();
    await chat.locator('.question-text', { hasText: 'lighthouse keeper' }).waitFor();
  });

  it('shows the same branch after a reload', async () => {
    await workbench.reload();
    chat = await workbench.webview(/^Answer slowly/);
    await chat.getByRole('group', { name: 'Question 1 of 2' }).waitFor();
    await button('Next Question').click();
    await chat.getByRole('table').first().waitFor();
  });

  it('sends a question to two models by keyboard, and shows the replies side by side with figures', async () => {
    await workbench.runCommand('Model Gateway: New Chat');
    chat = await workbench.webview('New Chat');
    await workbench.page.keyboard.press('Control+Alt+m');
    const model = (name: string) =>
      workbench.quickInput.widget.locator('.monaco-list-row').filter({ hasText: name });
    await model('demo/chat').waitFor();
    await model('demo/reasoning').click();
    await workbench.quickInput.accept();
    await workbench.quickInput.waitUntilClosed();
    await box().fill('Show me a list');
    await button('Ask 2 Models').waitFor();
    await box().press('Enter');
    for (const [at, name] of ['demo/chat', 'demo/reasoning'].entries()) {
      await chat.getByRole('region', { name: `Reply ${at + 1} of 2: ${name}`, exact: true }).waitFor();
    }
    const figures = chat.locator('mg-column .figures', { hasText: 'complete' });
    await figures.nth(1).waitFor();
    for (const text of await figures.allTextContents()) {
      assert.match(text, /\d+ tokens in, \d+ out.*first token .*tok\/s.*complete.*about \$0/s);
    }
    await assertAccessible();
  });

  it('restores its tab and columns after a reload before VS Code saved its tabs', async () => {
    await workbench.reload();
    chat = await workbench.webview('Show me a list');
    await chat.locator('mg-column .figures', { hasText: 'complete' }).nth(1).waitFor();
    await box().waitFor();
    assert.equal(await workbench.tab('Show me a list').count(), 1);
  });

  it('compares two replies in the diff editor, continues with one, and keeps the other as a branch', async () => {
    await button('Compare in the Diff Editor').first().click();
    await workbench.tab('demo/chat ↔ demo/reasoning').waitFor();
    await workbench.tab('Show me a list').click();
    chat = await workbench.webview('Show me a list');
    await button('Continue with This Reply').last().click();
    await chat.getByRole('group', { name: 'Reply 2 of 2' }).waitFor();
    await chat.getByRole('button', { name: /^Model: demo\/reasoning\. Choose another/ }).waitFor();
    await button('Previous Reply').click();
    await chat.getByRole('group', { name: 'Reply 1 of 2' }).waitFor();
    await button('Show Side by Side').waitFor();
  });

  it('shows the branch selected before the reload, in a single tab', async () => {
    await workbench
      .treeRows('Chats')
      .filter({ hasText: /^Answer slowly|^Show me a table/ })
      .click();
    chat = await workbench.webview(/^Answer slowly|^Show me a table/);
    await waitForValue(() => workbench.tab(/^Answer slowly|^Show me a table/).count(), 1);
    await chat.getByRole('group', { name: 'Question 2 of 2' }).waitFor();
    await chat.getByRole('table').first().waitFor();
  });

  it('meets the accessibility guidelines in high contrast', async () => {
    await workbench.setTheme('highContrast');
    await workbench.screenshot('chats/branch-high-contrast');
    await assertAccessible();
  });

  definePictureTest('looks right in dark and in narrow windows', async () => {
    await workbench.setTheme('dark');
    await workbench.screenshot('chats/branch-dark');
    await button('Edit Question').click();
    await workbench.screenshot('chats/editor-dark');
    await workbench.page.keyboard.press('Escape');
    await workbench.closeSideBar();
    await workbench.page.setViewportSize({ width: 350, height: 800 });
    await button('Edit Question').click();
    await workbench.screenshot('chats/narrow');
  });
});

/** The texts that are typed but not sent. */
function readDrafts({ storage }: Workbench): readonly unknown[] {
  const database = new DatabaseSync(join(storage, 'conversations.sqlite'), { readOnly: true });
  try {
    return database
      .prepare('SELECT text FROM drafts')
      .all()
      .map(({ text }) => text);
  } finally {
    database.close();
  }
}
