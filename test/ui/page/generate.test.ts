import assert from 'node:assert/strict';
import type { Locator } from 'playwright-core';
import type { GenerateState } from '../../../src/protocol/generatePage.ts';
import {
  type GenerateTestPage,
  interactions,
  interactionsForm,
  openGenerate,
  synthesis,
  synthesisForm,
} from './support/generatePage.ts';
import { PageBrowser } from './support/pageBrowser.ts';

describe('the Generate page', () => {
  let browser: PageBrowser;
  let page: GenerateTestPage;

  before(async () => {
    browser = await PageBrowser.launch();
  });

  beforeEach(async () => {
    page = await openGenerate(browser, { height: 900 });
  });

  afterEach(async () => {
    assert.deepEqual(page.errors, []);
    assert.deepEqual(await page.violations(), []);
    await page.close();
  });

  after(() => browser.close());

  const prompt = (): Locator => page.page.getByRole('textbox', { name: 'Prompt', exact: true });
  const labelled = (name: string): Locator => page.page.getByLabel(name, { exact: true });
  const button = (name: string | RegExp): Locator => page.page.getByRole('button', { name });
  const generate = (): Locator => button(/^Generate/);
  const radio = (group: string, name: string): Locator =>
    page.page.getByRole('radiogroup', { name: group }).getByRole('radio', { name, exact: true });
  const withValues = (values: GenerateState['form']['values']): Partial<GenerateState> => ({
    form: { ...synthesisForm, values },
  });

  describe('builds the body of a request', () => {
    it('of a native video synthesis', async () => {
      await page.show();
      await prompt().fill('A cat\non a roof');
      await labelled('Not wanted').fill('dogs');
      await labelled('Size').selectOption({ label: '720 × 1280' });
      await radio('Resolution', '720P').click();
      await labelled('Duration in seconds').fill('8');
      await labelled('Seed').fill('0');
      await radio('Write the prompt out', 'On').click();
      await radio('Watermark', 'Off').click();
      assert.deepEqual(await page.body(), {
        parameters: {
          size: '720*1280',
          duration: 8,
          resolution: '720P',
          seed: 0,
          prompt_extend: true,
          watermark: false,
        },
        input: { prompt: 'A cat\non a roof', negative_prompt: 'dogs' },
      });
    });

    it('of an interaction', async () => {
      await page.show(interactions);
      await prompt().fill('A harbour');
      await radio('Aspect ratio', '1:1').click();
      await radio('Duration', '8s').click();
      await labelled('Kind of task').selectOption('Image to video');
      await radio('Keep at the provider', 'Off').click();
      assert.deepEqual(await page.body(), {
        response_format: { type: 'video', aspect_ratio: '1:1', duration: '8s' },
        generation_config: { video_config: { task: 'image_to_video' } },
        background: true,
        input: 'A harbour',
        store: false,
      });
    });

    it('with values that are none of the choices', async () => {
      await page.show();
      await labelled('Size').selectOption('Other…');
      await page.page.getByRole('textbox', { name: 'Other Size' }).fill('640*640');
      await radio('Resolution', 'Other…').click();
      await page.page.keyboard.type('2K');
      assert.deepEqual(await page.body(), {
        parameters: { size: '640*640', duration: 5, resolution: '2K' },
      });
    });

    it('with another number where the choices are numbers', async () => {
      const seconds = {
        path: ['parameters', 'duration'],
        label: 'Duration',
        help: '',
        control: 'choice',
        choices: [5, 10].map((value) => ({ value, label: `${value} s` })),
        open: true,
      } as const;
      await page.show({ form: { ...synthesisForm, fields: [seconds], values: {} } });
      await radio('Duration', '10 s').click();
      assert.deepEqual(await page.body(), { parameters: { duration: 10 } });
      await radio('Duration', 'Other…').click();
      await page.page.getByRole('spinbutton', { name: 'Other Duration' }).fill('7');
      assert.deepEqual(await page.body(), { parameters: { duration: 7 } });
    });

    it('without what is not set, and without objects that this leaves empty', async () => {
      await page.show(withValues({ input: { prompt: 'A cat' }, parameters: { watermark: false } }));
      await button('Reset Watermark').click();
      assert.deepEqual(await page.body(), { input: { prompt: 'A cat' } });
      await prompt().fill('');
      assert.deepEqual(await page.body(), {});
    });

    it('with fields of the rest, which the form keeps as they are', async () => {
      await page.show(withValues({ future: [1], parameters: { duration: 5, audio: true } }));
      await button('More (2)').click();
      const sheet = page.page.getByRole('dialog');
      await sheet.getByLabel('ratio', { exact: true }).fill('16:9');
      assert.deepEqual(await page.body(), {
        future: [1],
        parameters: { audio: true, ratio: '16:9', duration: 5 },
      });
      await page.page.keyboard.press('Escape');
      await button('More (3)').waitFor();
      assert.equal(await labelled('Duration in seconds').inputValue(), '5');
    });
  });

  describe('a field', () => {
    it('shows what is set, and can be set back to nothing', async () => {
      await page.show(withValues({ parameters: { size: '9*9', watermark: true, seed: 4 } }));
      assert.equal(await page.page.getByRole('textbox', { name: 'Other Size' }).inputValue(), '9*9');
      assert.ok(await page.page.getByRole('radio', { name: 'On' }).nth(1).isChecked());
      for (const name of ['Size', 'Watermark', 'Seed']) await button(`Reset ${name}`).click();
      assert.equal(await page.page.getByRole('radio', { checked: true }).count(), 0);
      assert.equal(await labelled('Seed').inputValue(), '');
      assert.equal(await labelled('Size').locator('option:checked').textContent(), 'Not set');
      assert.deepEqual(await page.body(), {});
      assert.equal(await button('Reset Seed').count(), 0);
    });

    it('goes back to its control with the focus when it is reset', async () => {
      await page.show(withValues({ parameters: { seed: 4 } }));
      await button('Reset Seed').focus();
      await page.page.keyboard.press('Enter');
      assert.ok(await labelled('Seed').evaluate((box) => box === document.activeElement));
    });

    it('says when something is no number, and does not set it', async () => {
      await page.show();
      await labelled('Seed').pressSequentially('1e');
      await page.page.getByText('This is not a number.').waitFor();
      assert.equal(await labelled('Seed').getAttribute('aria-invalid'), 'true');
      assert.deepEqual(await page.body(), { parameters: { size: '1280*720', duration: 5 } });
      await button('Reset Seed').click();
      assert.equal(await page.page.getByText('This is not a number.').count(), 0);
      await labelled('Seed').pressSequentially('12');
      assert.deepEqual(await page.body(), { parameters: { size: '1280*720', duration: 5, seed: 12 } });
    });

    it('takes a number as it is typed, key by key', async () => {
      await page.show();
      await labelled('Seed').pressSequentially('-1.05');
      assert.equal(await labelled('Seed').inputValue(), '-1.05');
      assert.deepEqual(await page.body(), { parameters: { size: '1280*720', duration: 5, seed: -1.05 } });
    });

    it('shows its problem until it is edited, and is described by it', async () => {
      const problems = [
        { path: ['parameters', 'seed'], problem: 'Too small' },
        { path: ['input', 'prompt'], problem: 'Say what the video should show.' },
      ];
      await page.show({ problems });
      assert.equal(await prompt().getAttribute('aria-invalid'), 'true');
      await page.page.getByRole('textbox', { name: 'Prompt', description: /Say what/ }).waitFor();
      await prompt().fill('A cat');
      assert.equal(await page.page.getByText('Say what the video should show.').count(), 0);
      assert.equal(await prompt().getAttribute('aria-invalid'), 'false');
      await page.page.getByText('Too small').waitFor();
      await page.post({ type: 'problems', problems: [] });
      await page.nextFrames();
      assert.equal(await page.page.getByText('Too small').count(), 0);
    });

    it('keeps what is being typed when the same form comes again, and shows another one', async () => {
      await page.show();
      await labelled('Seed').pressSequentially('1e');
      await page.post({ type: 'form', target: synthesis.target, form: synthesisForm });
      await page.post({ type: 'target', target: synthesis.target });
      await page.nextFrames();
      await page.page.getByText('This is not a number.').waitFor();
      await page.post({ type: 'form', target: synthesis.target, form: interactionsForm });
      await labelled('Kind of task').waitFor();
      assert.equal(await labelled('Seed').count(), 0);
    });
  });

  it('shows what is wrong with a picture at its place, and goes there when it was refused', async () => {
    await page.show(interactions);
    await generate().click();
    const problem = 'Image to video needs a picture.';
    await page.post({ type: 'problems', problems: [{ path: ['frames', 'first'], problem }] });
    await page.post({ type: 'submission-result', submissionToken: 'token-1', sent: false });
    const well = page.page.getByRole('button', { name: /^First frame/, description: problem });
    await well.waitFor();
    await page.nextFrames();
    assert.ok(await well.evaluate((box) => box === document.activeElement));
    assert.equal(await page.page.getByRole('list', { name: 'Problems' }).count(), 0);
  });

  it('shows problems that have no field, with where they are', async () => {
    await page.show({
      problems: [
        { path: ['parameters', 'ratio'], problem: 'must be width:height' },
        { path: [], problem: 'Either a size or a resolution.' },
      ],
    });
    const list = page.page.getByRole('list', { name: 'Problems' });
    assert.deepEqual(
      (await list.getByRole('listitem').allTextContents()).map((text) => text.trim()),
      ['parameters.ratio: must be width:height', 'Either a size or a resolution.'],
    );
  });

  it('says to screen readers whether anything was sent, also when the answer to a question was no', async () => {
    await page.show();
    for (const [sent, said] of [
      [false, 'Not sent'],
      [true, 'Sent'],
    ] as const) {
      await generate().click();
      await page.post({ type: 'submission-result', submissionToken: `token-${said}`, sent });
      await page.page.getByRole('status').getByText(said, { exact: true }).waitFor();
    }
  });

  it('goes back to Generate when a question took the focus away', async () => {
    await page.show();
    await generate().click();
    await generate().blur();
    await page.post({ type: 'submission-result', submissionToken: 'token-2', sent: false });
    await page.page.locator('button.generate:focus').waitFor();
  });

  describe('generates', () => {
    const sent = async () => (await page.postedOf('generate')).map(({ submissionToken }) => submissionToken);

    it('F70 once for a double click, and once more with the next token', async () => {
      await page.show();
      await generate().dblclick();
      await generate().click({ force: true });
      assert.deepEqual(await sent(), ['token-1']);
      assert.ok(await generate().isDisabled());
      await page.post({ type: 'submission-result', submissionToken: 'token-2', sent: true });
      await page.nextFrames();
      await generate().click();
      assert.deepEqual(await sent(), ['token-1', 'token-2']);
    });

    it('F70 once for a double click or a key held down, even when the host answers in between', async () => {
      await page.show();
      await generate().click();
      await page.post({ type: 'submission-result', submissionToken: 'token-2', sent: true });
      await page.nextFrames();
      await generate().dispatchEvent('click', { detail: 2, bubbles: true });
      assert.deepEqual(await sent(), ['token-1']);
      await generate().focus();
      for (const submissionToken of ['token-3', 'token-4']) {
        // The second of these repeats the first.
        await page.page.keyboard.down('Enter');
        await page.post({ type: 'submission-result', submissionToken, sent: true });
        await page.nextFrames();
      }
      await page.page.keyboard.up('Enter');
      assert.deepEqual(await sent(), ['token-1', 'token-2']);
    });

    it('F70 once for a click together with the keys', async () => {
      await page.show();
      await prompt().fill('A cat');
      await prompt().press('Control+Enter');
      await generate().click({ force: true });
      await prompt().press('Meta+Enter');
      assert.deepEqual(await sent(), ['token-1']);
    });

    it('with the newest values, told before', async () => {
      await page.show();
      await page.page.evaluate(() => {
        // Without a frame in between.
        const box = document.querySelector('textarea');
        const button = document.querySelector<HTMLElement>('.generate.button');
        if (!box || !button) return;
        box.value = 'A cat';
        box.dispatchEvent(new Event('input', { bubbles: true }));
        button.click();
      });
      const posted = await page.posted();
      assert.deepEqual(
        posted.map(({ type }) => type),
        ['set-values', 'generate'],
      );
      assert.deepEqual(await page.body(), {
        parameters: { size: '1280*720', duration: 5 },
        input: { prompt: 'A cat' },
      });
    });

    it('never by Enter in a field, by a paste, or by keys while an input method is open', async () => {
      await page.show();
      await prompt().press('Enter');
      await prompt().press('Shift+Enter');
      for (const name of ['Not wanted', 'Duration in seconds', 'Seed', 'Size', 'Count']) {
        const box = labelled(name);
        await box.press('Enter');
        await box.press('Control+Enter');
      }
      await prompt().dispatchEvent('keydown', {
        key: 'Enter',
        ctrlKey: true,
        isComposing: true,
        bubbles: true,
      });
      await prompt().dispatchEvent('keydown', { key: 'Enter', ctrlKey: true, repeat: true, bubbles: true });
      await prompt().evaluate((box) => {
        const clipboardData = new DataTransfer();
        clipboardData.setData('text/plain', 'Generate\n');
        box.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }));
      });
      assert.deepEqual(await sent(), []);
    });

    it('nothing while the host says it cannot, and says why', async () => {
      const notice = {
        title: 'No credential is set',
        detail: 'Set it.',
        requestId: 'req_1',
        buttons: [{ action: 'set-credential', label: 'Set credential' }],
        severity: 'error',
      } as const;
      await page.show({ target: { ...synthesis.target, notice } });
      await generate().click({ force: true });
      await prompt().press('Control+Enter');
      assert.deepEqual(await sent(), []);
      assert.equal(await generate().getAttribute('title'), 'No credential is set');
      await page.page.getByText('req_1').waitFor();
      await button('Set credential').click();
      assert.deepEqual(await page.postedOf('action'), [
        { type: 'action', action: 'set-credential', channel: 'test-channel' },
      ]);
      await page.post({ type: 'target', target: { ...synthesis.target, model: undefined } });
      await page.nextFrames();
      await generate().click({ force: true });
      assert.deepEqual(await sent(), []);
    });

    it('nothing of a request that the host would not take, not even after a reload', async () => {
      await page.show();
      await prompt().fill('x'.repeat(1_500_000));
      await page.page.getByText(/1\.4 million characters/).waitFor();
      await generate().click({ force: true });
      assert.deepEqual(await page.posted(), []);
      await page.page.reload();
      await page.page.waitForFunction(() => window.posted.length > 0);
      await page.show();
      assert.equal((await prompt().inputValue()).length, 1_500_000);
      await generate().click({ force: true });
      assert.deepEqual(await page.posted(), []);
      await prompt().fill('short');
      assert.deepEqual(await page.body(), {
        parameters: { size: '1280*720', duration: 5 },
        input: { prompt: 'short' },
      });
      await generate().click();
      assert.deepEqual(await sent(), ['token-1']);
    });

    it('several at once, and the button says how many', async () => {
      await page.show();
      await button('One more').click();
      await button('One more').click();
      await button('Generate 3').waitFor();
      const box = page.page.getByRole('spinbutton', { name: 'Count' });
      await box.fill('40');
      await box.press('Tab');
      await button('Generate 8').waitFor();
      await button('One more').click({ force: true });
      await box.fill('');
      await box.press('Tab');
      assert.equal(await box.inputValue(), '8');
      await box.fill('-2');
      await box.press('Tab');
      await page.page.getByRole('button', { name: 'Generate', exact: true }).waitFor();
      const counts = (await page.postedOf('set-count')).map(({ count }) => count);
      assert.deepEqual(
        counts.filter((count, index) => count !== counts[index - 1]),
        [2, 3, 8, 1],
      );
    });

    it('and goes to the first problem when it was refused', async () => {
      await page.show();
      await generate().click();
      await page.post({ type: 'problems', problems: [{ path: ['input', 'prompt'], problem: 'Say what.' }] });
      await page.post({ type: 'submission-result', submissionToken: 'token-1', sent: false });
      await page.page.getByRole('status').getByText('Not sent').waitFor({ state: 'attached' });
      await page.nextFrames();
      assert.ok(await prompt().evaluate((box) => box === document.activeElement));
      await page.page.keyboard.type('A cat');
      await generate().click();
      assert.deepEqual(await sent(), ['token-1', 'token-1']);
    });
  });

  describe('stays with the host', () => {
    it('tells it of edits once a frame, and leaves nothing behind', async () => {
      await page.show();
      await page.page.evaluate(() => {
        const box = document.querySelector('textarea');
        for (const letter of 'abc') {
          if (box) box.value += letter;
          box?.dispatchEvent(new Event('input', { bubbles: true }));
        }
      });
      assert.equal((await page.postedOf('set-values')).length, 1);
      assert.deepEqual(await page.page.evaluate(() => sessionStorage.getItem('state')), '{}');
    });

    it('asks for everything again when a message was missed, and ignores what comes until then', async () => {
      await page.show();
      await page.post({ type: 'submission-result', submissionToken: 'lost', sent: true }, 7);
      await page.post({ type: 'submission-result', submissionToken: 'lost, too', sent: true });
      await page.nextFrames();
      assert.equal(await page.readyCount(), 2);
      await prompt().fill('Written meanwhile');
      await page.show({ submissionToken: 'token-9' });
      assert.equal(await prompt().inputValue(), 'Written meanwhile');
      await generate().click();
      assert.deepEqual(
        (await page.posted()).slice(-2).map((message) => message.type),
        ['set-values', 'generate'],
      );
      assert.deepEqual((await page.postedOf('generate')).at(-1)?.submissionToken, 'token-9');
    });

    it('keeps over a reload what it could not tell, for the same model only', async () => {
      await page.show();
      const entered = {
        model: 'demo/video',
        route: 'Video synthesis',
        values: { input: { prompt: 'Kept' } },
      };
      const reloadWith = async (state: unknown) => {
        await page.page.evaluate((json) => sessionStorage.setItem('state', json), JSON.stringify(state));
        await page.page.reload();
        await page.page.waitForFunction(() => window.posted.length > 0);
        await page.show();
      };
      await reloadWith({ entered: { ...entered, model: 'other' } });
      assert.equal(await prompt().inputValue(), '');
      await reloadWith({ entered });
      assert.equal(await prompt().inputValue(), 'Kept');
      assert.deepEqual(await page.body(), { input: { prompt: 'Kept' } });
    });

    it('chooses model and route there', async () => {
      await page.show();
      await button('Model: demo/video. Choose another').click();
      await button('Route: Video synthesis. Choose another').click();
      assert.deepEqual(
        (await page.posted()).map(({ type }) => type),
        ['choose-model', 'choose-route'],
      );
    });

    it('goes to the prompt when it is asked to, from an open sheet as well', async () => {
      await page.show();
      await button(/^More/).click();
      await page.post({ type: 'perform', action: 'focus-prompt' });
      await page.page.getByRole('dialog').waitFor({ state: 'detached' });
      await page.nextFrames();
      assert.ok(await prompt().evaluate((box) => box === document.activeElement));
    });
  });

  it('shows the request as it would be sent, to be copied', async () => {
    await page.show();
    await prompt().fill('A cat');
    await button('Request as JSON').click();
    await page.post({ type: 'request', json: '{"input": {"prompt": "A cat"}}' });
    await page.page.getByText('{"input": {"prompt": "A cat"}}').waitFor();
    await button('Copy').click();
    assert.deepEqual(
      (await page.posted()).map(({ type }) => type),
      ['set-values', 'preview-request', 'copy-request'],
    );
    await page.page.keyboard.press('Escape');
    await page.page.getByRole('dialog').waitFor({ state: 'detached' });
    const back = button('Request as JSON');
    assert.ok(await back.evaluate((each) => each === document.activeElement));
  });

  it('can be used with the keyboard alone', async () => {
    await page.show({ tiles: [] });
    const walk: string[] = [];
    await page.page.evaluate(() => document.body.focus());
    for (let step = 0; step < 40; step += 1) {
      await page.page.keyboard.press('Tab');
      const name = await page.page.evaluate(() => {
        const element = document.activeElement;
        if (!element || element === document.body) return '';
        const { outlineStyle } = getComputedStyle(
          element.matches('.segment input') ? (element.nextElementSibling ?? element) : element,
        );
        const label =
          element instanceof HTMLInputElement ||
          element instanceof HTMLTextAreaElement ||
          element instanceof HTMLSelectElement
            ? element.labels?.[0]?.textContent
            : undefined;
        const name = element.ariaLabel ?? label ?? element.textContent;
        return `${name.trim()}${outlineStyle === 'none' ? ' (no outline)' : ''}`;
      });
      if (name === '') break;
      walk.push(name);
    }
    assert.deepEqual(walk, [
      'Model: demo/video. Choose another',
      'Route: Video synthesis. Choose another',
      'Prompt',
      'Not wanted',
      ...['Reset Size', 'Size'],
      '480P',
      ...['Reset Duration in seconds', 'Duration in seconds'],
      'Seed',
      'On',
      'On',
      'First frame: Choose, paste or drop',
      'Last frame: Choose, paste or drop',
      'Generate',
      ...['One less', 'Count', 'One more'],
      'More',
      'Request as JSON',
    ]);
    await radio('Resolution', '480P').press('Space');
    await page.page.keyboard.press('ArrowRight');
    assert.deepEqual(await page.body(), {
      parameters: { size: '1280*720', duration: 5, resolution: '720P' },
    });
  });
});
