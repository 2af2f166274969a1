import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Locator } from 'playwright-core';
import { Workbench } from '../../support/workbench.ts';
import { waitForKeyFocus } from '../../support/workbenchChat.ts';
import { waitForValue } from '../page/support/waits.ts';

/** A gateway whose tasks run until they are cancelled, and are gone once they are deleted. */
class PatientGateway {
  readonly cancelled = new Set<string>();
  readonly deleted = new Set<string>();
  readonly #server: Server;
  createdCount = 0;

  constructor() {
    this.#server = createServer((request, response) => this.#answer(request, response));
  }

  async open(): Promise<string> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }

  #answer({ method, url = '' }: IncomingMessage, response: ServerResponse): void {
    const respond = (status: number, body: object) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    if (url === '/v1/models') return void respond(200, { object: 'list', data: [{ id: 'a-video' }] });
    if (url === '/v1/model/info') return void respond(404, { detail: 'Not Found' });
    if (url.startsWith('/v1/tasks?') || url === '/v1/tasks') return void respond(200, { data: [] });
    const id = /^\/v1\/tasks\/([^/]+)/.exec(url)?.[1] ?? `task-${++this.createdCount}`;
    if (url.endsWith('/cancel')) this.cancelled.add(id);
    if (method === 'DELETE') this.deleted.add(id);
    if (this.deleted.has(id))
      return void respond(404, { error: { message: `The task ${id} was not found` } });
    respond(200, { id, object: 'task', status: this.cancelled.has(id) ? 'cancelled' : 'running' });
  }
}

