import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { FrameLocator } from 'playwright-core';
import { demoQuestions } from '../../../src/base/demoQuestions.ts';
import { Workbench } from '../../support/workbench.ts';
import { sendByEnter } from '../../support/workbenchChat.ts';

describe('a chat in an untrusted workspace', () => {
  let workbench: Workbench;
  let chat: FrameLocator;

  before(async () => {
    const settings = {
      'security.workspace.trust.enabled': true,
      'security.workspace.trust.startupPrompt': 'never',
    };
    workbench = await Workbench.open({ name: 'untrusted', settings });
    const prompts = join(workbench.folder, '.github', 'prompts');
    await mkdir(prompts, { recursive: true });
    await writeFile(join(prompts, 'letter.prompt.md'), 'Write a letter.');
    await writeFile(join(workbench.folder, 'notes.md'), 'Buy bread.\n');
    await workbench.statusBarItem('Restricted Mode').waitFor();
    await workbench.activity('Model Gateway').click();
    await workbench.tryDemo();
    chat = await workbench.webview('New Chat');
    await chat.getByRole('button', { name: 'Model: demo/chat' }).waitFor();
  });

  after(() => workbench.close());

  const box = () => chat.getByLabel('Message', { exact: true });

  it('F106 requires a confirmation before it attaches a file', async () => {
    const chips = chat.getByRole('list', { name: 'Context' });
    for (const button of ['Cancel', 'Add']) {
      await box().fill('');
      await box().pressSequentially('#notes');
      await chat.getByRole('option', { name: /notes\.md/ }).click();
      await workbench.dialog().getByText('You have not trusted this workspace.').waitFor();
      await workbench.screenshot('untrusted/asks');
      await workbench.dialog().getByRole('button', { name: button }).click();
      await workbench.dialog().waitFor({ state: 'detached' });
      if (button === 'Cancel') assert.equal(await chips.getByText('notes.md').count(), 0);
    }
    await chips.getByText('notes.md').waitFor();
  });

  it('F106 offers no prompts of the workspace, and offers to manage its trust', async () => {
    await box().fill('');
    await box().pressSequentially('/');
    const offered = chat.getByRole('option');
    await offered.filter({ hasText: 'Manage Workspace Trust…' }).waitFor();
    await offered.filter({ hasText: 'Trust this workspace to use its prompts.' }).waitFor();
    assert.equal(await offered.filter({ hasText: 'letter' }).count(), 0);
    await workbench.screenshot('untrusted/prompts');
    await box().press('Escape');
  });

  it('F106 sends a question and shows the reply', async () => {
    await box().fill('');
    await box().pressSequentially(demoQuestions.retry);
    await sendByEnter(workbench.page, chat, chat.locator('.figures', { hasText: 'complete' }));
    await chat.getByRole('list', { name: 'Context' }).waitFor();
    await workbench.screenshot('untrusted/answered');
  });
});
