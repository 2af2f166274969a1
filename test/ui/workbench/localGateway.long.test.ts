import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type ScriptedUpstream, startUpstream } from '../../support/scriptedUpstream.ts';
import { Workbench } from '../../support/workbench.ts';
import { focusRow } from '../../support/workbenchRows.ts';
import { findAccessibilityFaults } from '../page/support/accessibility.ts';

const key = 'test-upstream-key';
const deltas = [
  { choices: [{ index: 0, delta: { role: 'assistant', content: 'From my own server' } }] },
  { choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] },
];

describe('the local gateway in the workbench, by keyboard', () => {
  let workbench: Workbench;
  let upstream: ScriptedUpstream;

  before(async () => {
    upstream = await startUpstream((request, response) => {
      if (request.headers.authorization !== `Bearer ${key}`) {
        response.writeHead(401, { 'content-type': 'application/json' });
        return response.end('{"error":{"message":"Incorrect API key provided"}}');
      }
      if (request.method === 'GET') return response.end('{"object":"list","data":[{"id":"own-model"}]}');
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      const chunk = { id: '1', object: 'chat.completion.chunk', created: 1, model: 'own-model' };
      for (const delta of deltas) response.write(`data: ${JSON.stringify({ ...chunk, ...delta })}\n\n`);
      return response.end('data: [DONE]\n\n');
    });
    workbench = await Workbench.open({ name: 'local-gateway' });
  });
  after(async () => {
    await workbench.close();
    await upstream.close();
  });

  const row = (text: string) => workbench.treeRows('Local Gateway').filter({ hasText: text });

  /** Types a text into the input box with this prompt. */
  async function answer(prompt: RegExp | string, text: string): Promise<void> {
    await workbench.quickInput.widget.getByText(prompt).waitFor();
    await workbench.quickInput.fill(text);
    await workbench.quickInput.accept();
  }

  it('is set up in an empty window, and shows a reply of the added upstream', async () => {
    const { page, quickInput } = workbench;
    await workbench.runCommand('Model Gateway: Add Upstream…');
    await workbench.dialog().waitFor();
    await page.keyboard.press('Enter');
    await quickInput.option('OpenAI-Compatible').waitFor();
    await quickInput.fill('OpenAI-Comp');
    await quickInput.accept();
    await quickInput.widget.getByText('The address of its API').waitFor();
    assert.deepEqual(await findAccessibilityFaults(page, '.quick-input-widget'), []);
    await answer('The address of its API', upstream.baseUrl);
    await answer(/(?:The|Its) key/, key);
    await answer('A short name', 'mine');
    const chat = await workbench.webview('New Chat');
    await chat.getByRole('button', { name: 'Model: own-model' }).waitFor();
    await page.keyboard.type('Hello');
    await page.keyboard.press('Enter');
    // The chat opened by itself: the first keys may have been meant for another editor.
    const doubt = chat.getByText('Press Enter again to send it.');
    await doubt.or(chat.getByText('From my own server')).first().waitFor();
    if (await doubt.isVisible()) await page.keyboard.press('Enter');
    await chat.getByText('From my own server').waitFor();
    await workbench.statusBarItem('Local gateway').waitFor();
    await workbench.screenshot('local-gateway/first-answer');
  });

  it('shows an upstream whose key is missing, and accepts a key after Enter on its row', async () => {
    const file = join(workbench.storage, 'gateway', 'model-gateway.json');
    const config = JSON.parse((await readFile(file, 'utf8')).replace(/^\s*\/\/.*$/gm, ''));
    config.upstreams.push({ ...config.upstreams[0], name: 'second' });
    await writeFile(file, JSON.stringify(config));
    await workbench.runCommand('Model Gateway: Show Local Gateway');
    await row('second').filter({ hasText: 'key missing' }).waitFor();
    // The view did not have any rows to focus when it opened.
    await workbench.runCommand('Model Gateway: Show Local Gateway');
    await focusRow(workbench, 'Local Gateway', row('second'));
    await workbench.page.keyboard.press('Enter');
    await answer(/(?:The|Its) key/, 'another-key');
    const notification = workbench.notification('second does not list its models');
    await notification.waitFor();
    await row('second').filter({ hasText: 'key refused' }).waitFor();
    await workbench.screenshot('local-gateway/refused');
    const faults = await findAccessibilityFaults(workbench.page, '[aria-label="Local Gateway"]');
    // VS Code shows label and description of a row without a space between them, so a name cannot match this.
    const own = faults.filter((fault) => !fault.startsWith('label-content-name-mismatch: '));
    assert.deepEqual(own, []);
    await notification.getByRole('button', { name: 'Set Key…' }).click();
    await answer(/(?:The|Its) key/, key);
    await row('second').filter({ hasText: '1 model' }).waitFor();
  });

  it('is stopped and started by commands', async () => {
    await workbench.runCommand('Model Gateway: Stop the Local Gateway');
    await row('not running').waitFor();
    await workbench.statusBarItem('Local gateway').waitFor();
    await workbench.runCommand('Model Gateway: Start the Local Gateway');
    await workbench.dialog().waitFor();
    await workbench.page.keyboard.press('Enter');
    await row('mine').filter({ hasText: '1 model' }).waitFor();
  });
});
