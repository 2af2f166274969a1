import assert from 'node:assert/strict';
import type { FrameLocator } from 'playwright-core';
import { dropFile, pasteFile, pixel } from '../../support/fileEvents.ts';
import { Workbench } from '../../support/workbench.ts';
import { waitForValue } from '../page/support/waits.ts';

const formats = [
  'Chat Completions (OpenAI)',
  'Content Generation (Gemini)',
  'Messages (Anthropic)',
  'Responses (OpenAI)',
  'Interactions (Gemini)',
];

describe('a chat with every API format', () => {
  let workbench: Workbench;
  let chat: FrameLocator;

  before(async () => {
    workbench = await Workbench.open({ name: 'apiFormats', theme: 'dark' });
    await workbench.activity('Model Gateway').click();
    await workbench.tryDemo();
    chat = await workbench.webview('New Chat');
    await chat.getByRole('button', { name: 'Model: demo/chat' }).waitFor();
  });

  after(() => workbench.close());

  it('adds a system prompt before the first question', async () => {
    await chat.getByRole('button', { name: 'Add System Prompt' }).click();
    const prompt = chat.getByRole('textbox', { name: 'System prompt' });
    await prompt.fill('Draw with care.\nUse few colours.');
    await workbench.screenshot('apiFormats/systemPrompt');
    await prompt.press('Escape');
    await chat.getByRole('button', { name: 'System Prompt Draw with care.' }).waitFor();
    await chat.getByRole('button', { name: 'Parameters: 1 set' }).waitFor();
  });

  for (const [index, format] of formats.entries()) {
    const draws = format !== 'Messages (Anthropic)';
    it(`shows the demo’s reply${draws ? ' with a picture' : ''}, and continues the conversation: ${format}`, async () => {
      await workbench.runCommand('Model Gateway: Choose API Format…');
      await workbench.quickInput.pick(format);
      const isDefault = format === 'Chat Completions (OpenAI)';
      const shown = chat.getByRole('button', { name: `API format: ${format}` });
      await shown.waitFor({ state: isDefault ? 'detached' : 'visible' });
      const box = chat.getByRole('textbox', { name: 'Message' });
      await box.fill(`Draw question ${index + 1}`);
      await box.press('Enter');
      const turn = chat.locator('mg-turn').nth(index);
      await turn.locator('.figures').waitFor({ timeout: 30_000 });
      assert.equal(await turn.locator('.notice').count(), 0);
      await turn
        .locator('mg-reply')
        .getByText(`Draw question ${index + 1}`)
        .first()
        .waitFor();
      await turn.getByText('The request has a system prompt of 6 words').waitFor();
      if (index > 0) await turn.getByText(`This is question ${index + 1} of our conversation.`).waitFor();
      await waitForValue(() => turn.locator('mg-reply img.picture').count(), draws ? 1 : 0);
      if (!draws) await turn.getByText('Replies in this API format cannot contain pictures.').waitFor();
    });
  }

  it('sends a tool from the parameters, and shows the arguments of its call', async () => {
    await chat.getByRole('button', { name: 'Parameters: 1 set' }).click();
    const sheet = chat.locator('mg-parameters');
    const parameters = { type: 'object', properties: { city: { type: 'string' } } };
    const tools = [{ type: 'function', name: 'get_weather', parameters }];
    await sheet.getByRole('textbox', { name: 'Tools', exact: true }).fill(JSON.stringify(tools));
    await workbench.page.keyboard.press('Escape');
    const box = chat.getByRole('textbox', { name: 'Message' });
    await box.fill('Call the tool for Paris');
    await box.press('Enter');
    const call = chat.locator('mg-turn').last().locator('.tool-call');
    await call.getByText('get_weather').waitFor();
    await call.locator('code', { hasText: '"Paris"' }).waitFor();
  });

  it('shows a parameter in the request preview with those set in another format, and applies it', async () => {
    await chat.getByRole('button', { name: 'API format: Interactions (Gemini)' }).click();
    await workbench.quickInput.pick('Chat Completions (OpenAI)');
    await chat.getByRole('button', { name: 'Parameters: 2 set' }).click();
    const sheet = chat.locator('mg-parameters');
    await sheet.getByRole('spinbutton', { name: 'Output limit' }).fill('5');
    await sheet.getByRole('tab', { name: 'Request' }).click();
    await sheet.locator('.request-json', { hasText: '"max_tokens": 5' }).waitFor();
    await sheet.locator('.request-json', { hasText: '"function": {' }).waitFor();
    await workbench.screenshot('apiFormats/request');
    await sheet.getByRole('tab', { name: 'Parameters' }).click();
    await workbench.screenshot('apiFormats/parameters');
    await workbench.page.keyboard.press('Escape');
    await chat.getByRole('button', { name: 'Parameters: 3 set' }).waitFor();
    const box = chat.getByRole('textbox', { name: 'Message' });
    await box.fill('One More');
    await box.press('Enter');
    await chat.locator('mg-turn').last().getByText('Cut off at the output limit').waitFor();
    await workbench.screenshot('apiFormats/limited');
  });

  it('shows several choices of a reply', async () => {
    await chat.getByRole('button', { name: 'Parameters: 3 set' }).click();
    const sheet = chat.locator('mg-parameters');
    await sheet.getByRole('spinbutton', { name: 'n', exact: true }).fill('2');
    await workbench.page.keyboard.press('Escape');
    await chat.getByRole('button', { name: 'Parameters: 4 set' }).waitFor();
    const box = chat.getByRole('textbox', { name: 'Message' });
    await box.fill('Twice');
    await box.press('Enter');
    const turn = chat.locator('mg-turn').last();
    await turn.getByText('Choice 2').waitFor();
    await turn.locator('.figures').waitFor();
    assert.equal(await turn.locator('mg-reply').count(), 2);
    await workbench.screenshot('apiFormats/choices');
  });

  it('sends pasted and dropped pictures with the question, and rejects other files', async () => {
    const box = chat.getByRole('textbox', { name: 'Message' });
    await pasteFile(box, 'image/png', pixel);
    await chat.getByRole('img', { name: 'Attached picture 1' }).waitFor();
    await pasteFile(box, 'image/png', btoa('this is no picture'));
    await workbench.notification('Only PNG, JPEG, GIF and WebP').waitFor();
    await dropFile(box, 'image/png', pixel);
    await chat.getByRole('button', { name: 'Remove Picture 2' }).click();
    await chat.getByRole('img', { name: 'Attached picture 2' }).waitFor({ state: 'detached' });
    await box.fill('What is this?');
    await workbench.screenshot('apiFormats/attached');
    await box.press('Enter');
    const turn = chat.locator('mg-turn').last();
    await turn.getByRole('img', { name: 'Picture you attached' }).waitFor();
    await turn.locator('.figures').waitFor();
    assert.equal(await chat.getByRole('img', { name: 'Attached picture 1' }).count(), 0);
  });
});
