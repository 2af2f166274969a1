import assert from 'node:assert/strict';
import type { FrameLocator } from 'playwright-core';
import { storeBranchedChat, storeChats } from '../../support/seededChats.ts';
import { appears, poll, Workbench } from '../../support/workbench.ts';
import { waitForKeyFocus } from '../../support/workbenchChat.ts';
import { findAccessibilityFaults } from '../page/support/accessibility.ts';

describe('search in all chats and in one chat, by keyboard', () => {
  let workbench: Workbench;

  before(async () => {
    workbench = await Workbench.open({ name: 'search', viewport: { width: 1100, height: 800 } });
    storeChats(workbench.storage, [
      { question: 'How do roses grow in winter?', daysAgo: 3 },
      { question: 'Old notes on winter wheat', daysAgo: 90, isArchived: true },
      { question: '日本語の検索はどう動きますか？', daysAgo: 30, title: 'Japanese' },
    ]);
    storeBranchedChat(workbench.storage);
    await workbench.closeSideBar();
  });

  after(() => workbench.close());

  async function search(text: string): Promise<void> {
    await workbench.quickInput.waitUntilClosed();
    // A key that is pressed while VS Code moves the focus does not open anything.
    await poll('the search', async () => {
      await workbench.page.keyboard.press('Control+Alt+Shift+f');
      return appears(workbench.quickInput.input);
    });
    await workbench.quickInput.fill(text);
  }

  /** Opens the first result with this text. */
  async function open(text: string, words: string): Promise<void> {
    await search(text);
    await workbench.quickInput.options.filter({ hasText: words }).first().waitFor();
    await workbench.quickInput.accept();
  }

  async function cancel(): Promise<void> {
    await workbench.quickInput.cancel();
    await workbench.quickInput.waitUntilClosed();
  }

  /** Waits until the message that was opened is on the screen and has the focus. */
  async function waitForFoundMessage(chat: FrameLocator, text: string): Promise<void> {
    const turn = chat.locator('mg-turn.found');
    await turn.getByText(text).waitFor();
    await poll('the found message on the screen, with the focus', async () => {
      const { y = -1 } = (await turn.getByText(text).boundingBox()) ?? {};
      return (y > 0 && y < 800 && (await turn.locator(':focus').count()) > 0) || undefined;
    });
  }

  /** Ignores the title of the document, which VS Code sets. */
  async function assertAccessible(chat: FrameLocator): Promise<void> {
    const page = await (await chat.locator('body').elementHandle())?.ownerFrame();
    const faults = await findAccessibilityFaults(page ?? assert.fail());
    assert.deepEqual(
      faults.filter((fault) => !fault.startsWith('document-title')),
      [],
    );
  }

  it('offers filters before anything is typed', async () => {
    await search('');
    await workbench.quickInput.options.filter({ hasText: 'has:image' }).waitFor();
    await workbench.screenshot('search/filters');
    await cancel();
  });

  it('switches the open chat to the branch of a found message', async () => {
    await open('quetzal', 'It may be a quetzal in winter.');
    await waitForFoundMessage(await workbench.webview('Birds'), 'It may be a quetzal in winter.');
    await workbench.screenshot('search/found');
    await open('Question 149', 'Question 149');
    const chat = await workbench.webview('Birds');
    await waitForFoundMessage(chat, 'Question 149');
    await assertAccessible(chat);
    assert.equal(await workbench.tab('Birds').count(), 1);
  });

  it('finds a match that is not painted, and closes by Escape', async () => {
    const chat = await workbench.webview('Birds');
    await workbench.page.keyboard.press('Control+f');
    await waitForKeyFocus(chat.getByRole('textbox', { name: 'Find' }));
    await workbench.page.keyboard.type('kingfisher');
    await chat.getByRole('search').getByText('1 of 1').waitFor();
    await poll('the match on the screen', async () => {
      const { y = -1 } = (await chat.getByText('kingfisher').boundingBox()) ?? {};
      return (y > 0 && y < 800) || undefined;
    });
    await workbench.screenshot('search/find');
    await assertAccessible(chat);
    await workbench.page.setViewportSize({ width: 350, height: 700 });
    await workbench.screenshot('search/find-narrow');
    await workbench.page.setViewportSize({ width: 1100, height: 800 });
    await workbench.page.keyboard.press('Escape');
    await chat.getByRole('search').waitFor({ state: 'detached' });
  });

  it('shows results in every theme', async () => {
    for (const theme of ['dark', 'highContrast', 'light'] as const) {
      await workbench.setTheme(theme);
      await search('inter');
      await workbench.quickInput.options.filter({ hasText: 'Birds' }).first().waitFor();
      await workbench.screenshot(`search/hits-${theme}`);
      await cancel();
      const chat = await workbench.webview('Birds');
      await chat.locator('.turns').focus();
      await workbench.page.keyboard.press('Control+f');
      await chat.getByRole('search').getByText('1 of 1').waitFor();
      await workbench.screenshot(`search/find-${theme}`);
      await workbench.page.keyboard.press('Escape');
    }
  });
});
