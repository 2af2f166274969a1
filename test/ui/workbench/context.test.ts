import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { demoQuestions } from '../../../src/base/demoQuestions.ts';
import { Workbench } from '../../support/workbench.ts';

describe('a chat beside the code', () => {
  let workbench: Workbench;

  before(async () => {
    workbench = await Workbench.open({ name: 'code', theme: 'dark' });
    await workbench.activity('Model Gateway').click();
    await workbench.tryDemo();
    const chat = await workbench.webview('New Chat');
    await chat.getByRole('button', { name: 'Model: demo/chat' }).waitFor();
  });

  after(() => workbench.close());

  it('takes a selection along, and its answer is applied to the file by the editor of differences', async () => {
    const { page } = workbench;
    await writeFile(join(workbench.folder, 'retry.ts'), 'export function retry() {\n}\n');
    await workbench.activity('Explorer').click();
    await page.getByRole('treeitem', { name: /retry\.ts/ }).dblclick();
    await workbench.tab(/retry\.ts/).waitFor();
    const editor = page.locator('.monaco-editor .view-lines');
    await editor.filter({ hasText: 'retry()' }).click();
    await page.keyboard.press('Control+A');
    await page.keyboard.press('Control+Alt+A');
    const chat = await workbench.webview('New Chat');
    await workbench.screenshot('code/added');
    const chips = chat.getByRole('list', { name: 'Code that goes along' });
    await chips.getByText('retry.ts#L1-2').waitFor();
    const box = chat.getByLabel('Message', { exact: true });
    await box.fill(`${demoQuestions.retry} #`);
    await chat.getByLabel('Suggestions').waitFor();
    await workbench.screenshot('code/suggestions');
    await box.press('Escape');
    await box.fill(demoQuestions.retry);
    await box.press('Enter');
    await chat.getByRole('list', { name: 'Code that went along' }).waitFor();
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