describe('videos at a connected gateway', () => {
  const gateway = new PatientGateway();
  let workbench: Workbench;

  before(async () => {
    const baseUrl = await gateway.open();
    workbench = await Workbench.open({ name: 'videos', viewport: { width: 1400, height: 900 } });
    await workbench.activity('Model Gateway').click();
    await workbench.runCommand('Model Gateway: Connect to a Gateway…');
    await workbench.quickInput.fill(baseUrl);
    await workbench.quickInput.accept();
    await workbench.page.locator('.quick-input-box input[type=password]').waitFor();
    await workbench.quickInput.fill('test-credential');
    await workbench.quickInput.accept();
    const chat = await workbench.webview('New Chat');
    await waitForKeyFocus(chat.getByRole('textbox', { name: 'Message' }));
    await workbench.runCommand('Model Gateway: New Video');
    const page = await workbench.webview('Generate');
    for (const prompt of ['A boat', 'A kite', 'A lamp', 'A wave']) {
      const box = page.getByRole('textbox', { name: 'Prompt', exact: true });
      await box.fill(prompt);
      await box.press('Control+Enter');
      await tasks()
        .and(workbench.page.getByRole('treeitem', { name: `Running, ${prompt}` }))
        .waitFor();
    }
  });

  after(async () => {
    await workbench.close();
    await gateway.close();
  });

  /** The rows of tasks, newest first. */
  function tasks(): Locator {
    return workbench.treeRows('Tasks').filter({ hasText: /^A (?:boat|kite|lamp|wave)/ });
  }

  async function selectAll(): Promise<void> {
    await tasks().first().click();
    await workbench.webview('A wave');
    await tasks()
      .last()
      .click({ modifiers: ['Shift'] });
    await tasks().and(workbench.page.locator('[aria-selected=true]')).nth(3).waitFor();
  }

  it('are requested by Ctrl+Enter one after another, while the prompt keeps the focus', async () => {
    const page = await workbench.webview('Generate');
    await page.getByRole('status').getByText('Sent', { exact: true }).waitFor();
    const box = page.getByRole('textbox', { name: 'Prompt', exact: true });
    await waitForKeyFocus(box);
    await workbench.page.keyboard.type('s');
    await waitForValue(() => box.inputValue(), 'A waves');
    await box.fill('');
  });

  it('are not requested if image to video has no picture, which is reported at the frame', async () => {
    await workbench.runCommand('Model Gateway: New Video');
    const page = await workbench.webview('Generate');
    await page.getByRole('textbox', { name: 'Prompt', exact: true }).fill('A moth');
    await page.getByRole('button', { name: /^More/ }).click();
    await page.getByLabel('Kind of task', { exact: true }).selectOption('Image to video');
    await page.getByRole('button', { name: /^Generate/ }).click();
    const dropZone = page.locator('mg-frame-drop-zone');
    await dropZone.getByText('Image to video requires a picture').waitFor();
    await workbench.screenshot('tasks/needs-a-picture');
    assert.equal(gateway.createdCount, 4);
    assert.equal(await tasks().count(), 4);
    await page.getByLabel('Kind of task', { exact: true }).selectOption('Text to video');
    await dropZone.getByText('Image to video requires a picture').waitFor({ state: 'detached' });
  });

  it('are cancelled together after a confirmation with their number and names', async () => {
    await selectAll();
    await tasks().nth(1).click({ button: 'right' });
    await workbench.page.getByRole('menuitem', { name: 'Cancel Task' }).waitFor();
    assert.equal(await workbench.page.getByRole('menuitem', { name: 'Edit and Run Task Again…' }).count(), 0);
    await workbench.page.keyboard.press('Escape');
    await workbench.contextMenu(tasks().nth(1), 'Cancel Task');
    await workbench.dialog().getByText('Cancel 4 tasks?').waitFor();
    await workbench.dialog().getByText('“A wave”, “A lamp”, “A kite”, “A boat”').waitFor();
    await workbench.dialog().getByRole('button', { name: 'Cancel 4 tasks' }).click();
    await workbench
      .notification('The gateway received the request to cancel 4 tasks. Current status: 4 cancelled.')
      .waitFor();
    assert.equal(gateway.cancelled.size, 4);
    await tasks()
      .and(workbench.page.getByRole('treeitem', { name: /^Cancelled, / }))
      .nth(3)
      .waitFor();
  });

  it('are deleted together at the gateway', async () => {
    await selectAll();
    await workbench.contextMenu(tasks().nth(2), 'Delete Task at the Gateway…');
    await workbench
      .dialog()
      .getByText(/^Delete 4 tasks at 127/)
      .waitFor();
    await workbench.screenshot('tasks/delete-several');
    await workbench.dialog().getByRole('button', { name: 'Delete at the Gateway' }).click();
    // VS Code may have shown the notification in the centre at once, behind those of the tasks themselves.
    await workbench.runCommand('Notifications: Show Notifications');
    const centre = workbench.page.locator('.notifications-center');
    await centre.getByText(/The gateway has deleted 4 tasks/).waitFor();
    assert.equal(gateway.deleted.size, 4);
    await workbench.runCommand('Notifications: Clear All Notifications');
  });

  it('are removed from the list by Delete on every page, after a confirmation', async () => {
    const boat = tasks().filter({ hasText: 'A boat' });
    await boat.click();
    await workbench.webview('A boat');
    await tasks()
      .filter({ hasText: 'A lamp' })
      .click({ modifiers: ['Control'] });
    await boat.click({ modifiers: ['Control'] });
    await workbench.page.keyboard.press('Delete');
    await workbench.dialog().getByText('Remove “A lamp” from the list?').waitFor();
    await workbench.dialog().getByRole('button', { name: 'Remove', exact: true }).click();
    await tasks().nth(3).waitFor({ state: 'detached' });
    await tasks().first().click();
    await workbench.webview('A wave');
    await tasks()
      .last()
      .click({ modifiers: ['Shift'] });
    await workbench.page.keyboard.press('Delete');
    await workbench.dialog().getByText('Remove 3 tasks from the list?').waitFor();
    await workbench.dialog().getByRole('button', { name: 'Remove', exact: true }).click();
    await tasks().first().waitFor({ state: 'detached' });
  });
});
