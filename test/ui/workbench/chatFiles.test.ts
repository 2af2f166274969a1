import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Locator } from 'playwright-core';
import { storeChats } from '../../support/seededChats.ts';
import { poll, Workbench } from '../../support/workbench.ts';
import { openRow } from '../../support/workbenchRows.ts';

describe('the commands for chats in files', () => {
  let workbench: Workbench;

  before(async () => {
    workbench = await Workbench.open({ name: 'chatFiles' });
    storeChats(workbench.storage, [
      { question: 'Why is the sky blue?', daysAgo: 0 },
      { question: 'When do roses bloom?', daysAgo: 0, title: 'Roses' },
    ]);
    await workbench.activity('Model Gateway').click();
    await row('Roses').waitFor();
  });

  after(() => workbench.close());

  function row(name: string): Locator {
    return workbench.treeRows('Chats').filter({ hasText: name });
  }

  /**
   * Types the path into VS Code's own file dialog, and accepts it. The dialog overwrites its box when it has read
   * the folder.
   */
  async function choosePath(path: string, title: string): Promise<void> {
    const { quickInput } = workbench;
    await quickInput.widget.getByText(title, { exact: true }).waitFor();
    await quickInput.options.first().waitFor();
    await poll(`a box that holds ${path}`, async () => {
      await quickInput.fill(path);
      await workbench.page.waitForTimeout(300);
      return (await quickInput.input.inputValue()) === path || undefined;
    });
    // The first Enter on a folder opens it.
    await poll('end of the dialog', async () => {
      await quickInput.accept().catch(() => undefined);
      return quickInput.widget.waitFor({ state: 'hidden', timeout: 1000 }).then(
        () => true,
        () => undefined,
      );
    });
  }

  async function deleteChat(name: string): Promise<void> {
    await row(name).click({ button: 'right' });
    await workbench.page.keyboard.press('Escape');
    await row(name).focus();
    await workbench.page.keyboard.press('Delete');
    await row(name).waitFor({ state: 'detached' });
  }

  it('export all chats to the chosen file, and import a deleted one again', async () => {
    const file = join(workbench.folder, 'kept.jsonl');
    await workbench.runCommand('Model Gateway: Export Chats…');
    await workbench.quickInput.pick('All Chats');
    await choosePath(file, 'Export Chats To');
    await workbench.statusBarItem('Exported to kept.jsonl').waitFor();
    const lines = readFileSync(file, 'utf8').trim().split('\n');
    assert.deepEqual(JSON.parse(lines.at(-1) ?? ''), { type: 'end', conversations: 2 });
    assert.deepEqual(
      readdirSync(workbench.folder).filter((name) => name !== 'kept.jsonl'),
      [],
    );
    await deleteChat('Roses');
    await workbench.runCommand('Notifications: Clear All Notifications');
    await workbench.runCommand('Model Gateway: Import Chats…');
    await workbench.quickInput.pick('Files…');
    await choosePath(file, 'Import Chats');
    await row('Roses').waitFor();
    await workbench.notification('Chats: 1 imported, 1 already there.').waitFor();
    await workbench.screenshot('chats/imported');
  });

  it('import the folder of an unpacked export, and show a report', async () => {
    const folder = join(workbench.folder, 'unpacked');
    mkdirSync(folder);
    const message = {
      author: { role: 'user' },
      content: { content_type: 'text', parts: ['What is a fjord?'] },
    };
    const chat = {
      id: 'fjord',
      title: 'Fjords',
      create_time: 1,
      mapping: { a: { id: 'a', parent: null, message } },
    };
    writeFileSync(join(folder, 'conversations-000.json'), JSON.stringify([chat]));
    writeFileSync(
      join(folder, 'conversations-001.json'),
      JSON.stringify([{ ...chat, id: 'b' }]).slice(0, -30),
    );
    await workbench.runCommand('Notifications: Clear All Notifications');
    await workbench.runCommand('Model Gateway: Import Chats…');
    await workbench.quickInput.pick('Folder of an Unpacked Export…');
    await choosePath(folder, 'Import Chats from Folder');
    const notice = workbench.notification('Chats: 1 imported, 1 skipped.');
    await notice.getByRole('button', { name: 'Show Report' }).click();
    await workbench.tab('Imported Chats.md').waitFor();
    const text = await poll('the report', async () => {
      const lines = await workbench.page.locator('.view-lines').last().innerText();
      return lines.includes('Skipped') ? lines.replaceAll('\u00a0', ' ') : undefined;
    });
    assert.match(text, /conversations-001\.json.*The file is incomplete/s);
    await workbench.screenshot('chats/report');
  });

  /** Chooses the format of an export. The page of a chat may take the focus late, which closes the list of formats. */
  async function pickMarkdown(): Promise<void> {
    const { quickInput } = workbench;
    await poll('the dialog after the formats', async () => {
      await workbench.runCommand('Model Gateway: Export Chats…');
      try {
        await quickInput.option('Markdown').waitFor({ timeout: 5000 });
        await quickInput.fill('Markdown', 5000);
        await quickInput.input.press('Enter', { timeout: 5000 });
        await quickInput.widget.getByText('Export Chats To', { exact: true }).waitFor({ timeout: 5000 });
        return true;
      } catch {
        return undefined;
      }
    });
  }

  it('export the open chat as Markdown', async () => {
    await row('Fjords').waitFor();
    const chat = await openRow(workbench, row('Why is the sky blue?'), 'Why is the sky blue?');
    await chat.getByText('This is about: Why is the sky blue?').waitFor();
    await pickMarkdown();
    await choosePath(join(workbench.folder, 'sky.md'), 'Export Chats To');
    await workbench.statusBarItem('Exported to sky.md').waitFor();
    assert.match(
      readFileSync(join(workbench.folder, 'sky.md'), 'utf8'),
      /This is about: Why is the sky blue\?/,
    );
  });
});
