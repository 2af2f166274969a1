import assert from 'node:assert/strict';
import { endDemoVideos } from '../../support/demoVideos.ts';
import { Workbench } from '../../support/workbench.ts';

const timeoutMs = 90_000;

describe('one task and two windows', () => {
  let first: Workbench;
  let second: Workbench;

  before(async () => {
    // The other window sometimes takes the focus.
    const settings = { 'modelGateway.tasks.interval': 1, 'workbench.quickOpen.closeOnFocusLost': false };
    first = await Workbench.open({ name: 'two-windows', theme: 'light', settings });
    await first.activity('Model Gateway').click();
    await first.tryDemo();
    const chat = await first.webview('New Chat');
    await chat.getByRole('button', { name: 'Model: demo/chat' }).waitFor();
    second = await first.openAnotherWindow();
    // A click on its icon would close the side bar if VS Code has already restored it.
    await second.runCommand('Model Gateway: Show Tasks');
  });

  after(() => first.close());

  async function generate(prompt: string): Promise<void> {
    await first.runCommand('Model Gateway: New Video');
    const page = await first.webview('Generate');
    await page.getByRole('textbox', { name: 'Prompt', exact: true }).fill(prompt);
    await page.getByRole('button', { name: 'Generate', exact: true }).click();
  }

  it('F84 a task of one window is listed in both, and one window notifies when it ends', async () => {
    const notifications = (text: string) => [first, second].map((window) => window.notification(text));
    const untilNotified = (text: string) =>
      Promise.any(notifications(text).map((each) => each.waitFor({ timeout: timeoutMs })));
    await generate('A shared sky. Take 5 minutes.');
    const rows = [first, second].map((window) =>
      window.treeRows('Tasks').filter({ hasText: 'A shared sky' }),
    );
    for (const row of rows) await row.waitFor({ timeout: timeoutMs });
    for (const window of [first, second]) await window.hideExtension();
    endDemoVideos(first, 'A shared sky');
    await untilNotified('Completed: A shared sky');
    // When a later task is reported, the other window would have reported this one too.
    await generate('A later sky. Take 5 minutes.');
    await first.hideExtension();
    endDemoVideos(first, 'A later sky');
    await untilNotified('Completed: A later sky');
    const counts = [
      await first.countNotifications('Completed: A shared sky'),
      await second.countNotifications('Completed: A shared sky'),
    ];
    assert.deepEqual(counts.toSorted(), [0, 1]);
  });

  it('F85 when the window that created a task closes, the other window completes it', async () => {
    await generate('A closing door. Take 5 minutes.');
    await second.runCommand('Model Gateway: Show Tasks');
    const row = second.treeRows('Tasks').filter({ hasText: 'A closing door' });
    await row.waitFor({ timeout: timeoutMs });
    await first.page.close();
    await second.hideExtension();
    endDemoVideos(second, 'A closing door');
    await second.notification('Completed: A closing door').waitFor({ timeout: 2 * timeoutMs });
    await second.runCommand('Model Gateway: Show Tasks');
    await row.filter({ hasText: 'saved' }).waitFor({ timeout: timeoutMs });
  });
});
