import assert from 'node:assert/strict';
import type { FrameLocator, Locator } from 'playwright-core';
import { pictures } from '../../support/pictures.ts';
import { type ScriptedGateway, startScriptedGateway, textChunk } from '../../support/scriptedGateway.ts';
import { Workbench } from '../../support/workbench.ts';
import { becomes } from '../page/support/waits.ts';

const owners = ['anthropic', 'cohere', 'google', 'mistralai', 'openai'];

/** As an aggregator lists them. */
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
      response.end(textChunk('A reply.', 'stop'));
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

  async function ask(text: string): Promise<void> {
    const box = chat.getByRole('textbox', { name: 'Message' });
    await box.fill(text);
    await box.press('Enter');
  }

  it('shows its owners together, and what is used comes first', async () => {
    await row('mistralai').waitFor();
    assert.equal(await row(/Model 2 /).count(), 0);
    await chat.getByRole('button', { name: 'Model: anthropic/model-0-' }).waitFor();
    await ask('Hello');
    await row('Recent').waitFor();
    await row('openai').click();
    await row(/Model 2 /).hover();
    await row(/Model 2 /)
      .getByRole('button', { name: 'Pin Model' })
      .click();
    await row('Pinned').waitFor();
    await workbench.screenshot('models/pinned');
  });

  it('uses a model in the chat that is open, by a button at its row', async () => {
    await row(/Model 3 /).hover();
    await row(/Model 3 /)
      .getByRole('button', { name: 'Use in This Chat' })
      .click();
    chat = await workbench.webview('Hello');
    await chat.getByRole('button', { name: 'Model: openai/model-3-' }).waitFor();
  });

  it('leads from a refused model to another one', async () => {
    await ask('Are you there?');
    const notice = chat.locator('mg-turn').last().locator('.notice');
    const first = notice.locator('.notice-buttons').getByRole('button').first();
    await first.waitFor();
    await workbench.screenshot('models/refused');
    assert.equal(await first.textContent(), 'Choose Another Model…');
    await first.click();
    await workbench.quickInput.option('openai/model-2-instruct-20251022').waitFor();
    await workbench.screenshot('models/picker');
  });

  it('offers models for other uses on request, with what was typed', async () => {
    await workbench.quickInput.fill('veo');
    await workbench.quickInput.option('veo-3').waitFor({ state: 'detached' });
    await workbench.quickInput.pick('Show Videos, Embeddings and Others…');
    await workbench.quickInput.option('veo-3').waitFor();
    await workbench.screenshot('models/others');
    await workbench.quickInput.option('veo-3').getByRole('button', { name: 'Offer in Chats' }).click();
    await workbench.quickInput.option('veo-3').getByRole('button', { name: 'Hide from Chats' }).waitFor();
    await workbench.quickInput.cancel();
    // The chat takes the focus back, which would close a list that opened meanwhile.
    await chat.getByRole('textbox', { name: 'Message' }).and(chat.locator(':focus')).waitFor();
  });

  it('finds models by what they can do', async () => {
    await workbench.runCommand('Model Gateway: Find Model…');
    await workbench.quickInput.fill('vision');
    await workbench.quickInput.option('anthropic/model-1-instruct-20251022').waitFor();
    await workbench.quickInput.option('anthropic/model-0-instruct-20251022').waitFor({ state: 'detached' });
    await workbench.screenshot('models/find');
  });

  it('finds models by several words', async () => {
    await workbench.quickInput.fill('model-3- google');
    await workbench.quickInput.option('google/model-3-instruct-20251022').waitFor();
    await becomes(() => workbench.quickInput.options.count(), 1);
  });

  it('says of a model for neither chats nor videos what it is for', async () => {
    await workbench.quickInput.fill('text-embedding');
    await workbench.quickInput.pick('text-embedding-3');
    const told = workbench.notification('text-embedding-3 is for embeddings, not for chats.');
    await told.getByRole('button', { name: 'Copy Model ID' }).waitFor();
    await workbench.screenshot('models/other-use');
    await told.getByRole('button', { name: 'Offer in Chats' }).click();
    await told.waitFor({ state: 'detached' });
  });

  it('offer in their menu to be hidden from chats', async () => {
    await row(/Model 3 /).click({ button: 'right' });
    await workbench.page.getByRole('menuitem', { name: 'Hide from Chats' }).waitFor();
    await workbench.screenshot('models/menu');
    await workbench.page.keyboard.press('Escape');
  });

  pictures('can be told apart in a narrow view, in every theme', async () => {
    await workbench.page.setViewportSize({ width: 560, height: 2000 });
    for (const theme of ['highContrast', 'light'] as const) {
      await workbench.setTheme(theme);
      await row(/Model 3 /).waitFor();
      await workbench.screenshot(`models/narrow-${theme}`);
    }
  });
});
