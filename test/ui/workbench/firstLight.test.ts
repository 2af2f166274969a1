import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import type { FrameLocator } from 'playwright-core';
import { definePictureTest } from '../../support/pictures.ts';
import {
  createTextChunk,
  type ScriptedGateway,
  startScriptedGateway,
} from '../../support/scriptedGateway.ts';
import { poll, Workbench } from '../../support/workbench.ts';
import { waitForKeyFocus } from '../../support/workbenchChat.ts';

describe('in a fresh VS Code', () => {
  let workbench: Workbench;

  before(async () => {
    workbench = await Workbench.open({ name: 'first-light', theme: 'light' });
  });

  after(() => workbench.close());

  describe('with the demo, by mouse,', () => {
    let chat: FrameLocator;

    it('the welcome view offers to connect to a gateway', async () => {
      await workbench.activity('Model Gateway').click();
      await workbench.page.getByRole('button', { name: 'Connect to a Gateway…' }).waitFor();
      await workbench.screenshot('first-light/welcome');
    });

    it('the empty Chats view shows that chats are saved on the remote machine', async () => {
      const { page } = workbench;
      await page.getByText('saved here automatically, on the remote machine').waitFor();
    });

    it('the welcome view opens the walkthrough, which can start the demo', async () => {
      await workbench.page.getByText('Get Started', { exact: true }).click();
      const step = (name: string) =>
        workbench.page.locator('.getting-started-step').filter({ hasText: name });
      for (const name of ['Ask a Model', 'Make a Video']) await step(name).waitFor();
      await workbench.screenshot('first-light/walkthrough');
      await step('Connect to a Gateway').getByRole('button', { name: 'Try the Demo' }).click();
      await workbench.allowLocalGateway();
    });

    it('the Models view lists the demo models, and the status bar shows the gateway', async () => {
      await workbench.treeRows('Models').filter({ hasText: 'demo/chat' }).waitFor();
      await workbench.statusBarItem('Local gateway').waitFor();
    });

    it('a chat opens, and a click on a model chooses it', async () => {
      chat = await workbench.webview('New Chat');
      await chat.getByRole('button', { name: 'Model: demo/chat' }).waitFor();
      await workbench.treeRows('Models').filter({ hasText: 'demo/reasoning' }).click();
      await chat.getByRole('button', { name: 'Model: demo/reasoning' }).waitFor();
      await workbench.treeRows('Models').filter({ hasText: 'demo/chat' }).click();
      await chat.getByRole('button', { name: 'Model: demo/chat' }).waitFor();
      await workbench.screenshot('first-light/new-chat');
      await workbench.treeRows('Models').filter({ hasText: 'demo/video' }).click();
      const page = await workbench.webview('Generate');
      await page.getByRole('textbox', { name: 'Prompt', exact: true }).waitFor();
      await workbench.tab('New Chat').click();
      chat = await workbench.webview('New Chat');
    });

    it('a reply is streamed as Markdown, with its figures', async () => {
      await chat.getByRole('textbox', { name: 'Message' }).fill('Show me a table and some TypeScript code');
      await chat.getByRole('button', { name: 'Send' }).click();
      await chat.getByRole('button', { name: 'Stop' }).waitFor();
      await chat.locator('.figures', { hasText: 'complete' }).waitFor({ timeout: 30_000 });
      await chat.getByRole('table').first().waitFor();
      await chat.locator('.code-block .token-keyword').first().waitFor();
      const figures = await chat.locator('.figures span').allTextContents();
      assert.match(
        figures.join(' · '),
        /^\d+ tokens in, \d+ out · first token .* tok\/s · complete · about \$0$/,
      );
      await workbench.screenshot('first-light/reply-light');
    });

    definePictureTest('the reply looks right in dark, in high contrast and in a narrow window', async () => {
      await workbench.setTheme('dark');
      await workbench.screenshot('first-light/reply-dark');
      await workbench.setTheme('highContrast');
      await workbench.screenshot('first-light/reply-high-contrast');
      await workbench.setTheme('light');
      await workbench.page.setViewportSize({ width: 640, height: 800 });
      await workbench.screenshot('first-light/reply-narrow');
      await workbench.page.setViewportSize({ width: 1280, height: 800 });
    });

    it('the conversation is kept while its tab is hidden', async () => {
      await workbench.runCommand('File: New Untitled Text File');
      await workbench.tab('Show me a table').click();
      chat = await workbench.webview('Show me a table and some TypeScript code');
      await chat.locator('.figures', { hasText: 'complete' }).waitFor();
      await chat.getByRole('table').first().waitFor();
    });

    it('Ctrl+F searches the conversation, also by regular expression', async () => {
      const message = chat.getByRole('textbox', { name: 'Message' });
      await message.press('Control+f');
      const box = chat.getByRole('search').getByRole('textbox', { name: 'Find' });
      await waitForKeyFocus(box);
      await workbench.page.keyboard.type('Here is your');
      await chat.getByRole('search').getByText('1 of 1').waitFor();
      const heading = chat.getByRole('heading', { name: 'Here is your message' });
      await poll('a match on the screen', async () => {
        const top = await heading.evaluate((each) => each.getBoundingClientRect().top);
        return top > 50 || undefined;
      });
      await workbench.screenshot('first-light/found');
      await workbench.page.keyboard.press('Alt+r');
      await box.fill('^here is \\w+');
      await chat.getByRole('search').getByText('1 of 1').waitFor();
      await box.fill('here (is');
      await chat.getByText('Invalid regular expression: Unterminated group').waitFor();
      await box.fill('here (?=is)');
      await chat.getByRole('search').getByText('1 of 1').waitFor();
      await workbench.screenshot('first-light/found-expression');
      assert.equal(await workbench.page.locator('.simple-find-part.visible').count(), 0);
      await workbench.page.keyboard.press('Escape');
      await waitForKeyFocus(message);
    });

    it('a closed chat is reopened by its key, and the status bar shows how', async () => {
      await workbench
        .tab('Show me a table')
        .getByRole('button', { name: /^Close/ })
        .click();
      await workbench.statusBarItem(/Reopen Closed Chat/).waitFor();
      await workbench.page.keyboard.press('Control+Alt+Shift+g');
      chat = await workbench.webview('Show me a table and some TypeScript code');
      await chat.getByRole('table').first().waitFor();
      await waitForKeyFocus(chat.getByRole('textbox', { name: 'Message' }));
    });

    it('a failed request is explained, and sent again by a click', async () => {
      await chat.getByRole('textbox', { name: 'Message' }).fill('fail with 429');
      await chat.getByRole('textbox', { name: 'Message' }).press('Enter');
      const notice = chat.locator('mg-turn').last().locator('.notice');
      await notice.getByText('The gateway limits the request rate').waitFor();
      await workbench.screenshot('first-light/failure');
      const id = notice.locator('.request-id').first();
      const before = await id.textContent();
      await notice.getByRole('button', { name: 'Ask Again' }).click();
      await poll('another request', async () => (await id.textContent()) !== before || undefined);
      await notice.getByText('The gateway limits the request rate').waitFor();
      assert.equal(await chat.locator('mg-turn').count(), 2);
    });
  });

  describe('with a connected gateway, by keyboard,', () => {
    let gateway: ScriptedGateway;
    let playing = Promise.withResolvers<ServerResponse>();
    let chat: FrameLocator;

    before(async () => {
      gateway = await startScriptedGateway(['own/model'], (response) => {
        response.setHeader('content-type', 'text/event-stream');
        playing.resolve(response);
      });
    });

    after(() => gateway.close());

    it('the address is used without its pasted route, the credential is masked, and the window connects', async () => {
      await workbench.runCommand('Model Gateway: Connect to a Gateway…');
      await workbench.quickInput.fill(`${gateway.baseUrl}/v1`);
      await workbench.quickInput.accept();
      const box = workbench.page.locator('.quick-input-box input[type=password]');
      await box.waitFor();
      assert.equal(await box.inputValue(), '');
      await workbench.screenshot('first-light/connect-credential');
      await workbench.quickInput.fill('"Bearer test-credential"');
      await workbench.quickInput.accept();
      await workbench.statusBarItem(/Connected to .*: 1 model\./).waitFor();
      await workbench.treeRows('Models').filter({ hasText: 'own/model' }).waitFor();
      assert.ok(gateway.requests.every(({ authorization }) => authorization === 'Bearer test-credential'));
    });

    it('Escape stops an arriving reply, and closes the socket to the gateway', async () => {
      await workbench.page.keyboard.press('Control+Alt+g');
      chat = await workbench.webview('New Chat');
      const box = chat.getByRole('textbox', { name: 'Message' });
      await waitForKeyFocus(box);
      await workbench.page.keyboard.type('Hello');
      await workbench.page.keyboard.press('Enter');
      // If VS Code returned the focus late, the keys count as typed for another part of the window.
      const again = chat.getByText('Press Enter again to send it.').waitFor();
      await Promise.race([playing.promise, again.then(() => workbench.page.keyboard.press('Enter'))]);
      const response = await playing.promise;
      response.write(createTextChunk('Half of a **reply**'));
      await chat.locator('strong', { hasText: 'reply' }).waitFor();
      const closed = once(response, 'close');
      await box.press('Escape');
      await closed;
      await chat.getByText('Stopped', { exact: true }).first().waitFor();
      await chat.locator('strong', { hasText: 'reply' }).waitFor();
      await workbench.screenshot('first-light/stopped');
    });

    it('a reply that was cut off shows a notice and keeps its text', async () => {
      playing = Promise.withResolvers();
      const box = chat.getByRole('textbox', { name: 'Message' });
      await box.fill('Again');
      await box.press('Enter');
      (await playing.promise).end(createTextChunk('Only this much'));
      const turn = chat.locator('mg-turn').last();
      await turn.getByText('before it was finished').waitFor();
      await turn.getByText('Only this much').waitFor();
      await workbench.screenshot('first-light/cut-off');
    });

    it('F63 a streaming reply stays complete while its tab is hidden, scrolled and resized', async () => {
      playing = Promise.withResolvers();
      await chat.getByRole('textbox', { name: 'Message' }).fill('At length');
      await chat.getByRole('textbox', { name: 'Message' }).press('Enter');
      const response = await playing.promise;
      let sent = '';
      const write = (text: string) => {
        sent += text;
        response.write(createTextChunk(text));
      };
      const assertComplete = async (end: string) => {
        const text = chat.locator('mg-turn').last().locator('.reply-text');
        await text.getByText(end).waitFor({ state: 'attached' });
        assert.equal((await text.textContent())?.replace(/\s/g, ''), sent.replace(/\s/g, ''));
      };
      write(`${'A paragraph.\n\n'.repeat(60)}The first part.\n\n`);
      await assertComplete('The first part.');
      await workbench.runCommand('File: New Untitled Text File');
      write('Written while hidden.\n\n');
      await workbench.tab('Hello').click();
      chat = await workbench.webview('Hello');
      await assertComplete('Written while hidden.');
      await chat.locator('.turns').hover();
      await workbench.page.mouse.wheel(0, -500);
      await chat.getByRole('button', { name: 'Jump to End' }).waitFor();
      write('Written while scrolled.\n\n');
      await assertComplete('Written while scrolled.');
      await workbench.page.setViewportSize({ width: 640, height: 800 });
      await chat.getByRole('button', { name: 'Jump to End' }).click();
      write('Written while small.\n\n');
      await assertComplete('Written while small.');
      await workbench.page.setViewportSize({ width: 1280, height: 800 });
      response.end();
      await chat.locator('mg-turn').last().getByText('before it was finished').waitFor();
      await assertComplete('Written while small.');
    });

    it('a refused connection is reported, with a button to change the address', async () => {
      const elsewhere = await startScriptedGateway([], () => {});
      await elsewhere.close();
      await workbench.runCommand('Model Gateway: Connect to a Gateway…');
      await workbench.quickInput.fill(elsewhere.baseUrl);
      await workbench.quickInput.accept();
      await workbench.page.locator('.quick-input-box input[type=password]').waitFor();
      await workbench.quickInput.fill('test-credential');
      await workbench.quickInput.accept();
      const failure = workbench.notification('refuses connections');
      await failure.getByRole('button', { name: 'Change Address…' }).waitFor();
      await workbench.screenshot('first-light/unreachable');
    });
  });
});
