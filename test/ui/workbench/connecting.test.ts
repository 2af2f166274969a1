import assert from 'node:assert/strict';
import type { FrameLocator } from 'playwright-core';
import {
  createTextChunk,
  type ScriptedGateway,
  startScriptedGateway,
} from '../../support/scriptedGateway.ts';
import { appears, poll, Workbench } from '../../support/workbench.ts';

const credential = 'canary-credential-of-the-second-gateway';

describe('the input of a secret', () => {
  let workbench: Workbench;
  let first: ScriptedGateway;
  let second: ScriptedGateway;
  let chat: FrameLocator;

  const start = () =>
    startScriptedGateway(['m-1'], (response) => {
      response.setHeader('content-type', 'text/event-stream');
      response.end(`${createTextChunk('Hello', 'stop')}data: [DONE]\n\n`);
    });

  before(async () => {
    [first, second] = await Promise.all([start(), start()]);
    workbench = await Workbench.open({ name: 'connecting' });
    await connectTo(first.baseUrl, 'canary-first');
    chat = await workbench.webview('New Chat');
    await chat.getByRole('textbox', { name: 'Message' }).click();
  });

  after(async () => {
    await workbench?.close();
    await Promise.all([first?.close(), second?.close()]);
  });

  async function connectTo(baseUrl: string, secret: string) {
    const { quickInput } = workbench;
    await workbench.runCommand('Model Gateway: Connect to a Gateway…');
    await quickInput.fill(baseUrl);
    await quickInput.accept();
    await passwordBox().waitFor();
    await quickInput.fill(secret);
    await quickInput.accept();
    await workbench.webview('New Chat');
  }

  const passwordBox = () => workbench.page.locator('.quick-input-box input[type=password]');
  const resumeButton = () =>
    workbench.notification('was not completed').getByRole('button', { name: 'Resume' });
  const listPaidRequests = () =>
    [...first.requests, ...second.requests].filter(({ path }) => path !== '/v1/models');

  /** Types without waiting for the page to handle a key. */
  async function typeAtOnce(text: string) {
    const keys = await workbench.page.context().newCDPSession(workbench.page);
    const presses = [...text].map((character) =>
      character === '\n'
        ? keys.send('Input.dispatchKeyEvent', {
            type: 'keyDown',
            key: 'Enter',
            code: 'Enter',
            text: '\r',
            windowsVirtualKeyCode: 13,
          })
        : keys.send('Input.dispatchKeyEvent', { type: 'keyDown', key: character, text: character }),
    );
    await Promise.all(presses);
    await keys.detach();
  }

  async function assertNothingReachedTheChat() {
    const boxes = await Promise.all(
      workbench.page.frames().map((frame) => frame.getByRole('textbox', { name: 'Message' }).all()),
    );
    for (const box of boxes.flat()) assert.equal(await box.inputValue(), '');
    assert.deepEqual(listPaidRequests(), [], 'a request to a model was sent');
  }

  const waysToType = {
    'one after another': async (text: string) => workbench.page.keyboard.type(text, { delay: 5 }),
    'before VS Code reports the first Enter': typeAtOnce,
  };
  for (const [way, type] of Object.entries(waysToType)) {
    it(`P1 keeps the keys of two steps out of the chat when they come ${way}`, async () => {
      const { quickInput } = workbench;
      await second.close();
      second = await start();
      await workbench.runCommand('Model Gateway: Connect to a Gateway…');
      await quickInput.waitForText(/^$/);
      await type(`${second.baseUrl}\n${credential}\n`);
      const again = quickInput.message.filter({ hasText: 'Enter the whole text again' });
      await poll(
        'a request, or the message to enter the text again',
        async () => second.requests[0] ?? appears(again),
      );
      await assertNothingReachedTheChat();
      if (second.requests.length === 0) {
        assert.equal(await quickInput.input.inputValue(), '');
        await quickInput.fill(credential);
        await quickInput.accept();
      }
      await quickInput.waitUntilClosed();
      await poll('the credential at the gateway', async () => second.requests[0]);
      assert.equal(second.requests[0]?.authorization, `Bearer ${credential}`);
      chat = await workbench.webview('New Chat');
    });
  }

  it('P1 closes when another element takes the focus, and continues with the typed text', async () => {
    const { page, quickInput } = workbench;
    await workbench.runCommand('Model Gateway: Connect to a Gateway…');
    await quickInput.fill(second.baseUrl);
    await quickInput.accept();
    await passwordBox().waitFor();
    await quickInput.fill(credential.slice(0, 10));
    await chat.getByRole('textbox', { name: 'Message' }).click();
    await quickInput.waitUntilClosed();
    await workbench.screenshot('connecting/left');
    await poll('the input with the typed text', async () => {
      // The chat may take the focus once more when the notification closes.
      if (await appears(resumeButton())) await resumeButton().click();
      await appears(passwordBox().and(page.locator(':focus')));
      const typed = (await quickInput.widget.isVisible()) && (await quickInput.input.inputValue());
      return typed === credential.slice(0, 10) || undefined;
    });
    await quickInput.cancel();
    await quickInput.waitUntilClosed();
    assert.equal(
      await workbench.notification('was not completed').count(),
      0,
      'Escape does not show a notification',
    );
    await assertNothingReachedTheChat();
  });

  it('P1 reopens with its text when the user returns from another window', async () => {
    const { page, quickInput } = workbench;
    await workbench.runCommand('Model Gateway: Connect to a Gateway…');
    await quickInput.fill('gateway.ex');
    await setWindowFocus(true);
    await quickInput.waitUntilClosed();
    await setWindowFocus(false);
    await quickInput.input.and(page.locator(':focus')).waitFor();
    assert.equal(await quickInput.input.inputValue(), 'gateway.ex');
    assert.equal(await workbench.notification('was not completed').count(), 0);
    await quickInput.cancel();
    await quickInput.waitUntilClosed();
  });

  it('P1 keeps the focus and all keys while a chat opens late', async () => {
    const { page, quickInput } = workbench;
    const { promise, resolve } = Promise.withResolvers<void>();
    const slow = await startScriptedGateway(['m-2'], () => {}, undefined, promise);
    await workbench.runCommand('Model Gateway: Connect to a Gateway…');
    await quickInput.fill(slow.baseUrl);
    await quickInput.accept();
    await passwordBox().waitFor();
    await quickInput.fill('canary-slow');
    await quickInput.accept();
    await workbench.notification('Connecting to').waitFor();
    await workbench.runCommand('Model Gateway: Connect to a Gateway…');
    await quickInput.fill('gateway.');
    resolve();
    await poll('the late chat', async () => {
      for (const frame of page.frames())
        if (await appears(frame.getByRole('button', { name: 'Model: m-2' }))) return true;
      return undefined;
    });
    await page.keyboard.type('example');
    assert.equal(await quickInput.input.inputValue(), 'gateway.example');
    await quickInput.cancel();
    await quickInput.waitUntilClosed();
    await assertNothingReachedTheChat();
    await slow.close();
  });

  it('P1 keeps keys out of the chat while the local gateway starts, before the first step is shown', async () => {
    const { page, quickInput } = workbench;
    await chat.getByRole('textbox', { name: 'Message' }).click();
    await workbench.runCommand('Model Gateway: Add Upstream…');
    await workbench.allowLocalGateway();
    await page.keyboard.type(credential);
    await page.getByPlaceholder('Which kind of upstream?').waitFor();
    await assertNothingReachedTheChat();
    await quickInput.cancel();
    await quickInput.waitUntilClosed();
  });

  /** Simulates the browser's events when another window comes to the front. */
  async function setWindowFocus(isLeft: boolean) {
    await workbench.page.evaluate((left) => {
      document.hasFocus = () => !left;
      const type = left ? 'blur' : 'focus';
      document.activeElement?.dispatchEvent(new FocusEvent(type));
      window.dispatchEvent(new FocusEvent(type));
    }, isLeft);
    const noticed = workbench.page.locator(`.part.titlebar${isLeft ? '.inactive' : ':not(.inactive)'}`);
    await noticed.waitFor();
  }
});
