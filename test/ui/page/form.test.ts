import assert from 'node:assert/strict';
import type { Locator, Page } from 'playwright-core';
import { chatCompletionsRequest } from '../../../src/wire/apis/chatCompletions/schema.ts';
import { contentGenerationRequest } from '../../../src/wire/apis/contentGeneration/schema.ts';
import { messagesRequest } from '../../../src/wire/apis/messages/schema.ts';
import { FormBrowser, type FormProperties, toJsonSchema } from './support/formPage.ts';
import { measureBoxes, waitForFocus } from './support/waits.ts';

const chat = toJsonSchema(
  chatCompletionsRequest.omit({ model: true, messages: true, stream: true }).partial(),
);
const generation = toJsonSchema(contentGenerationRequest.omit({ contents: true }).partial());
const messages = toJsonSchema(messagesRequest.omit({ model: true, messages: true }).partial());

describe('the parameters sheet', () => {
  let browser: FormBrowser;
  let page: Page;

  before(async () => {
    browser = await FormBrowser.launch();
  });

  afterEach(async () => {
    assert.deepEqual(browser.errors.splice(0), []);
    assert.deepEqual(await page.evaluate(() => window.violations), []);
  });

  after(() => browser.close());

  async function open(form: Partial<FormProperties>): Promise<void> {
    page = await browser.open(form);
  }

  /** The box of a field, for any kind of control. */
  function box(name: string): Locator {
    return page.getByLabel(name, { exact: true });
  }

  async function readFired(event: string): Promise<readonly unknown[]> {
    const all = await page.evaluate(() => window.fired);
    return all.filter(([name]) => name === event).map(([, detail]) => detail);
  }

  /** The values the sheet fired last. */
  async function readValues(): Promise<unknown> {
    return (await readFired('change')).at(-1);
  }

  async function readNote(name: string): Promise<string> {
    const ids = (await box(name).getAttribute('aria-describedby')) ?? '';
    return (await page.locator(`[id="${ids.split(' ').at(-1)}"]`).innerText()).trim();
  }

  describe('sets', () => {
    it('a number within the range, and shows the expected range for other input', async () => {
      await open({ schema: chat });
      assert.equal(await readNote('temperature'), 'A number from 0 to 2');
      await box('temperature').fill('1.5');
      assert.deepEqual(await readValues(), { temperature: 1.5 });
      await box('temperature').fill('15');
      assert.deepEqual(await readValues(), {});
      assert.equal(await readNote('temperature'), 'Not set: expected a number from 0 to 2');
      assert.equal(await box('temperature').getAttribute('aria-invalid'), 'true');
      await box('seed').fill('7');
      assert.equal(await box('temperature').inputValue(), '15');
      assert.deepEqual(await readValues(), { seed: 7 });
    });

    it('a number that is typed and corrected key by key', async () => {
      await open({ schema: chat });
      await box('temperature').pressSequentially('1.5');
      await box('temperature').press('Backspace');
      await box('temperature').pressSequentially('25');
      assert.equal(await box('temperature').inputValue(), '1.25');
      assert.deepEqual(await readValues(), { temperature: 1.25 });
      await box('temperature').press('e');
      assert.deepEqual(await readValues(), {});
      assert.equal(await readNote('temperature'), 'Not set: expected a number from 0 to 2');
      await page.getByRole('button', { name: 'Reset temperature' }).click();
      assert.equal(await readNote('temperature'), 'A number from 0 to 2');
      await box('temperature').pressSequentially('2');
      assert.deepEqual(await readValues(), { temperature: 2 });
    });

    it('a number by the arrow keys, in steps that suit its range', async () => {
      await open({ schema: chat });
      await box('temperature').press('ArrowUp');
      await box('n').press('ArrowUp');
      await box('n').press('ArrowUp');
      assert.deepEqual(await readValues(), { temperature: 0.1, n: 2 });
    });

    it('a number, and does not change it by the mouse wheel', async () => {
      await open({ schema: chat, values: { temperature: 1 } });
      await box('temperature').click();
      await page.mouse.wheel(0, 300);
      await page.evaluate(
        () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))),
      );
      assert.deepEqual(await readFired('change'), []);
      assert.equal(await box('temperature').inputValue(), '1');
    });

    it('a boolean to yes, to no and back to unset', async () => {
      await open({ schema: chat });
      const options = await box('logprobs').locator('option').allInnerTexts();
      assert.deepEqual(options, ['Not set', 'Yes', 'No']);
      await box('logprobs').selectOption('No');
      assert.deepEqual(await readValues(), { logprobs: false });
      await box('logprobs').selectOption('Not set');
      assert.deepEqual(await readValues(), {});
    });

    it('members of an object, and removes the object with its last member', async () => {
      await open({ schema: generation });
      await page.getByRole('button', { name: 'generationConfig', exact: true }).click();
      await box('topK').fill('40');
      await page.getByRole('button', { name: 'imageConfig', exact: true }).click();
      await box('aspectRatio').fill('16:9');
      assert.deepEqual(await readValues(), {
        generationConfig: { topK: 40, imageConfig: { aspectRatio: '16:9' } },
      });
      await box('aspectRatio').fill('');
      assert.deepEqual(await readValues(), { generationConfig: { topK: 40 } });
      await box('topK').fill('');
      assert.deepEqual(await readValues(), {});
    });

    it('an object only when its required member is set', async () => {
      await open({ schema: messages });
      const group = page.getByRole('button', { name: 'thinking', exact: true });
      await group.click();
      await box('budget_tokens').fill('2048');
      assert.deepEqual(await readFired('change'), []);
      await page.getByText('Not set: type is missing').waitFor();
      const type = page.getByRole('group', { name: 'thinking' }).getByLabel('type', { exact: true });
      await type.selectOption('enabled');
      assert.deepEqual(await readValues(), { thinking: { budget_tokens: 2048, type: 'enabled' } });
    });

    it('a text, a list of texts or JSON in a field that allows all three', async () => {
      await open({ schema: chat });
      await box('stop').fill('END');
      assert.deepEqual(await readValues(), { stop: 'END' });
      await box('Edit stop as').selectOption('List');
      await box('stop').press('End');
      await box('stop').pressSequentially('\nHALT');
      assert.deepEqual(await readValues(), { stop: ['END', 'HALT'] });
      await box('Edit stop as').selectOption('JSON');
      assert.deepEqual(JSON.parse(await box('stop').inputValue()), ['END', 'HALT']);
      assert.deepEqual(await readValues(), { stop: ['END', 'HALT'] });
    });

    it('object members without a field as JSON, and disables the fields that would hide them', async () => {
      await open({ schema: chat });
      await box('Edit response_format as').selectOption('JSON');
      const format = { type: 'json_object', grammar: 'root ::= "yes"' };
      await box('response_format').fill(JSON.stringify(format));
      assert.deepEqual(await readValues(), { response_format: format });
      const fields = box('Edit response_format as').locator('option', { hasText: 'Fields' });
      assert.equal(await fields.isDisabled(), true);
    });

    it('JSON, and reports the position of an error', async () => {
      await open({ schema: chat });
      await box('tools').fill('[{"type": "function"},\n 5]');
      assert.equal(await readNote('tools'), 'Not set: line 2, column 2: expected an object');
      await box('tools').fill('[{"type": "function"}]');
      assert.deepEqual(await readValues(), { tools: [{ type: 'function' }] });
    });

    it('fields that are not in the schema', async () => {
      await open({ schema: chat, values: { vendor_mode: 'fast' } });
      assert.equal(await box('Other fields').inputValue(), '{\n  "vendor_mode": "fast"\n}');
      await box('Other fields').fill('{"vendor_mode": "slow", "seed": 1}');
      assert.match(await readNote('Other fields'), /column 33: the form already has a field with this name$/);
      await box('Other fields').fill('{"vendor_mode": "slow"}');
      await box('seed').fill('1');
      assert.deepEqual(await readValues(), { vendor_mode: 'slow', seed: 1 });
    });
  });

  describe('shows', () => {
    it('the set fields first, with buttons to reset each and all', async () => {
      await open({ schema: chat, values: { temperature: 1, stop: ['a', 'b'] } });
      await page.getByRole('heading', { name: 'Set (2)' }).waitFor();
      const first = await page.locator('.fields > mg-field .field-name').allInnerTexts();
      assert.deepEqual(first.slice(0, 2), ['temperature', 'stop']);
      assert.equal(await box('stop').inputValue(), 'a\nb');
      await page.getByRole('button', { name: 'Reset stop' }).click();
      assert.deepEqual(await readValues(), { temperature: 1 });
      assert.equal(await box('stop').inputValue(), '');
      await page.getByRole('button', { name: 'Reset All' }).click();
      assert.deepEqual(await readValues(), {});
      assert.equal(await box('temperature').inputValue(), '');
      await page.getByRole('heading', { name: 'Set (0)' }).waitFor();
    });

    it('an empty field instead of invalid input after Reset All', async () => {
      await open({ schema: chat });
      await box('temperature').fill('15');
      await page.getByRole('button', { name: 'Reset All' }).click();
      assert.equal(await box('temperature').inputValue(), '');
      assert.deepEqual(await readFired('change'), []);
    });

    it('deprecated fields after all others', async () => {
      await open({ schema: chat });
      const names = await page.locator('.fields > mg-field .field-name').allInnerTexts();
      assert.deepEqual(names.slice(-4), ['functions', 'function_call', 'user', 'Other fields']);
    });

    it('values and a schema of another API format that are set from outside', async () => {
      await open({ schema: chat, values: { temperature: 1 } });
      await page.evaluate((form) => Object.assign(document.querySelector('mg-parameters') ?? {}, form), {
        schema: messages,
        values: { top_k: 5 },
      });
      await page.getByRole('heading', { name: 'Set (1)' }).waitFor();
      assert.equal(await box('top_k').inputValue(), '5');
      assert.equal(await box('frequency_penalty').count(), 0);
      assert.deepEqual(await readFired('change'), []);
    });

    it('an invalid value unchanged, with the reason', async () => {
      await open({ schema: chat, values: { temperature: 'hot' } });
      assert.equal(await box('temperature').inputValue(), '"hot"');
      assert.match(await readNote('temperature'), /expected a number from 0 to 2/);
    });

    it('only the fields that match the search, with their parent objects open', async () => {
      await open({ schema: generation });
      const search = page.getByRole('searchbox', { name: 'Search parameters' });
      await search.fill('aspect');
      assert.deepEqual(await readShownNames(), ['generationConfig', 'imageConfig', 'aspectRatio']);
      await search.fill('no such thing');
      assert.deepEqual(await readShownNames(), []);
      await page.getByText('No parameter matches.').waitFor();
      await search.fill('');
      assert.ok((await readShownNames()).length > 5);
    });

    it('typed input again after a search that hid its field', async () => {
      await open({ schema: chat });
      await box('temperature').fill('15');
      const search = page.getByRole('searchbox', { name: 'Search parameters' });
      await search.fill('seed');
      await search.fill('');
      assert.equal(await box('temperature').inputValue(), '15');
    });

    it('the request that will be sent, its omitted parts, and a button to copy it', async () => {
      await open({
        schema: chat,
        requestJson: '{\n  "model": "gpt-x"\n}',
        omitted: ['1 picture of an earlier reply'],
      });
      assert.deepEqual(await readFired('preview'), []);
      await page.getByRole('tab', { name: 'Request' }).click();
      assert.deepEqual(await readFired('preview'), [0]);
      assert.equal(await page.getByLabel('Request as JSON').innerText(), '{\n  "model": "gpt-x"\n}');
      const words = page.getByText('1 picture of an earlier reply');
      const [omitted, json] = await measureBoxes(words, page.getByLabel('Request as JSON'));
      assert.ok(omitted.y < json.y);
      await page.getByRole('button', { name: 'Copy' }).click();
      assert.deepEqual(await readFired('copy-request'), [null]);
    });

    async function readShownNames(): Promise<readonly string[]> {
      return page.locator('.field-name:visible').allInnerTexts();
    }
  });

  describe('keeps the fields in place', () => {
    it('while a field is edited, set, invalid and left', async () => {
      await open({ schema: chat });
      await box('Edit stop as').selectOption('List');
      for (const [name, ...typed] of [
        ['temperature', '1', '15', '1', ''],
        ['tools', '[', '[5]', '[]', ''],
        ['stop', 'a', 'a\nb', ''],
      ] as const) {
        const before = await measurePlaces();
        for (const text of typed) {
          await box(name).fill(text);
          assert.deepEqual(await measurePlaces(), before, `${name} after ${text}`);
        }
        await box(name).fill(typed[0]);
        await box(name).press('Tab');
        assert.deepEqual(await measurePlaces(), before, `${name} after it was left`);
      }
    });

    /** The positions of the fields within the scrolled area. */
    async function measurePlaces(): Promise<readonly number[]> {
      const fields = page.locator('mg-field');
      return fields.evaluateAll((all) =>
        all.map((each) => (each instanceof HTMLElement ? each.offsetTop : 0)),
      );
    }

    it('until the user leaves the fields, and then shows the set fields first', async () => {
      await open({ schema: chat });
      await box('seed').fill('1');
      await page.getByRole('heading', { name: 'Set (1)' }).waitFor();
      await page.getByRole('searchbox').click();
      assert.equal(await page.locator('.fields > mg-field .field-name').first().innerText(), 'seed');
      assert.equal(await box('seed').inputValue(), '1');
    });
  });

  describe('with keyboard and mouse', () => {
    it('opens with the focus in the search box, closes with Escape, and returns the focus', async () => {
      page = await browser.page({ schema: chat });
      await page.getByRole('button', { name: 'Set parameters' }).press('Enter');
      await page.getByRole('dialog').waitFor();
      assert.equal(await readFocused(), 'Search parameters');
      await box('temperature').press('Escape');
      await page.getByRole('dialog').waitFor({ state: 'detached' });
      assert.equal(await readFocused(), 'Set parameters');
      // A dialog reports in a separate task that it closed.
      await page.waitForFunction(() => window.fired.some(([name]) => name === 'close'));
      assert.deepEqual(await readFired('close'), [null]);
      assert.deepEqual((await readFired('keydown')).includes('Escape'), false);
    });

    it('closes by a click next to the sheet, and returns the focus', async () => {
      await open({ schema: chat });
      await page.mouse.click(100, 300);
      await page.getByRole('dialog').waitFor({ state: 'detached' });
      assert.equal(await readFocused(), 'Set parameters');
    });

    it('switches tabs with the arrow keys', async () => {
      await open({ schema: chat });
      await page.getByRole('tab', { name: 'Parameters' }).press('ArrowRight');
      assert.equal(await readFocused(), 'Request');
      assert.deepEqual(await readFired('preview'), [0]);
      assert.equal(await page.getByRole('tab', { name: 'Request' }).getAttribute('aria-selected'), 'true');
      await page.keyboard.press('ArrowLeft');
      assert.equal(await readFocused(), 'Parameters');
    });

    it('keeps the focus in a field when it is reset', async () => {
      await open({ schema: messages, values: { top_k: 5, thinking: { type: 'enabled' } } });
      await page.getByRole('button', { name: 'Reset top_k' }).press('Enter');
      await waitForFocus(box('top_k'));
      await page.getByRole('button', { name: 'Reset thinking' }).press('Enter');
      assert.equal(await readFocused(), 'thinking');
      const type = page.getByRole('group', { name: 'thinking' }).getByLabel('type', { exact: true });
      assert.equal(await type.inputValue(), '');
      assert.deepEqual(await readValues(), {});
    });

    async function readFocused(): Promise<string> {
      const active = page.locator(':focus');
      return (await active.getAttribute('aria-label')) ?? (await active.innerText()).trim();
    }
  });
});
