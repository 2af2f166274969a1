import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { demoQuestions } from '../../../src/base/demoQuestions.ts';
import { Workbench } from '../../support/workbench.ts';

describe('a chat next to code', () => {
  let workbench: Workbench;

  before(async () => {
    workbench = await Workbench.open({ name: 'code', theme: 'dark' });
    await workbench.activity('Model Gateway').click();
    await workbench.tryDemo();
    const chat = await workbench.webview('New Chat');
    await chat.getByRole('button', { name: 'Model: demo/chat' }).waitFor();
    await writeFile(join(workbench.folder, 'notes.md'), '# Notes\n');
    await writeFile(join(workbench.folder, 'retry.ts'), 'export function retry() {\n}\n');
    await workbench.activity('Explorer').click();
  });

  after(() => workbench.close());

  it('attaches a file that is dragged from the Explorer with Shift held', async () => {
    const { page } = workbench;
    const chat = await workbench.webview('New Chat');
    await page.getByRole('treeitem', { name: /notes\.md/ }).hover();
    await page.mouse.down();
    const box = await chat.getByLabel('Message', { exact: true }).boundingBox();
    assert.ok(box);
    await page.mouse.move(box.x, 200);
    // VS Code passes dragged items to a page only while Shift is held.
    await page.keyboard.down('Shift');
    await page.mouse.move(box.x + 40, box.y + box.height / 2, { steps: 5 });
    await page.mouse.up();
    await page.keyboard.up('Shift');
    const chips = chat.getByRole('list', { name: 'Context' });
    await chips.getByText('notes.md').waitFor();
    await workbench.screenshot('code/dragged');
    await chips
      .getByRole('button', { name: /notes\.md/ })
      .first()
      .press('Delete');
    await chips.waitFor({ state: 'detached' });
  });

  it('attaches the selection, and applies the code of the reply to the file in the diff editor', async () => {
    const { page } = workbench;
    await page.getByRole('treeitem', { name: /retry\.ts/ }).dblclick();
    await workbench.tab(/retry\.ts/).waitFor();
    const editor = page.locator('.monaco-editor .view-lines');
    await editor.filter({ hasText: 'retry()' }).click();
    await page.keyboard.press('Control+A');
    await page.keyboard.press('Control+Alt+A');
    const chat = await workbench.webview('New Chat');
    await workbench.screenshot('code/added');
    const chips = chat.getByRole('list', { name: 'Context' });
    await chips.getByText('retry.ts#L1-2').waitFor();
    const box = chat.getByLabel('Message', { exact: true });
    await box.fill(`${demoQuestions.retry} #`);
    await chat.getByLabel('Suggestions').waitFor();
    await workbench.screenshot('code/suggestions');
    await box.press('Escape');
    await box.fill(demoQuestions.retry);
    await box.press('Enter');
    await chat.getByRole('list', { name: 'Context' }).waitFor();
    await chat.locator('.figures', { hasText: 'complete' }).waitFor({ timeout: 60_000 });
    await workbench.screenshot('code/answered');
    await chat.getByRole('button', { name: 'Apply to File…' }).first().click();
    await page.getByRole('tab', { name: /retry\.ts \(proposed\)/ }).waitFor();
    const apply = page.getByRole('button', { name: 'Apply Proposed Code' });
    await apply.waitFor();
    await page.getByRole('button', { name: 'Discard Proposed Code' }).waitFor();
    await page.locator('.editor.modified .view-lines', { hasText: 'fetchWithRetry' }).waitFor();
    await workbench.screenshot('code/proposed');
    await apply.click();
    await page.getByRole('tab', { name: /retry\.ts \(proposed\)/ }).waitFor({ state: 'detached' });
    await editor.filter({ hasText: 'fetchWithRetry' }).waitFor();
    await workbench.screenshot('code/applied');
  });
});
