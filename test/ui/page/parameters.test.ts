import assert from 'node:assert/strict';
import type { Locator } from 'playwright-core';
import { chatCompletionsCommon } from '../../../src/wire/apis/chatCompletions/commonParameters.ts';
import { messagesCommon } from '../../../src/wire/apis/messages/commonParameters.ts';
import type { CommonFields, CommonName } from '../../../src/wire/apis/shared/requestSettings.ts';
import { findFaultsInThemes } from './support/accessibility.ts';
import { ChatTestPage, createTurn, noParameters } from './support/chatPage.ts';
import { enterAtOnce } from './support/longText.ts';
import type { PageOptions } from './support/pageBrowser.ts';
import { getTestBrowser } from './support/testBrowser.ts';
import { measureBoxes, waitForFocus, waitForValue } from './support/waits.ts';

const titles: Readonly<Record<CommonName | 'systemPrompt', string>> = {
  systemPrompt: 'System prompt',
  temperature: 'Temperature',
  outputLimit: 'Output limit',
  reasoningEffort: 'Reasoning effort',
  tools: 'Tools',
  responseFormat: 'Response format',
  responseSchema: 'Response schema',
};

function createCommonSchema(fields: CommonFields): object {
  const entries = Object.entries(fields).map(([name, { schema }]) => {
    return [name, { ...schema, title: titles[name as CommonName], description: 'What it is for.' }];
  });
  const systemPrompt = { type: 'string', title: titles.systemPrompt, description: 'Above all.' };
  return { type: 'object', properties: { systemPrompt, ...Object.fromEntries(entries) } };
}

/** The parameters of a format without response formats. */
const { responseFormat: _form, responseSchema: _schema, ...withoutForm } = messagesCommon;

const seed = { type: 'integer', description: 'Same seed, same answer.' };
const unchanged = { defaults: 'none', wasReset: false, changes: 0, externalChanges: 0 } as const;

const parameters = {
  ...noParameters,
  commonSchema: createCommonSchema(chatCompletionsCommon),
  schema: { type: 'object', properties: { temperature: false, seed } },
};

