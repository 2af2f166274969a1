import assert from 'node:assert/strict';
import type { FrameLocator } from 'playwright-core';
import { poll, Workbench } from '../../support/workbench.ts';

const question = 'Answer slowly, in 600 words: what does a lighthouse keeper do?';

describe('VS Code after it was killed', () => {
  let workbench: Workbench;

  before(async () => {
    workbench = await Workbench.open({ name: 'crash', theme: 'light' });
    await workbench.activity('Model Gateway').click();
    await workbench.tryDemo();
  });

  after(() => workbench.close());

  const replyText = (chat: FrameLocator) => chat.locator('.reply-text').last().innerText();
  const button = (chat: FrameLocator, name: string) => chat.getByRole('button', { name, exact: true });

  it('F91 restores the received part of an unfinished reply as stopped, and can continue it', async () => {
    const before = await workbench.webview('New Chat');
    await before.getByRole('button', { name: 'Model: demo/chat' }).waitFor();
    const box = before.getByRole('textbox', { name: 'Message' });
    await box.fill(question);
    await box.press('Enter');
    const arrived = await poll('some words of the reply', async () => {
      const text = (await before.locator('.reply-text').count()) > 0 ? await replyText(before) : '';
      return text.length > 120 ? text : undefined;
    });
    await workbench.crash();
    const chat = await workbench.webview(/^Answer slowly/);
    await chat.getByText('Stopped when its window closed').waitFor();
    const back = await replyText(chat);
    assert.ok(back.startsWith(arrived.slice(0, 40)), back);
    await workbench.screenshot('crash/back');
    await button(chat, 'Continue').click();
    await poll(
      'more of the reply',
      async () => (await replyText(chat)).length > back.length + 20 || undefined,
    );
    await button(chat, 'Stop').click();
    assert.ok((await replyText(chat)).startsWith(back.trimEnd()));
  });
});
