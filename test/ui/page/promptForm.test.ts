import assert from 'node:assert/strict';
import type { Locator } from 'playwright-core';
import type { PromptFormView } from '../../../src/protocol/promptForm.ts';
import { findAccessibilityFaults, findFaultsInThemes } from './support/accessibility.ts';
import { ChatTestPage, createTurn } from './support/chatPage.ts';
import type { PageOptions } from './support/pageBrowser.ts';
import { getTestBrowser } from './support/testBrowser.ts';

const promptForm: PromptFormView = {
  id: 'form-1',
  title: 'letter',
  description: 'Writes a letter',
  fields: [
    { name: 'who', value: '' },
    { name: 'tone', fallback: 'friendly', value: '' },
    { name: 'about', value: 'the harbour\nand its lights' },
  ],
};

const hostile = '<img src=x onerror="alert(1)"> \u202e $ {input:who} '.repeat(20);

describe('the form of a prompt file', () => {
  const chat = new ChatTestPage(getTestBrowser);
  let form: Locator;

  afterEach(() => chat.close());

  async function open(options?: PageOptions): Promise<void> {
    await chat.open(options);
    await chat.show([]);
    await chat.patch({ promptForm });
    await chat.post({ type: 'perform', action: 'focus-prompt-form' });
    form = chat.page.getByRole('form', { name: 'Prompt letter' });
    await form.waitFor();
  }

  const field = (name: string) => form.getByRole('textbox', { name });
  const focused = () => chat.page.evaluate(() => document.activeElement?.id);
  const answers = async () =>
    (await chat.readPosted()).flatMap((each) =>
      each.type === 'fill-prompt' || each.type === 'close-prompt' ? [each] : [],
    );

  it('starts in the first required field, with the last values in the others', async () => {
    await open();
    assert.equal(await focused(), 'prompt-field-0');
    assert.equal(await field('about').inputValue(), promptForm.fields[2]?.value);
    assert.equal(await field('tone').getAttribute('placeholder'), 'friendly');
    assert.deepEqual(await findAccessibilityFaults(chat.page), []);
  });

  it('reports a required field that is empty, and sends the values to the host once', async () => {
    await open();
    await field('tone').fill('stern');
    await form.getByRole('button', { name: 'Insert into Message Box' }).click();
    await form.getByRole('alert').waitFor();
    assert.equal(await focused(), 'prompt-field-0');
    assert.equal(await field('who').getAttribute('aria-invalid'), 'true');
    assert.deepEqual(await findAccessibilityFaults(chat.page), []);
    assert.deepEqual(await answers(), []);

    await chat.page.keyboard.type('Ada');
    await chat.page.keyboard.press('Enter');
    await chat.page.keyboard.type('and Bo');
    await chat.page.keyboard.press('Control+Enter');
    const [{ channel: _, ...answer } = assert.fail()] = await answers();
    assert.deepEqual(answer, {
      type: 'fill-prompt',
      id: 'form-1',
      values: { who: 'Ada\nand Bo', tone: 'stern', about: 'the harbour\nand its lights' },
    });
  });

  it('is closed by Escape, which does not stop a reply', async () => {
    await open();
    await chat.show([createTurn({ state: 'streaming', text: 'So' })], {}, { promptForm });
    await field('who').press('Escape');
    assert.deepEqual(
      (await answers()).map(({ type }) => type),
      ['close-prompt'],
    );
    assert.ok(!(await chat.readPosted()).some(({ type }) => type === 'stop'));
    await chat.patch({ promptForm: null });
    await form.waitFor({ state: 'detached' });
  });

  it('restores its values after the page was hidden', async () => {
    await open();
    await field('who').fill('Ada');
    await chat.page.evaluate(() => document.querySelector('mg-prompt-form')?.remove());
    await chat.show([], {}, { promptForm: undefined });
    await chat.show([], {}, { promptForm });
    assert.equal(await field('who').inputValue(), 'Ada');
  });

  it('shows names and texts of a hostile file as plain text, and scrolls when it has many fields', async () => {
    await open({ width: 300 });
    const fields = Array.from({ length: 40 }, (_, at) => ({
      name: `${hostile}${at}`,
      fallback: hostile,
      value: hostile,
    }));
    await chat.show([], {}, { promptForm: { ...promptForm, id: 'form-2', description: hostile, fields } });
    await chat.nextFrames();
    assert.equal(await chat.page.locator('mg-prompt-form img').count(), 0);
    const width = await chat.page.evaluate(() => document.documentElement.scrollWidth);
    assert.ok(width <= 300, `${width}`);
    const box = chat.page.getByLabel('Message', { exact: true });
    assert.ok(await box.isVisible());
    const bottom = await box.evaluate((element) => element.getBoundingClientRect().bottom);
    assert.ok(bottom <= (chat.page.viewportSize()?.height ?? 0));
  });

  it('meets the accessibility guidelines in 300 pixels', async () => {
    await open();
    await form.getByRole('button', { name: 'Insert into Message Box' }).click();
    await chat.resize(300, 700);
    const faults = await findFaultsInThemes(chat, async (theme) => {
      await chat.savePicture(`prompt-form-${theme}-300`);
    });
    assert.deepEqual(faults, []);
  });
});
