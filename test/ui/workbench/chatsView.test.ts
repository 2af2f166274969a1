import assert from 'node:assert/strict';
import type { Locator } from 'playwright-core';
import { definePictureTest } from '../../support/pictures.ts';
import { type SeededChat, storeBranchedChat, storeChats } from '../../support/seededChats.ts';
import { Workbench } from '../../support/workbench.ts';
import { focusRow } from '../../support/workbenchRows.ts';
import { waitForValue } from '../page/support/waits.ts';

const seeds: readonly SeededChat[] = [
  { question: 'How do I read a file line by line in Rust?', daysAgo: 60, isPinned: true },
  { question: 'What did the old report say?', daysAgo: 50, title: 'Report of last year', isArchived: true },
  { question: 'Compare three ways to store a tree in a relational database, please', daysAgo: 40 },
  { question: '日本語の検索はどう動きますか？', daysAgo: 30 },
  { question: 'Why is the sky blue?', daysAgo: 1 },
  { question: 'Write a poem about $(trash) and [links](command:x)', daysAgo: 0 },
  { question: 'When do roses bloom?', daysAgo: 0, title: 'Roses' },
  { question: 'Explain this regular expression to me', daysAgo: 0 },
];

describe('the Chats view, by keyboard', () => {
  let workbench: Workbench;

  before(async () => {
    workbench = await Workbench.open({ name: 'chatsView', viewport: { width: 1100, height: 1300 } });
    storeChats(workbench.storage, seeds);
    storeBranchedChat(workbench.storage);
    await workbench.activity('Model Gateway').click();
  });

  after(() => workbench.close());

  function row(name: string): Locator {
    return workbench.treeRows('Chats').filter({ hasText: name });
  }

  /** Moves the focus to a row without opening it. */
  async function focusOn(name: string): Promise<void> {
    await workbench.runCommand('Model Gateway: Focus on Chats View');
    await focusRow(workbench, 'Chats', row(name));
  }

  it('lists saved chats in groups, with the archive folded', async () => {
    await row('Explain this regular').waitFor();
    await row('How do I read a file').waitFor();
    for (const group of ['Pinned', 'Today', 'Yesterday', 'Older', 'Archived']) await row(group).waitFor();
    assert.equal(await row('Report of last year').count(), 0);
  });

  it('names the remote machine in its title in a remote window', async () => {
    const title = workbench.page.locator('.pane-header').filter({ hasText: 'Chats' });
    await title.getByText('on the remote machine', { exact: true }).waitFor();
  });

  it('opens a saved chat with Enter', async () => {
    await focusOn('Why is the sky blue?');
    await workbench.page.keyboard.press('Enter');
    const chat = await workbench.webview('Why is the sky blue?');
    await chat.getByText('This is about: Why is the sky blue?').waitFor();
  });

  it('renames the focused chat, not the open one, by the key for renaming', async () => {
    await focusOn('Roses');
    await workbench.page.keyboard.press('F2');
    await workbench.quickInput.fill('Roses in June');
    await workbench.quickInput.accept();
    await row('Roses in June').waitFor();
    await row('Why is the sky blue?').waitFor();
    assert.equal(await workbench.tab(/.*/).count(), 1, 'nothing else was opened');
  });

  it('deletes the focused chat, not the open one, and restores it by Ctrl+Z', async () => {
    await focusOn('Explain this regular');
    await workbench.page.keyboard.press('Delete');
    await row('Explain this regular').waitFor({ state: 'detached' });
    await row('Why is the sky blue?').waitFor();
    await workbench.notification('Deleted: “Explain this regular').waitFor();
    await workbench.screenshot('chats/deleted');
    await workbench.runCommand('Notifications: Clear All Notifications');
    await focusOn('Roses in June');
    await workbench.page.keyboard.press('Control+z');
    await row('Explain this regular').waitFor();
  });

  it('has a search that shows hits while typing, also in archived chats and for parts of words', async () => {
    const { options } = workbench.quickInput;
    await workbench.page.keyboard.press('Control+Alt+Shift+f');
    await workbench.quickInput.fill('epor');
    await options.filter({ hasText: 'What did the old report say?' }).first().waitFor();
    await workbench.screenshot('search/hits');
    await workbench.quickInput.fill('検索');
    await options.filter({ hasText: '日本語の検索はどう動きますか？' }).first().waitFor();
    await workbench.quickInput.fill('rust file');
    await options.filter({ hasText: '«file» line by line in «Rust»' }).first().waitFor();
    await workbench.quickInput.fill('"nothing * (like this');
    await options.filter({ hasText: 'No results found in any chat.' }).waitFor();
    await workbench.quickInput.cancel();
    await workbench.quickInput.waitUntilClosed();
  });

  it('has a search that opens a message on its branch, and marks it', async () => {
    await workbench.page.keyboard.press('Control+Alt+Shift+f');
    await workbench.quickInput.fill('quetzal');
    await workbench.quickInput.options.filter({ hasText: 'It may be a quetzal in winter.' }).waitFor();
    await workbench.quickInput.accept();
    const chat = await workbench.webview('Birds');
    const found = chat.locator('mg-turn.found');
    await found.getByText('It may be a quetzal in winter.').waitFor();
    await found.locator(':focus').waitFor();
    await waitForValue(async () => {
      const { y = -1 } = (await found.getByText('quetzal').boundingBox()) ?? {};
      return y > 0 && y < 1300;
    }, true);
  });

  definePictureTest('is readable in every theme, and at 250 pixels', async () => {
    for (const theme of ['dark', 'light', 'highContrast', 'highContrastLight'] as const) {
      await workbench.setTheme(theme);
      await workbench.screenshot(`chats/view-${theme}`);
    }
    await narrow(250);
    await row('Roses in June').hover();
    await workbench.screenshot('chats/view-250');
  });

  /** Drags the edge of the side bar to this width, in pixels. */
  async function narrow(width: number): Promise<void> {
    const { page } = workbench;
    const box = await page.locator('.part.sidebar').boundingBox();
    assert.ok(box);
    const y = box.y + box.height / 2;
    await page.mouse.move(box.x + box.width, y);
    await page.mouse.down();
    await page.mouse.move(box.x + width, y, { steps: 5 });
    await page.mouse.up();
  }
});
