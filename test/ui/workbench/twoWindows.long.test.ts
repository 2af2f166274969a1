import assert from 'node:assert/strict';
import { endDemoVideos } from '../../support/demoVideos.ts';
import {
  createTextChunk,
  type ScriptedGateway,
  startScriptedGateway,
} from '../../support/scriptedGateway.ts';
import { Workbench } from '../../support/workbench.ts';

const timeoutMs = 90_000;

describe('two windows', () => {
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

  it('F84 both list a task of one of them, and only one notifies when it ends', async () => {
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

  it('F85 complete a task when the one that created it closes', async () => {
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

describe('a spending limit of two windows', () => {
  let first: Workbench;
  let gateway: ScriptedGateway;
  const { promise: mayReply, resolve: letReply } = Promise.withResolvers<void>();
  const sent = () => gateway.requests.filter(({ path }) => path.endsWith('/chat/completions')).length;

  before(async () => {
    gateway = await startScriptedGateway(['m-1'], async (response) => {
      await mayReply;
      response.setHeader('content-type', 'text/event-stream');
      response.end(`${createTextChunk('The one reply.', 'stop')}data: [DONE]\n\n`);
    });
    const settings = {
      // A request without a limit of its output reserves 16,384 tokens.
      'modelGateway.spendingLimits': [{ name: 'Shared limit', per: 'day', tokens: 20_000 }],
      'workbench.quickOpen.closeOnFocusLost': false,
    };
    first = await Workbench.open({ name: 'two-windows-limit', settings });
    await first.runCommand('Model Gateway: Connect to a Gateway…');
    await first.quickInput.fill(gateway.baseUrl);
    await first.quickInput.accept();
    await first.page.locator('.quick-input-box input[type=password]').waitFor();
    // The windows do not share secrets in a browser.
    await first.quickInput.accept();
  });

  after(async () => {
    await first?.close();
    await gateway?.close();
  });

  it('allows only one of two requests that both windows send at once', async () => {
    const second = await first.openAnotherWindow();
    await second.runCommand('Model Gateway: New Chat');
    const chats = await Promise.all([first, second].map((window) => window.webview('New Chat')));
    for (const chat of chats) {
      await chat.getByRole('button', { name: 'Model: m-1' }).waitFor();
      await chat.getByRole('textbox', { name: 'Message' }).fill('Who is first?');
    }
    await Promise.all(chats.map((chat) => chat.getByRole('textbox', { name: 'Message' }).press('Enter')));
    await Promise.any(
      chats.map((chat) => chat.getByText('may use the rest of the spending limit').first().waitFor()),
    );
    assert.equal(sent(), 1);
    letReply();
    await Promise.any(chats.map((chat) => chat.getByText('The one reply.').first().waitFor()));
    assert.equal(sent(), 1);
  });
});
