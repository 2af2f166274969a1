import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Locator } from 'playwright-core';
import { poll, Workbench } from '../../support/workbench.ts';
import { waitForKeyFocus } from '../../support/workbenchChat.ts';

const command = 'command:workbench.action.files.newUntitledFile';

/** A text that is a link to a command in a notification, and an icon in a list, unless it is escaped. */
function createHostileText(label: string): string {
  return `$(trash) [${label}](${command} "go")`;
}

/** The escaped text: every word, without link and icon. */
function matchHarmless(label: string): RegExp {
  return new RegExp(`\\$ \\(trash\\) \\[${label}\\] \\(command:`);
}

/** Whether the text becomes visible within three seconds. */
function appears(words: Locator): Promise<boolean> {
  return words.waitFor({ timeout: 3000 }).then(
    () => true,
    () => false,
  );
}

/** Whether the text was stable long enough to be clicked. */
function clickIfStable(words: Locator): Promise<boolean> {
  return words.click({ position: { x: 14, y: 6 }, timeout: 3000 }).then(
    () => true,
    () => false,
  );
}

const model = `${createHostileText('Model')} video`;
const taskId = createHostileText('Task');

/** The longest interval between two polls of a running task, with a reserve. */
const pollMs = 40_000;

/** A gateway whose every text is an attack. */
class HostileGateway {
  refusing = true;
  failed = false;
  readonly #server: Server;

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
    const record = {
      id: taskId,
      object: 'task',
      type: 'video',
      model,
      ...(this.failed
        ? {
            status: 'failed',
            error: { code: createHostileText('Code'), message: createHostileText('Reason') },
          }
        : { status: 'running' }),
    };
    if (url === '/v1/models') {
      if (this.refusing) return void respond(401, { error: { message: createHostileText('Sign in again') } });
      return void respond(200, {
        object: 'list',
        data: [{ id: model, object: 'model', owned_by: createHostileText('Owner') }],
      });
    }
    if (url === '/v1/tasks' || url.startsWith('/v1/tasks?')) {
      return void respond(200, {
        object: 'list',
        data: [{ ...record, id: createHostileText('Elsewhere'), status: 'completed' }],
      });
    }
    if (url.endsWith('/cancel'))
      return void respond(409, { error: { message: createHostileText('Not cancelled') } });
    if (method === 'DELETE')
      return void respond(409, { error: { message: createHostileText('Not deleted') } });
    respond(200, record);
  }
}

