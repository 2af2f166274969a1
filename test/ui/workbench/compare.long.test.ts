import assert from 'node:assert/strict';
import type { FrameLocator } from 'playwright-core';
import { type ScriptedGateway, startScriptedGateway, textChunk } from '../../support/scriptedGateway.ts';
import { Workbench } from '../../support/workbench.ts';
import { accessibilityFaults } from '../page/support/accessibility.ts';

const models = ['blue/three', 'green/two', 'red/one'];

describe('models that are compared', () => {
  let workbench: Workbench;
  let gateway: ScriptedGateway;
  let chat: FrameLocator;

  before(async () => {
    gateway = await startScriptedGateway([...models], (response, { body }) => {
      const { model, messages } = JSON.parse(body);
      response.setHeader('content-type', 'text/event-stream');
      response.end(textChunk(`${messages.length} messages came to **${model}**.`, 'stop'));
    });
    workbench = await Workbench.open({ name: 'compare', theme: 'light' });
    await workbench.activity('Model Gateway').click();
    await workbench.runCommand('Model Gateway: Connect to a Gateway…');
    await workbench.quickInput.fill(gateway.baseUrl);
    await workbench.quickInput.accept();
    await workbench.page.locator('.quick-input-box input[type=password]').waitFor();
    await workbench.quickInput.fill('test-credential');
    await workbench.quickInput.accept();
    chat = await workbench.webview('New Chat');
  });

  after(async () => {
    await workbench.close();
    await gateway.close();
  });

  const button = (name: string) => chat.getByRole('button', { name, exact: true });
  const columns = () => chat.locator('mg-column');
  const asked = () => gateway.requests.filter(({ path }) => path !== '/v1/models').length;

  async function accessible(): Promise<void> {
    const page = await (await chat.locator('body').elementHandle())?.ownerFrame();
    const faults = await accessibilityFaults(page ?? assert.fail());
    assert.deepEqual(
      faults.filter((fault) => !fault.startsWith('document-title')),
      [],
    );
  }

  it('are chosen in a list, asked by one click, and answer side by side', async () => {
    await button('Compare Models…').click();
    const row = (model: string) =>
      workbench.quickInput.widget.locator('.monaco-list-row').filter({ hasText: model });
    await workbench.screenshot('compare/models');
    // The model of the chat is chosen already.
    await row('green/two').click();
    await row('red/one').click();
    await workbench.screenshot('compare/models-chosen');
    await workbench.quickInput.accept();
    await workbench.quickInput.closed();
    await chat.getByRole('textbox', { name: 'Message' }).fill('How many?');
    await workbench.screenshot('compare/ask');
    await button('Ask 3 Models').click();
    for (const model of models) {
      await chat
        .getByRole('region', { name: new RegExp(`^Answer \\d of 3: ${model}$`) })
        .getByText('1 messages came')
        .waitFor();
    }
    assert.equal(asked(), 3);
    await accessible();
    await workbench.screenshot('compare/columns-light');
  });

  it('go on with all, and are the same columns after a reload', async () => {
    await chat.getByRole('textbox', { name: 'Message' }).fill('And now?');
    await button('Ask 3 Models').click();
    await chat.getByText('3 messages came').nth(2).waitFor();
    assert.equal(asked(), 6);
    await workbench.reload();
    chat = await workbench.webview(/^How many/);
    await chat.getByText('3 messages came').nth(2).waitFor();
    assert.equal(await columns().count(), 3);
    assert.equal(asked(), 6, 'a reload asks nothing');
    await workbench.setTheme('dark');
    await workbench.screenshot('compare/columns-dark');
  });

  it('open in the diff editor', async () => {
    await columns().nth(0).getByRole('button', { name: 'Compare with…' }).click();
    await workbench.quickInput.pick('red/one');
    await workbench.page.getByRole('tab', { name: /↔/ }).waitFor();
    await workbench.screenshot('compare/differences');
    await workbench.page.getByRole('tab', { name: /^How many/ }).click();
  });

  it('leave one to go on with, kept with the others after a reload, which come back beside it', async () => {
    chat = await workbench.webview(/^How many/);
    await columns().nth(1).getByRole('button', { name: 'Go On with This Answer' }).click();
    await chat.getByRole('group', { name: 'Answer 2 of 3' }).waitFor();
    await button('Model: green/two. Choose another').waitFor();
    await workbench.reload();
    chat = await workbench.webview(/^How many/);
    await chat.getByRole('group', { name: 'Answer 2 of 3' }).waitFor();
    assert.equal(await columns().count(), 0);
    await button('Show Side by Side').click();
    await chat.getByText('3 messages came').nth(2).waitFor();
    assert.equal(await columns().count(), 3);
    assert.equal(asked(), 6);
    await workbench.setTheme('highContrast');
    await accessible();
    await workbench.screenshot('compare/columns-high-contrast');
  });
});
