import assert from 'node:assert/strict';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { FrameLocator } from 'playwright-core';
import {
  createTextChunk,
  type ScriptedGateway,
  startScriptedGateway,
} from '../../support/scriptedGateway.ts';
import { poll, Workbench } from '../../support/workbench.ts';
import { findAccessibilityFaults } from '../page/support/accessibility.ts';

/** A question whose replies never end. */
const slowly = 'Slowly, please?';

const models = ['blue/three', 'green/two', 'red/one'];

describe('compared models', () => {
  let workbench: Workbench;
  let gateway: ScriptedGateway;
  let chat: FrameLocator;

  before(async () => {
    gateway = await startScriptedGateway([...models], (response, { body }) => {
      const { model, messages } = JSON.parse(body);
      response.setHeader('content-type', 'text/event-stream');
      const [last] = messages.slice(-1);
      const isBegun = messages.some(({ content }: { readonly content: unknown }) => content === slowly);
      if (last.content === slowly) response.write(createTextChunk(`Half of it by ${model}, `));
      else if (isBegun && last.content !== 'And at the end?')
        response.end(createTextChunk('and the rest.', 'stop'));
      else response.end(createTextChunk(`${messages.length} messages came to **${model}**.`, 'stop'));
    });
    workbench = await Workbench.open({ name: 'compare', theme: 'light' });
    await workbench.activity('Model Gateway').click();
    await workbench.runCommand('Model Gateway: Connect to a Gateway…');
    await workbench.quickInput.fill(gateway.baseUrl);
    await workbench.quickInput.accept();
    await enterCredential();
    chat = await workbench.webview('New Chat');
  });

  after(async () => {
    await workbench.close();
    await gateway.close();
  });

  const button = (name: string) => chat.getByRole('button', { name, exact: true });
  const columns = () => chat.locator('mg-column');
  const requestCount = () => gateway.requests.filter(({ path }) => path !== '/v1/models').length;

  async function enterCredential(): Promise<void> {
    await workbench.page.locator('.quick-input-box input[type=password]').waitFor();
    await workbench.quickInput.fill('test-credential');
    await workbench.quickInput.accept();
  }

  /** There is no keyring here, so a reload forgets the credential. */
  async function setCredential(): Promise<void> {
    await workbench.runCommand('Model Gateway: Set Credential…');
    await enterCredential();
    await workbench.quickInput.waitUntilClosed();
  }

  async function assertAccessible(): Promise<void> {
    const page = await (await chat.locator('body').elementHandle())?.ownerFrame();
    const faults = await findAccessibilityFaults(page ?? assert.fail());
    assert.deepEqual(
      faults.filter((fault) => !fault.startsWith('document-title')),
      [],
    );
  }

  it('are chosen in a list, receive a question by one click, and reply side by side', async () => {
    await button('Compare Models…').click();
    const row = (model: string) =>
      workbench.quickInput.widget.locator('.monaco-list-row').filter({ hasText: model });
    await workbench.screenshot('compare/models');
    // The model of the chat is already chosen.
    await row('green/two').click();
    await row('red/one').click();
    await workbench.screenshot('compare/models-chosen');
    await workbench.quickInput.accept();
    await workbench.quickInput.waitUntilClosed();
    await chat.getByRole('textbox', { name: 'Message' }).fill('How many?');
    await workbench.screenshot('compare/ask');
    await button('Ask 3 Models').click();
    for (const model of models) {
      await chat
        .getByRole('region', { name: new RegExp(`^Reply \\d of 3: ${model}$`) })
        .getByText('1 messages came')
        .waitFor();
    }
    assert.equal(requestCount(), 3);
    await assertAccessible();
    await workbench.screenshot('compare/columns-light');
  });

  it('receive the next question together, and have the same columns after a reload', async () => {
    await chat.getByRole('textbox', { name: 'Message' }).fill('And now?');
    await button('Ask 3 Models').click();
    await chat.getByText('3 messages came').nth(2).waitFor();
    assert.equal(requestCount(), 6);
    await workbench.reload();
    chat = await workbench.webview(/^How many/);
    await chat.getByText('3 messages came').nth(2).waitFor();
    assert.equal(await columns().count(), 3);
    assert.equal(requestCount(), 6, 'a reload does not send a request');
    await workbench.setTheme('dark');
    await workbench.screenshot('compare/columns-dark');
  });

  it('are compared in the diff editor', async () => {
    await columns().nth(0).getByRole('button', { name: 'Compare with…' }).click();
    await workbench.quickInput.pick('red/one');
    await workbench.page.getByRole('tab', { name: /↔/ }).waitFor();
    await workbench.screenshot('compare/differences');
    await workbench.page.getByRole('tab', { name: /^How many/ }).click();
  });

  it('can be reduced to one reply to continue with, and shown side by side again after a reload', async () => {
    chat = await workbench.webview(/^How many/);
    await columns().nth(1).getByRole('button', { name: 'Continue with This Reply' }).click();
    await chat.getByRole('group', { name: 'Reply 2 of 3' }).waitFor();
    await button('Model: green/two. Choose another').waitFor();
    await workbench.reload();
    // VS Code may not have saved yet that the tab of the differences is no longer in front.
    await workbench.tab(/^How many/).click();
    chat = await workbench.webview(/^How many/);
    await chat.getByRole('group', { name: 'Reply 2 of 3' }).waitFor();
    assert.equal(await columns().count(), 0);
    await button('Show Side by Side').click();
    await chat.getByText('3 messages came').nth(2).waitFor();
    assert.equal(await columns().count(), 3);
    assert.equal(requestCount(), 6);
    await workbench.setTheme('highContrast');
    await assertAccessible();
    await workbench.screenshot('compare/columns-high-contrast');
  });

  it('come back stopped with their text after a crash, continue, and receive another question', async () => {
    await setCredential();
    chat = await workbench.webview(/^How many/);
    await chat.getByRole('textbox', { name: 'Message' }).fill(slowly);
    await button('Ask 3 Models').click();
    await chat.getByText('Half of it').nth(2).waitFor();
    await poll('the received pieces on disk', async () => countReplyPieces(workbench) >= 3 || undefined);
    await workbench.crash();
    chat = await workbench.webview(/^How many/);
    await chat.getByText('Stopped when its window closed').nth(2).waitFor();
    assert.equal(await columns().count(), 3);
    await workbench.screenshot('compare/columns-after-crash');
    await setCredential();
    chat = await workbench.webview(/^How many/);
    const before = requestCount();
    for (const [at, model] of models.entries()) {
      const column = columns().nth(at);
      await column.getByText(`Half of it by ${model},`).waitFor();
      await column.getByRole('button', { name: 'Continue', exact: true }).click();
      await column.getByText(/Half of it by .* and the rest\./).waitFor();
      await column.getByRole('button', { name: 'Continue with This Reply' }).waitFor();
    }
    assert.equal(requestCount(), before + 3);
    await workbench.page.getByRole('tab', { name: /^How many/ }).click({ button: 'middle' });
    await workbench.runCommand('Model Gateway: Reopen Closed Chat');
    chat = await workbench.webview(/^How many/);
    await chat.getByText('and the rest.').nth(2).waitFor();
    await chat.getByRole('textbox', { name: 'Message' }).fill('And at the end?');
    await button('Ask 3 Models').click();
    await chat
      .getByText(/messages came to/)
      .nth(8)
      .waitFor();
    assert.equal(await columns().count(), 3);
    assert.equal(requestCount(), before + 6);
    await workbench.screenshot('compare/columns-after-reopening');
  });
});

/** The number of pieces of arriving replies on disk. */
function countReplyPieces({ storage }: Workbench): number {
  const database = new DatabaseSync(join(storage, 'conversations.sqlite'), { readOnly: true });
  try {
    return Number(database.prepare('SELECT count(DISTINCT message) AS n FROM chunks').get()?.n);
  } finally {
    database.close();
  }
}