describe('T9 hostile text from a gateway', () => {
  const gateway = new HostileGateway();
  let workbench: Workbench;
  let baseUrl: string;

  before(async () => {
    baseUrl = await gateway.open();
    const settings = { 'workbench.hover.delay': 500 };
    const viewport = { width: 1400, height: 900 };
    workbench = await Workbench.open({ name: 'hostile-words', viewport, settings });
    await workbench.activity('Model Gateway').click();
  });

  after(async () => {
    await workbench.close();
    await gateway.close();
  });

  /** Asserts that the text is shown as plain text, and that a click on it has no effect. */
  async function assertHarmless(surface: Locator, label: string): Promise<void> {
    const words = surface.getByText(matchHarmless(label)).last();
    await words.waitFor();
    assert.equal(await surface.locator('a[href]:not(.action-label)').count(), 0, `a link in ${label}`);
    assert.equal(await surface.locator('.codicon-trash').count(), 0, `an icon in ${label}`);
    await words.click({ position: { x: 14, y: 6 } });
    assert.equal(await workbench.tab(/Untitled/).count(), 0, `${label} opened an editor`);
  }

  /** As `assertHarmless`, in a row’s tooltip, which closes whenever its view is repainted and is then opened again. */
  async function assertHarmlessTooltip(row: Locator, label: string): Promise<void> {
    const tooltip = workbench.page.locator('.workbench-hover');
    const words = tooltip.getByText(matchHarmless(label)).last();
    await poll(`the tooltip with ${label}`, async () => {
      await workbench.page.mouse.move(700, 450);
      await row.hover();
      if (!(await appears(words))) return undefined;
      const links = await tooltip.locator('a[href]:not(.action-label)').count();
      const icons = await tooltip.locator('.codicon-trash').count();
      assert.deepEqual({ links, icons }, { links: 0, icons: 0 }, label);
      return (await clickIfStable(words)) || undefined;
    });
    assert.equal(await workbench.tab(/Untitled/).count(), 0, `${label} opened an editor`);
  }

  async function dismiss(notification: Locator): Promise<void> {
    await notification.hover();
    await notification.getByRole('button', { name: /Clear Notification/ }).click();
    await notification.waitFor({ state: 'detached' });
  }

  it('is plain text when a new credential is refused', async () => {
    await workbench.runCommand('Model Gateway: Connect to a Gateway…');
    await workbench.quickInput.fill(baseUrl);
    await workbench.quickInput.accept();
    await workbench.page.locator('.quick-input-box input[type=password]').waitFor();
    await workbench.quickInput.fill('test-credential');
    await workbench.quickInput.accept();
    const refusal = workbench.notification('The gateway refused the credential');
    await assertHarmless(refusal, 'Sign in again');
    await refusal.getByRole('button', { name: 'Save Anyway' }).click();
    const chat = await workbench.webview('New Chat');
    await waitForKeyFocus(chat.getByRole('textbox', { name: 'Message' }));
    const row = workbench.treeRows('Models').filter({ hasText: 'The gateway refused the credential' });
    await assertHarmlessTooltip(row, 'Sign in again');
  });

  it('is plain text when a connection check is refused', async () => {
    await workbench.runCommand('Model Gateway: Check Connection');
    const refusal = workbench.notification('The gateway refused the credential');
    await assertHarmless(refusal, 'Sign in again');
    await dismiss(refusal);
  });

  it('is plain text in model ids and owners, in the view, the picker and the status bar', async () => {
    gateway.refusing = false;
    await workbench.runCommand('Model Gateway: Refresh Models');
    await workbench
      .treeRows('Models')
      .filter({ hasText: matchHarmless('Owner') })
      .waitFor();
    const row = workbench.treeRows('Models').filter({ hasText: matchHarmless('Model') });
    await assertHarmlessTooltip(row, 'Model');
    await row.click();
    await workbench.page.keyboard.press('Control+C');
    await assertHarmless(workbench.page.locator('.statusbar'), 'Model');
    await workbench.runCommand('Model Gateway: Find Model…');
    await workbench.quickInput.options.filter({ hasText: matchHarmless('Model') }).waitFor();
    assert.equal(await workbench.quickInput.widget.locator('.codicon-trash').count(), 0);
    await workbench.page.keyboard.press('Escape');
  });

  it('is plain text in task ids, and in notifications of a failed cancel and delete', async () => {
    await workbench.runCommand('Model Gateway: New Video');
    const page = await workbench.webview('Generate');
    await page.getByRole('textbox', { name: 'Prompt', exact: true }).fill('A kite');
    await page.getByRole('button', { name: /^Generate/ }).click();
    const row = workbench.treeRows('Tasks').filter({ hasText: 'A kite' });
    await assertHarmlessTooltip(
      row.and(workbench.page.getByRole('treeitem', { name: /^Running, / })),
      'Task',
    );
    await workbench.contextMenu(row, 'Cancel Task');
    const notCancelled = workbench.notification(matchHarmless('Not cancelled'));
    await assertHarmless(notCancelled, 'Not cancelled');
    await dismiss(notCancelled);
    await workbench.contextMenu(row, 'Delete Task at the Gateway…');
    await workbench.dialog().getByRole('button', { name: 'Delete at the Gateway' }).click();
    const refusal = workbench.notification(matchHarmless('Not deleted'));
    await assertHarmless(refusal, 'Not deleted');
    await dismiss(refusal);
  });

  it('is plain text in the reason of a failed task, in its notification and tooltip', async () => {
    await workbench.closeSideBar();
    await workbench.runCommand('Model Gateway: New Chat');
    gateway.failed = true;
    const notification = workbench.notification('Failed: A kite');
    await notification.waitFor({ timeout: pollMs });
    await assertHarmless(notification, 'Reason');
    await dismiss(notification);
    await workbench.runCommand('Model Gateway: Show Tasks');
    const row = workbench.treeRows('Tasks').and(workbench.page.getByRole('treeitem', { name: /^Failed, / }));
    await assertHarmlessTooltip(row, 'Reason');
  });

  it('is plain text in the ids of tasks that were created elsewhere', async () => {
    await workbench.runCommand('Model Gateway: Refresh Tasks');
    const row = workbench.treeRows('Tasks').filter({ hasText: matchHarmless('Elsewhere') });
    await row.waitFor();
    assert.equal(await row.locator('a[href], .codicon-trash').count(), 0);
    // A click adopts the task.
    await row.filter({ hasText: 'created elsewhere' }).click();
    await row.filter({ hasText: 'created elsewhere' }).waitFor({ state: 'detached' });
  });
});
