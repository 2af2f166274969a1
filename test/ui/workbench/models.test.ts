import assert from 'node:assert/strict';
import type { FrameLocator, Locator } from 'playwright-core';
import { definePictureTest } from '../../support/pictures.ts';
import {
  createTextChunk,
  type ScriptedGateway,
  startScriptedGateway,
} from '../../support/scriptedGateway.ts';
import { Workbench } from '../../support/workbench.ts';
import { waitForValue } from '../page/support/waits.ts';

const owners = ['anthropic', 'cohere', 'google', 'mistralai', 'openai'];

/** Chat models in the form in which an aggregator lists them. */
const chatModels = Array.from({ length: 145 }, (_, nth) => {
  const owner = owners[nth % owners.length] ?? '';
  const number = Math.floor(nth / owners.length);
  return {
    id: `${owner}/model-${number}-instruct-20251022`,
    name: `${owner}: Model ${number} Instruct (2025-10-22)`,
    owned_by: owner,
    context_length: 131_072,
    architecture: {
      input_modalities: number % 2 ? ['text', 'image'] : ['text'],
      output_modalities: ['text'],
    },
    supported_parameters: ['tools'],
    pricing: { prompt: '0.00000015', completion: '0.0000006' },
  };
});

const otherModels =
  'text-embedding-3 whisper-1 tts-1 wan2.5-t2v veo-3 rerank-3 dall-e-3 flux-1 sora-2 bge-m3';

describe('a gateway with 155 models', () => {
  let gateway: ScriptedGateway;
  let workbench: Workbench;
  let chat: FrameLocator;

  before(async () => {
    const others = otherModels.split(' ').map((id) => ({ id, owned_by: 'others' }));
    gateway = await startScriptedGateway([...chatModels, ...others], (response, { body }) => {
      if (JSON.parse(body).model.includes('model-3-')) {
        response.statusCode = 404;
        response.end(JSON.stringify({ error: { message: 'Retired', code: 'model_not_found' } }));
        return;
      }
      response.setHeader('content-type', 'text/event-stream');
      response.end(createTextChunk('A reply.', 'stop'));
    });
    workbench = await Workbench.open({ name: 'models', viewport: { width: 1280, height: 2000 } });
    await workbench.activity('Model Gateway').click();
    await workbench.runCommand('Model Gateway: Connect to a Gateway…');
    await workbench.quickInput.fill(gateway.baseUrl);
    await workbench.quickInput.accept();
    await workbench.page.locator('.quick-input-box input[type=password]').waitFor();
    await workbench.quickInput.fill('test-credential');
    await workbench.quickInput.accept();
    await workbench.statusBarItem(/155 models/).waitFor();
    chat = await workbench.webview('New Chat');
  });

  after(async () => {
    await workbench.close();
    await gateway.close();
  });

  function row(text: string | RegExp): Locator {
    return workbench.treeRows('Models').filter({ hasText: text });
  }

  async function sendQuestion(text: string): Promise<void> {
    const box = chat.getByRole('textbox', { name: 'Message' });
    await box.fill(text);
    await box.press('Enter');
  }

  it('shows its models by owner, and groups of recent and pinned ones', async () => {
    await row('mistralai').waitFor();
    assert.equal(await row(/Model 2 /).count(), 0);
    await chat.getByRole('button', { name: 'Model: anthropic/model-0-' }).waitFor();
    await sendQuestion('Hello');
    await row('Recent').waitFor();
    await row('openai').click();
    await row(/Model 2 /).hover();
    await row(/Model 2 /)
      .getByRole('button', { name: 'Pin Model' })
      .click();
    await row('Pinned').waitFor();
    await workbench.screenshot('models/pinned');
  });

  it('uses a model in the open chat by a button in its row', async () => {
    await row(/Model 3 /).hover();
    await row(/Model 3 /)
      .getByRole('button', { name: 'Use in This Chat' })
      .click();
    chat = await workbench.webview('Hello');
    await chat.getByRole('button', { name: 'Model: openai/model-3-' }).waitFor();
  });

  it('offers to choose another model when a model is refused', async () => {
    await sendQuestion('Are you there?');
    const notice = chat.locator('mg-turn').last().locator('.notice');
    const first = notice.locator('.notice-buttons').getByRole('button').first();
    await first.waitFor();
    await workbench.screenshot('models/refused');
    assert.equal(await first.textContent(), 'Choose Another Model…');
    await first.click();
    await workbench.quickInput.option('openai/model-2-instruct-20251022').waitFor();
    await workbench.screenshot('models/picker');
  });

  it('offers models for other uses on request, and keeps the typed text', async () => {
    await workbench.quickInput.fill('veo');
    await workbench.quickInput.option('veo-3').waitFor({ state: 'detached' });
    await workbench.quickInput.pick('Show Videos, Embeddings and Others…');
    await workbench.quickInput.option('veo-3').waitFor();
    await workbench.screenshot('models/others');
    await workbench.quickInput.option('veo-3').getByRole('button', { name: 'Offer in Chats' }).click();
    await workbench.quickInput.option('veo-3').getByRole('button', { name: 'Hide from Chats' }).waitFor();
    await workbench.quickInput.cancel();
    await workbench.quickInput.waitUntilClosed();
  });

  it('finds models by capability', async () => {
    await workbench.runCommand('Model Gateway: Find Model…');
    await workbench.quickInput.fill('vision');
    await workbench.quickInput.option('anthropic/model-1-instruct-20251022').waitFor();
    await workbench.quickInput.option('anthropic/model-0-instruct-20251022').waitFor({ state: 'detached' });
    await workbench.screenshot('models/find');
  });

  it('finds models by several words', async () => {
    await workbench.quickInput.fill('model-3- google');
    await workbench.quickInput.option('google/model-3-instruct-20251022').waitFor();
    await waitForValue(() => workbench.quickInput.options.count(), 1);
  });

  it('reports the use of a model that is for neither chats nor videos', async () => {
    await workbench.quickInput.fill('text-embedding');
    await workbench.quickInput.pick('text-embedding-3');
    const notification = workbench.notification('text-embedding-3 is for embeddings, not for chats.');
    await notification.getByRole('button', { name: 'Copy Model ID' }).waitFor();
    await workbench.screenshot('models/other-use');
    await notification.getByRole('button', { name: 'Offer in Chats' }).click();
    await notification.waitFor({ state: 'detached' });
  });

  it('offers in the menu of a model to hide it from chats', async () => {
    await row(/Model 3 /).click({ button: 'right' });
    await workbench.page.getByRole('menuitem', { name: 'Hide from Chats' }).waitFor();
    await workbench.screenshot('models/menu');
    await workbench.page.keyboard.press('Escape');
  });

  definePictureTest('has distinguishable models in a narrow view, in high contrast and light', async () => {
    await workbench.page.setViewportSize({ width: 560, height: 2000 });
    for (const theme of ['highContrast', 'light'] as const) {
      await workbench.setTheme(theme);
      await row(/Model 3 /).waitFor();
      await workbench.screenshot(`models/narrow-${theme}`);
    }
  });
});
