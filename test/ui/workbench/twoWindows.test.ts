import assert from 'node:assert/strict';
import { Workbench } from '../../support/workbench.ts';

const patienceMs = 40_000;

describe('one task and two windows', () => {
  let first: Workbench;
  let second: Workbench;

  before(async () => {
    first = await Workbench.open({ name: 'two-windows', theme: 'light' });
    await first.activity('Model Gateway').click();
    await first.page.getByRole('button', { name: 'Use the demo gateway' }).click();
    const chat = await first.webview('New chat');
    await chat.getByRole('button', { name: 'Model: demo/chat' }).waitFor();
    second = await first.anotherWindow();
    await second.activity('Model Gateway').click();
  });

  after(() => first.close());

  it('F84 what one makes, both show, and one of them tells how it ended', async () => {
    await first.runCommand('Model Gateway: New video');
    const page = await first.webview('Generate');
    await page.getByRole('textbox', { name: 'Prompt' }).fill('A shared sky. Take 3 seconds.');
    await page.getByRole('button', { name: 'Generate', exact: true }).click();
    const rows = [first, second].map((window) =>
      window.treeRows('Tasks').filter({ hasText: 'A shared sky' }),
    );
    for (const row of rows) await row.waitFor({ timeout: patienceMs });
    for (const row of rows) await row.filter({ hasText: 'saved' }).waitFor({ timeout: patienceMs });
    const told = [first, second].map((window) => window.notification('Completed: A shared sky'));
    await Promise.any(told.map((notification) => notification.waitFor({ timeout: patienceMs })));
    // The other window keeps silent for longer than a window in the background waits before it speaks.
    await second.page.waitForTimeout(4000);
    const counts = await Promise.all(told.map((notification) => notification.count()));
    assert.deepEqual(counts.toSorted(), [0, 1]);
  });

  it('F85 when the window that made one closes, the other sees it through', async () => {
    const page = await first.webview('Generate');
    await page.getByRole('textbox', { name: 'Prompt' }).fill('A closing door. Take 15 seconds.');
    await page.getByRole('button', { name: 'Generate', exact: true }).click();
    const row = second.treeRows('Tasks').filter({ hasText: 'A closing door' });
    await row.waitFor({ timeout: patienceMs });
    await first.page.close();
    await row.filter({ hasText: 'saved' }).waitFor({ timeout: 2 * patienceMs });
    await second.notification('Completed: A closing door').waitFor({ timeout: patienceMs });
  });
});