describe('the parameters of a chat', () => {
  const chat = new ChatTestPage(getTestBrowser);

  afterEach(() => chat.close());

  async function open(options?: PageOptions): Promise<void> {
    await chat.open(options);
    await chat.show([]);
  }

  async function posted(...types: readonly string[]): Promise<readonly object[]> {
    const messages = await chat.readPosted();
    return messages.filter(({ type }) => types.includes(type)).map(({ channel: _, ...message }) => message);
  }

  async function waitForPosted(expected: readonly object[], ...types: readonly string[]): Promise<void> {
    await waitForValue(() => posted(...types), expected);
  }

  describe('have a system prompt that', () => {
    const add = () => chat.page.getByRole('button', { name: 'Add System Prompt' });
    const box = () => chat.page.getByRole('textbox', { name: 'System prompt' });
    const head = () => chat.page.locator('.system-prompt-head');

    it('is added above the first question, sent to the host while it is typed, and folded by Escape', async () => {
      await open();
      await add().click();
      await box().pressSequentially('Be brief');
      await waitForPosted([{ type: 'set-system-prompt', text: 'Be brief' }], 'set-system-prompt');
      await chat.patch({ systemPrompt: { text: 'Be brief', isNew: false } });
      await box().press('Escape');
      await head().getByText('Be brief').waitFor();
      assert.equal(await head().getAttribute('aria-expanded'), 'false');
      await waitForFocus(head());
      assert.deepEqual(await posted('stop', 'action'), []);
      const question = chat.page.locator('.welcome');
      const [above, below] = await measureBoxes(head(), question);
      assert.ok(above.y < below.y);
    });

    it('is sent to the host when its box loses the focus, before the next question', async () => {
      await open();
      await add().click();
      await box().fill('Be brief');
      const message = chat.page.getByRole('textbox', { name: 'Message' });
      await message.fill('Hi');
      await message.press('Enter');
      await waitForPosted(
        [
          { type: 'set-system-prompt', text: 'Be brief' },
          { type: 'send', text: 'Hi' },
        ],
        'set-system-prompt',
        'send',
      );
      assert.equal(await box().count(), 0);
    });

    it('shows its first line when folded, and when a change takes effect', async () => {
      await open();
      await chat.patch({ systemPrompt: { text: 'First line\nSecond line', isNew: true } });
      await head().getByText('First line', { exact: true }).waitFor();
      await chat.page.getByText('Takes effect with the next question.').waitFor();
      await head().click();
      assert.equal(await box().inputValue(), 'First line\nSecond line');
      await box().fill('');
      await box().press('Escape');
      await waitForPosted([{ type: 'set-system-prompt', text: '' }], 'set-system-prompt');
      await chat.patch({ systemPrompt: { text: '', isNew: true } });
      await add().waitFor();
    });

    it('keeps the typed text when the host sends an older one', async () => {
      await open();
      await add().click();
      await box().fill('Newer');
      await chat.patch({ systemPrompt: { text: 'Older', isNew: false } });
      await chat.nextFrames();
      assert.equal(await box().inputValue(), 'Newer');
    });

    it('is opened by its command', async () => {
      await open();
      await chat.post({ type: 'perform', action: 'edit-system-prompt' });
      await chat.page.locator('.system-prompt textarea:focus').waitFor();
    });

    it('shows a warning if it is too long, and is then not sent to the host', async () => {
      await open();
      await add().click();
      await enterAtOnce(box(), 'x'.repeat(1_100_000));
      await chat.page.getByText('at most 1,048,576 can be sent').waitFor();
      await box().blur();
      assert.deepEqual(await posted('set-system-prompt'), []);
    });
  });

  describe('have a sheet that', () => {
    const sheet = () => chat.page.getByRole('complementary', { name: 'Parameters' });
    const field = (name: string): Locator => sheet().getByLabel(name, { exact: true });
    const send = () => chat.page.getByRole('button', { name: 'Send' });

    async function openSheet(more: Partial<typeof parameters> = {}, options?: PageOptions): Promise<void> {
      await open(options);
      await chat.page.getByRole('button', { name: 'Parameters', exact: true }).click();
      await waitForPosted([{ type: 'open-parameters' }], 'open-parameters');
      await chat.post({ ...parameters, ...more });
      await chat.page.locator('[role="searchbox"]:focus').waitFor();
    }

    it('shows the API format, and the header shows it only when it differs from the model’s default', async () => {
      const button = () => chat.page.getByRole('button', { name: 'API format: Chat Completions (OpenAI)' });
      await openSheet();
      await button().and(sheet().locator('button')).click();
      await waitForPosted([{ type: 'action', turnId: undefined, action: 'choose-format' }], 'action');
      const header = chat.page.getByRole('banner').getByRole('button', { name: /^API format/ });
      assert.equal(await header.count(), 0);
      await chat.show([], { isFormatChanged: true });
      await header.waitFor();
      await chat.savePicture('parameters-format');
    });

    it('starts with the fields common to all API formats, and sends each change to the host', async () => {
      await openSheet();
      const names = await sheet().locator('.field-name:visible').allInnerTexts();
      assert.deepEqual(names, [
        'System prompt',
        'Temperature',
        'Output limit',
        'Reasoning effort',
        'Tools',
        'Response format',
        'seed',
        'Other fields',
      ]);
      await field('Temperature').fill('0.5');
      await field('Reasoning effort').selectOption('High');
      await field('Response format').selectOption('JSON Schema');
      await field('Response schema').fill('{"type":"object"}');
      await field('Temperature').fill('9');
      await field('seed').fill('7');
      const change = (name: string, value: unknown) => ({ type: 'set-common-parameter', name, value });
      assert.deepEqual(await posted('set-common-parameter', 'set-parameters'), [
        change('temperature', 0.5),
        change('reasoningEffort', 'high'),
        change('responseFormat', 'json_schema'),
        change('responseSchema', { type: 'object' }),
        change('temperature', undefined),
        { type: 'set-parameters', values: { seed: 7 } },
      ]);
      await sheet().getByText('Not set: expected a number from 0 to 2').waitFor();
    });

    it('rejects the name of a common field in Other fields', async () => {
      await openSheet();
      await field('Other fields').fill('{"temperature": 1}');
      await sheet().getByText('the form already has a field with this name').waitFor();
      assert.deepEqual(await posted('set-parameters'), []);
    });

    it('shows and keeps a value that the API format does not support, with the reason', async () => {
      await openSheet({
        commonSchema: createCommonSchema(withoutForm),
        common: { temperature: 1.8, responseFormat: 'json' },
        unused: ['Response format'],
      });
      assert.equal(await field('Temperature').inputValue(), '1.8');
      await sheet().getByText('Not set: expected a number from 0 to 1').waitFor();
      await sheet().getByText('Not sent in this API format: Response format.').waitFor();
      assert.equal(await field('Response format').count(), 0);
      await field('Output limit').fill('5');
      assert.deepEqual(await posted('set-common-parameter'), [
        { type: 'set-common-parameter', name: 'outputLimit', value: 5 },
      ]);
    });

    it('does not cover the message box: a question can be sent while the sheet is open', async () => {
      for (const [width, height] of [
        [1200, 700],
        [300, 640],
      ] as const) {
        await openSheet({}, { width, height });
        await field('Temperature').fill('0.5');
        const message = chat.page.getByRole('textbox', { name: 'Message' });
        await message.fill('Hi');
        await send().click();
        assert.deepEqual(await posted('send'), [{ type: 'send', text: 'Hi' }]);
        const [open, box] = await measureBoxes(sheet(), send());
        const isBeside = open.x >= box.x + box.width || open.y + open.height <= box.y;
        assert.ok(isBeside, `${width}: ${JSON.stringify({ open, box })}`);
        assert.ok(box.y + box.height <= height, 'Send is in sight');
        const sideways = await chat.page.evaluate(() => document.body.scrollWidth > innerWidth);
        assert.equal(sideways, false);
        await chat.savePicture(`parameters-${width}`);
        if (width > 300) await chat.close();
      }
    });

    it('closes by Escape inside it, by its button or by the header button, and Escape returns the focus', async () => {
      await openSheet();
      const button = chat.page.getByRole('button', { name: 'Parameters', exact: true });
      assert.equal(await button.getAttribute('aria-expanded'), 'true');
      await chat.page.getByRole('textbox', { name: 'Message' }).press('Escape');
      assert.equal(await sheet().count(), 1);
      await field('Temperature').press('Escape');
      await sheet().waitFor({ state: 'detached' });
      await waitForFocus(button);
      for (const close of [sheet().getByRole('button', { name: 'Close' }), button]) {
        await chat.post(parameters);
        await close.click();
        await sheet().waitFor({ state: 'detached' });
      }
      assert.equal(await button.getAttribute('aria-expanded'), 'false');
    });

    it('offers to save and remove a default, to reset, to undo the reset and to open presets', async () => {
      await openSheet();
      const reset = sheet().getByRole('button', { name: 'Reset All' });
      const save = sheet().getByRole('button', { name: 'Save as Default for gpt-x-mini' });
      assert.equal(await reset.isDisabled(), true);
      assert.equal(await save.isDisabled(), true);
      await field('Temperature').fill('0.5');
      await save.click();
      await chat.patch({ parameters: { ...unchanged, defaults: 'same' } });
      assert.equal(await field('Temperature').inputValue(), '0.5');
      await sheet().getByRole('button', { name: 'Remove Default for gpt-x-mini' }).click();
      await reset.click();
      await chat.post(parameters);
      await chat.patch({ parameters: { ...unchanged, wasReset: true } });
      await sheet().getByRole('button', { name: 'Undo Reset' }).click();
      await sheet().getByRole('button', { name: 'Presets…' }).click();
      const actions = (await posted('parameters-action')).map((message) => Object.values(message)[1]);
      assert.deepEqual(actions, ['save-default', 'remove-default', 'reset', 'undo-reset', 'presets']);
    });

    it('has room for all buttons in 300 pixels, also with a long model name', async () => {
      await openSheet({}, { width: 300, height: 700 });
      await chat.post({ ...parameters, model: `provider/${'long-model-name-'.repeat(8)}` });
      const save = sheet().getByRole('button', { name: /^Save as Default for provider/ });
      await save.waitFor();
      assert.equal(await save.innerText(), 'Save as Default');
      const cutOff = sheet()
        .locator('.save-tools .button')
        .evaluateAll((all) =>
          all
            .filter((each) => {
              const { left, right } = each.getBoundingClientRect();
              return left < 0 || right > 300 || each.scrollWidth > each.clientWidth;
            })
            .map(({ textContent }) => textContent.trim()),
        );
      assert.deepEqual(await cutOff, []);
      await chat.savePicture('save-tools-300');
    });

    it('requests a new preview when the question or attachments change, only on the Request tab', async () => {
      await openSheet();
      await sheet().getByRole('tab', { name: 'Request' }).click();
      await chat.page.getByRole('textbox', { name: 'Message' }).fill('Hi');
      const preview = (text: string) => ({ type: 'preview-request', text, nth: 0 });
      await waitForPosted([preview(''), preview('Hi')], 'preview-request');
      await chat.patch({ attachments: [] });
      await waitForPosted([preview(''), preview('Hi'), preview('Hi')], 'preview-request');
      await sheet().getByRole('tab', { name: 'Parameters' }).click();
      await chat.patch({ attachments: [] });
      await chat.nextFrames();
      assert.equal((await posted('preview-request')).length, 3);
    });

    it('offers the model for the request preview, and previews the request to another one', async () => {
      await openSheet();
      await sheet().getByRole('tab', { name: 'Request' }).click();
      const request = { type: 'request', json: '{"model": "red/one"}', omitted: [] } as const;
      await chat.post({ ...request, models: ['red/one'], nth: 0 });
      const picker = sheet().getByRole('combobox', { name: 'Request to' });
      await sheet().getByText('"red/one"').waitFor();
      assert.equal(await picker.count(), 0);
      await chat.post({ ...request, models: ['red/one', 'green/two'], nth: 0 });
      await picker.selectOption('green/two');
      const preview = { type: 'preview-request', text: '', nth: 1 };
      await waitForPosted([{ ...preview, nth: 0 }, preview], 'preview-request');
      await chat.post({
        ...request,
        json: '{"model": "green/two"}',
        models: ['red/one', 'green/two'],
        nth: 1,
      });
      await sheet().getByText('"green/two"').waitFor();
      assert.equal(await picker.inputValue(), 'green/two');
      await sheet().getByRole('button', { name: 'Copy' }).click();
      await waitForPosted([{ type: 'copy-request', text: '', nth: 1 }], 'copy-request');
    });

    it('requests its content again when it changes elsewhere or with the format or model', async () => {
      await openSheet();
      await chat.patch({ parameters: { ...unchanged, externalChanges: 1 } });
      const target = {
        gateway: 'work',
        model: 'other',
        format: 'Messages',
        formatShort: 'Messages',
        parametersSet: 0,
      };
      await chat.patch({ target });
      await chat.patch({ target });
      const ask = { type: 'open-parameters' };
      await waitForPosted([ask, ask, ask], 'open-parameters');
    });

    it('focuses the field that a gateway rejected, or searches for its name when there is no such field', async () => {
      await openSheet();
      await chat.post({ ...parameters, field: ['Seed'] });
      const focused = () =>
        chat.page.evaluate(() => document.activeElement?.closest('mg-field')?.textContent);
      await waitForValue(async () => (await focused())?.includes('seed') ?? false, true);
      const search = chat.page.getByRole('searchbox', { name: 'Search parameters' });
      await search.focus();
      await chat.post({ ...parameters, field: ['common', 'temperature'] });
      await waitForValue(async () => (await focused())?.includes('Temperature') ?? false, true);
      await chat.post({ ...parameters, field: ['unheard_of'] });
      await waitForValue(() => search.inputValue(), 'unheard_of');
    });

    it('meets the accessibility guidelines, next to a conversation with a system prompt', async () => {
      await openSheet({ common: { temperature: 1.8, systemPrompt: 'Be brief' } }, { width: 1000 });
      await chat.show([createTurn({ id: 'a', text: 'Hello' })]);
      await chat.patch({ systemPrompt: { text: 'Be brief', isNew: true } });
      await chat.page.getByText('Takes effect with the next question.').waitFor();
      assert.deepEqual(
        await findFaultsInThemes(chat, (theme) => chat.savePicture(`parameters-${theme}`)),
        [],
      );
    });
  });
});
