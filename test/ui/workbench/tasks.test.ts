import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { FrameLocator, Locator } from 'playwright-core';
import { endDemoVideos } from '../../support/demoVideos.ts';
import { Workbench } from '../../support/workbench.ts';
import { openRow } from '../../support/workbenchRows.ts';
import { waitForValue } from '../page/support/waits.ts';

const timeoutMs = 90_000;

describe('a video, from the click on Generate to the file on disk', () => {
  let workbench: Workbench;

  before(async () => {
    workbench = await Workbench.open({
      name: 'tasks',
      theme: 'dark',
      viewport: { width: 1400, height: 1300 },
      settings: { 'modelGateway.tasks.interval': 1 },
    });
    await workbench.activity('Model Gateway').click();
    await workbench.tryDemo();
    const chat = await workbench.webview('New Chat');
    await chat.getByRole('button', { name: 'Model: demo/chat' }).waitFor();
  });

  after(() => workbench.close());

  /** Fills in the prompt and clicks Generate. */
  async function generate(prompt: string): Promise<FrameLocator> {
    await workbench.runCommand('Model Gateway: New Video');
    const page = await workbench.webview('Generate');
    await page.getByRole('textbox', { name: 'Prompt', exact: true }).fill(prompt);
    await page.getByRole('button', { name: /^Generate/ }).click();
    await row(prompt).first().waitFor();
    return page;
  }

  function row(prompt: string): Locator {
    return workbench.treeRows('Tasks').filter({ hasText: prompt.slice(0, 12) });
  }

  async function openTask(prompt: string): Promise<FrameLocator> {
    return openRow(workbench, row(prompt), new RegExp(`^${prompt.slice(0, 16)}`));
  }

  it('is requested by a click, and counted in the status bar', async () => {
    const page = await generate('A lighthouse in a storm. Take 5 minutes.');
    await page.locator('mg-task-tiles, .tiles').first().waitFor();
    await workbench.statusBarItem(/Local gateway.*1/).waitFor();
    await workbench.screenshot('tasks/generate');
  });

  it('F71 is still listed when the window is reloaded while it runs', async () => {
    const task = await openTask('A lighthouse in a storm');
    await task
      .getByText(/Queued|Running/)
      .first()
      .waitFor();
    await workbench.screenshot('tasks/running');
    await workbench.tab('Generate').click();
    await workbench.reload();
    // A click on its icon would close the side bar if VS Code has already restored it.
    await workbench.runCommand('Model Gateway: Show Tasks');
    await row('A lighthouse in a storm').waitFor({ timeout: timeoutMs });
  });

  it('is saved when completed, with one notification because it is not on the screen', async () => {
    await workbench.hideExtension();
    endDemoVideos(workbench, 'A lighthouse');
    await workbench.notification('Completed: A lighthouse').waitFor({ timeout: timeoutMs });
    assert.equal(await workbench.notification('Completed').count(), 1);
    await workbench.screenshot('tasks/told');
    await workbench.runCommand('Model Gateway: Show Tasks');
    const task = await openTask('A lighthouse in a storm');
    // Its tab was not visible since the reload.
    await waitForValue(() => workbench.tab(/^A lighthouse/).count(), 1);
    const video = task.locator('video');
    await video.waitFor({ timeout: timeoutMs });
    await workbench.screenshot('tasks/completed');
    const seconds = await video.evaluate(async (element: HTMLVideoElement) => {
      element.muted = true;
      await element.play();
      await new Promise((resolve) => element.addEventListener('timeupdate', resolve, { once: true }));
      element.pause();
      return element.duration;
    });
    assert.ok(seconds > 3, `it lasts ${seconds} s`);
  });

  it('is saved to the file that the user accepts in the dialog', async () => {
    const task = await openTask('A lighthouse in a storm');
    await task.getByRole('button', { name: 'Save As…' }).first().click();
    const proposed = /[^/]+\.mp4$/;
    await workbench.quickInput.waitForText(proposed);
    await workbench.quickInput.accept();
    await workbench.statusBarItem(/Saved .*\.mp4/).waitFor();
    const [name = ''] = (await readdir(workbench.folder)).filter((file) => proposed.test(file));
    const saved = await readFile(join(workbench.folder, name));
    assert.equal(saved.toString('latin1', 4, 8), 'ftyp');
  });

  it('is shown as cancelled on its page and in the status bar, without a notification', async () => {
    await generate('A slow river. Take 90 seconds.');
    const task = await openTask('A slow river.');
    await task.getByRole('button', { name: 'Cancel Task' }).click();
    await workbench.statusBarItem(/Cancelled .*A slow river/).waitFor();
    await task.getByText('Cancelled').first().waitFor();
    assert.equal(await workbench.notification('cancelled').count(), 0);
    await workbench.screenshot('tasks/cancelled');
  });

  it('is shown on its open page when it completes', async () => {
    await generate('Its page: a cloud. Take 5 minutes.');
    const task = await openTask('Its page: a cloud. ');
    await task.getByRole('button', { name: 'Cancel Task' }).waitFor();
    await workbench.closeSideBar();
    endDemoVideos(workbench, 'Its page');
    await task.locator('video').waitFor({ timeout: timeoutMs });
    await workbench.screenshot('tasks/ended-on-its-page');
    await workbench.runCommand('Model Gateway: Show Tasks');
  });

  it('shares one notification with others that complete at the same time, and has none while it is on the screen', async () => {
    await generate('Seen: a cloud. Take 1 second.');
    await row('Seen: a cloud. ').filter({ hasText: 'saved' }).waitFor({ timeout: timeoutMs });
    const page = await workbench.webview('Generate');
    await page.getByRole('button', { name: 'One More' }).click();
    await generate('Later: a cloud. Take 5 minutes.');
    await page.getByRole('button', { name: 'One Less' }).click();
    await workbench.hideExtension();
    endDemoVideos(workbench, 'Later');
    const notification = workbench.notification('2 videos completed');
    await notification.waitFor({ timeout: timeoutMs });
    await workbench.screenshot('tasks/told-of-several');
    // Notifications of later tasks are shown, so one of this task would be shown by now.
    for (const text of ['Its page', 'Seen', 'Completed: Later'])
      assert.equal(await workbench.countNotifications(text), 0);
    await workbench.runCommand('Model Gateway: Show Tasks');
  });

  it('is previewed by a click on its row, which keeps the focus, and kept open by a double click or Enter', async () => {
    const tabs = workbench.tab(/^(?:Seen|Later|Its page|A slow)/);
    const keepOpen = workbench.page.getByRole('button', { name: /^Keep Task Open/ });
    await openRow(workbench, row('Seen: a cloud. '), /^Seen/);
    await keepOpen.waitFor();
    const opened = await tabs.count();
    await workbench.screenshot('tasks/preview');
    await row('Later: a cloud. ').first().click();
    await workbench.webview(/^Later/);
    await waitForValue(() => tabs.count(), opened);
    await workbench.page.locator('.monaco-list:focus').waitFor();
    await row('Seen: a cloud. ').dblclick();
    await workbench.webview(/^Seen/);
    await keepOpen.waitFor({ state: 'detached' });
    await row('Later: a cloud. ').first().click();
    await workbench.webview(/^Later/);
    await waitForValue(() => tabs.count(), opened + 1);
    await workbench.page.keyboard.press('Enter');
    await keepOpen.waitFor({ state: 'detached' });
  });

  it('continues when it cannot be cancelled, and the notification has the gateway’s reason', async () => {
    await generate('A stone. Cannot be cancelled. Take 60 seconds.');
    const task = await openTask('A stone. Cannot');
    await task.getByRole('button', { name: 'Cancel Task' }).click();
    const refusal = workbench.notification(/cannot be cancelled/i);
    await refusal.getByRole('button', { name: 'Try Again' }).click();
    // The first notification closed with its button; this one belongs to the second attempt.
    await refusal.getByRole('button', { name: 'Try Again' }).waitFor();
    await task
      .getByText(/Queued|Running/)
      .first()
      .waitFor();
  });

  it('is deleted at the gateway after a confirmation, and then removed from the list', async () => {
    await generate('A green field. Take 1 second.');
    await row('A green field.').filter({ hasText: 'saved' }).waitFor({ timeout: timeoutMs });
    await workbench.contextMenu(row('A green field.'), 'Delete Task at the Gateway…');
    await workbench.dialog().getByText('Results saved here: 1 of 1').waitFor();
    await workbench.screenshot('tasks/delete');
    await workbench.dialog().getByRole('button', { name: 'Delete at the Gateway' }).click();
    const notification = workbench.notification('The gateway has deleted the task');
    await notification.getByRole('button', { name: 'Remove from This List' }).click();
    await row('A green field.').waitFor({ state: 'detached' });
  });

  it('is shown as failed in its row and on its page when a content filter stops it', async () => {
    await generate('A quick fox. Fail with content filter. Take 1 second.');
    await row('A quick fox.').filter({ hasText: 'A filter stopped' }).waitFor({ timeout: timeoutMs });
    const task = await openTask('A quick fox.');
    await task.getByText('The task failed', { exact: true }).waitFor();
    await workbench.screenshot('tasks/failed');
  });

  it('T18 needs a confirmation if more than four are requested at once, and is not created without it', async () => {
    await workbench.runCommand('Model Gateway: New Video');
    const page = await workbench.webview('Generate');
    await page.getByRole('textbox', { name: 'Prompt', exact: true }).fill('Six kites over the sea');
    for (let more = 0; more < 5; more++) await page.getByRole('button', { name: 'One More' }).click();
    await page.getByRole('button', { name: 'Generate 6' }).click();
    await workbench.dialog().getByText('Send 6 requests to Local gateway?').waitFor();
    await workbench.screenshot('tasks/many');
    await workbench.dialog().getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('button', { name: 'Generate 6' }).waitFor();
    assert.equal(await row('Six kites over the sea').count(), 0);
    for (let more = 0; more < 5; more++) await page.getByRole('button', { name: 'One Less' }).click();
  });

  it('leaves the step to connect to a gateway checked in the walkthrough', async () => {
    await workbench.runCommand('Model Gateway: Get Started');
    const step = workbench.page.locator('.getting-started-step').filter({ hasText: 'Connect to a Gateway' });
    await step.getByRole('checkbox', { checked: true }).waitFor();
    await workbench.screenshot('tasks/first-steps');
  });
});
