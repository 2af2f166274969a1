import assert from 'node:assert/strict';
import type { GenerateState } from '../../../src/protocol/generatePage.ts';
import {
  GenerateTestPage,
  interactions,
  interactionsForm,
  synthesis,
  synthesisForm,
} from './support/generatePage.ts';
import { waitForFocus } from './support/waits.ts';

describe('the form of the Generate page', () => {
  const page = new GenerateTestPage();

  beforeEach(() => page.open({ height: 900 }));

  afterEach(() => page.close());

  const withValues = (values: GenerateState['form']['values']): Partial<GenerateState> => ({
    form: { ...synthesisForm, values },
  });

  describe('builds the body of a request', () => {
    it('of a native video synthesis', async () => {
      await page.show();
      await page.openMore();
      await page.prompt().fill('A cat\non a roof');
      await page.labelled('Negative prompt').fill('dogs');
      await page.labelled('Size').selectOption({ label: '720 × 1280' });
      await page.radio('Duration', '8 s').click();
      await page.labelled('Seed').fill('0');
      await page.radio('Enhance prompt', 'On').click();
      await page.radio('Watermark', 'Off').click();
      assert.deepEqual(await page.readBody(), {
        parameters: {
          size: '720*1280',
          duration: 8,
          seed: 0,
          prompt_extend: true,
          watermark: false,
        },
        input: { prompt: 'A cat\non a roof', negative_prompt: 'dogs' },
      });
    });

    it('of an interaction', async () => {
      await page.show(interactions);
      await page.openMore();
      await page.prompt().fill('A harbour');
      await page.radio('Aspect ratio', '1:1').click();
      await page.radio('Duration', '8 s').click();
      await page.labelled('Kind of task').selectOption('Image to video');
      await page.radio('Store on provider', 'Off').click();
      assert.deepEqual(await page.readBody(), {
        response_format: { type: 'video', aspect_ratio: '1:1', duration: '8s' },
        generation_config: { video_config: { task: 'image_to_video' } },
        background: true,
        input: 'A harbour',
        store: false,
      });
    });

    it('with values that are not among the choices', async () => {
      await page.show();
      await page.labelled('Size').selectOption('Other…');
      await page.page.getByRole('textbox', { name: 'Other Size' }).fill('640*640');
      assert.deepEqual(await page.readBody(), { parameters: { size: '640*640', duration: 5 } });
      await page.radio('Resolution', 'Other…').click();
      await page.page.keyboard.type('2K');
      assert.deepEqual(await page.readBody(), { parameters: { duration: 5, resolution: '2K' } });
    });

    it('with another number where the choices are numbers', async () => {
      const seconds = {
        path: ['parameters', 'duration'],
        label: 'Duration',
        help: '',
        control: 'choice',
        choices: [5, 10].map((value) => ({ value, label: `${value} s` })),
        allowsOther: true,
      } as const;
      await page.show({ form: { ...synthesisForm, fields: [seconds], values: {} } });
      await page.radio('Duration', '10 s').click();
      assert.deepEqual(await page.readBody(), { parameters: { duration: 10 } });
      await page.radio('Duration', 'Other…').click();
      await page.page.getByRole('spinbutton', { name: 'Other Duration' }).fill('7');
      assert.deepEqual(await page.readBody(), { parameters: { duration: 7 } });
    });

    it('without unset values, and without objects that are empty because of this', async () => {
      await page.show(withValues({ input: { prompt: 'A cat' }, parameters: { watermark: false } }));
      await page.openMore();
      await page.button('Reset Watermark').click();
      assert.deepEqual(await page.readBody(), { input: { prompt: 'A cat' } });
      await page.prompt().fill('');
      assert.deepEqual(await page.readBody(), {});
    });

    it('with fields that have no control in the form, unchanged or set in the sheet', async () => {
      await page.show(withValues({ future: [1], parameters: { duration: 5, audio: true } }));
      await page.button('More (2)').click();
      await page.button('All Parameters…').click();
      const sheet = page.page.getByRole('dialog');
      await sheet.getByLabel('ratio', { exact: true }).fill('16:9');
      assert.deepEqual(await page.readBody(), {
        future: [1],
        parameters: { audio: true, ratio: '16:9', duration: 5 },
      });
      await page.page.keyboard.press('Escape');
      await page.button('More (3)').waitFor();
      assert.ok(await page.radio('Duration', '5 s').isChecked());
    });
  });

  describe('a field', () => {
    it('shows its value, and can be reset to unset', async () => {
      await page.show(withValues({ parameters: { size: '9*9', watermark: true, seed: 4 } }));
      await page.openMore();
      assert.equal(await page.page.getByRole('textbox', { name: 'Other Size' }).inputValue(), '9*9');
      assert.ok(await page.page.getByRole('radio', { name: 'On' }).nth(1).isChecked());
      for (const name of ['Size', 'Watermark', 'Seed']) await page.button(`Reset ${name}`).click();
      assert.equal(await page.page.getByRole('radio', { checked: true }).count(), 0);
      assert.equal(await page.labelled('Seed').inputValue(), '');
      assert.equal(await page.labelled('Size').locator('option:checked').textContent(), 'Not set');
      assert.deepEqual(await page.readBody(), {});
      assert.equal(await page.button('Reset Seed').count(), 0);
    });

    it('gets the focus when it is reset', async () => {
      await page.show(withValues({ parameters: { seed: 4 } }));
      await page.openMore();
      await page.button('Reset Seed').focus();
      await page.page.keyboard.press('Enter');
      await waitForFocus(page.labelled('Seed'));
    });

    it('reports input that is not a number, and does not set it', async () => {
      await page.show();
      await page.openMore();
      await page.labelled('Seed').pressSequentially('1e');
      await page.page.getByText('This is not a number.').waitFor();
      assert.equal(await page.labelled('Seed').getAttribute('aria-invalid'), 'true');
      assert.deepEqual(await page.readBody(), { parameters: { size: '1280*720', duration: 5 } });
      await page.button('Reset Seed').click();
      assert.equal(await page.page.getByText('This is not a number.').count(), 0);
      await page.labelled('Seed').pressSequentially('12');
      assert.deepEqual(await page.readBody(), { parameters: { size: '1280*720', duration: 5, seed: 12 } });
    });

    it('sets a number while it is typed key by key', async () => {
      await page.show();
      await page.openMore();
      await page.labelled('Seed').pressSequentially('-1.05');
      assert.equal(await page.labelled('Seed').inputValue(), '-1.05');
      assert.deepEqual(await page.readBody(), { parameters: { size: '1280*720', duration: 5, seed: -1.05 } });
    });

    it('shows its problem until it is edited, and is described by it', async () => {
      const problems = [
        { path: ['parameters', 'seed'], problem: 'Too small' },
        { path: ['input', 'prompt'], problem: 'Describe the video.' },
      ];
      await page.show({ problems });
      assert.equal(await page.prompt().getAttribute('aria-invalid'), 'true');
      await page.page.getByRole('textbox', { name: 'Prompt', description: /Describe the video/ }).waitFor();
      await page.prompt().fill('A cat');
      assert.equal(await page.page.getByText('Describe the video.').count(), 0);
      assert.equal(await page.prompt().getAttribute('aria-invalid'), 'false');
      await page.page.getByText('Too small').waitFor();
      await page.post({ type: 'problems', problems: [] });
      await page.nextFrames();
      assert.equal(await page.page.getByText('Too small').count(), 0);
    });

    it('keeps unfinished input when the same form arrives again, and is replaced by another form', async () => {
      await page.show();
      await page.openMore();
      await page.labelled('Seed').pressSequentially('1e');
      await page.post({ type: 'form', target: synthesis.target, form: synthesisForm });
      await page.post({ type: 'target', target: synthesis.target });
      await page.nextFrames();
      await page.page.getByText('This is not a number.').waitFor();
      await page.post({ type: 'form', target: synthesis.target, form: interactionsForm });
      await page.labelled('Kind of task').waitFor();
      assert.equal(await page.labelled('Seed').count(), 0);
    });
  });

  it('shows that a size and a resolution exclude each other, and never sends both', async () => {
    const sizeAndResolution = async () => {
      const { parameters } = (await page.readBody()) as {
        parameters: { readonly size?: string; readonly resolution?: string };
      };
      return [parameters.size, parameters.resolution];
    };
    const announced = (words: string) => page.page.getByRole('status').getByText(words).waitFor();
    const headText = (name: string) => page.page.locator('.field-head').filter({ hasText: name }).innerText();
    await page.show();
    assert.match(await headText('Resolution'), /instead of Size/);
    await page.radio('Resolution', '720P').click();
    assert.deepEqual(await sizeAndResolution(), [undefined, '720P']);
    await announced('No longer set: Size');
    assert.equal(await page.labelled('Size').inputValue(), '');
    await waitForFocus(page.radio('Resolution', '720P'));
    assert.match(await headText('Size'), /instead of Resolution/);
    assert.match((await page.labelled('Size').getAttribute('aria-describedby')) ?? '', /size-aside/);
    await page.labelled('Size').selectOption({ label: '960 × 960' });
    assert.deepEqual(await sizeAndResolution(), ['960*960', undefined]);
    assert.equal(await page.radio('Resolution', '720P').isChecked(), false);
  });

  it('steps the number of videos from 1 to 8 by named buttons, and focuses the box by its label', async () => {
    await page.show();
    const stepper = page.page.getByRole('group', { name: 'Number of videos' });
    const box = stepper.getByRole('spinbutton', { name: 'Videos' });
    const [less, more] = [stepper.getByTitle('One Less'), stepper.getByTitle('One More')];
    await stepper.getByText('Videos', { exact: true }).click();
    await waitForFocus(box);
    assert.equal(await less.getAttribute('aria-disabled'), 'true');
    await box.press('ArrowUp');
    await box.press('Tab');
    await page.button('Generate 2').waitFor();
    assert.equal(await less.getAttribute('aria-disabled'), 'false');
    for (let count = 3; count <= 8; count += 1) await more.press('Enter');
    assert.equal(await more.getAttribute('aria-disabled'), 'true');
    await more.press('Enter');
    assert.equal(await box.inputValue(), '8');
    await less.press('Space');
    await page.button('Generate 7').waitFor();
  });

  it('clears the size when a field of the sheet excludes it', async () => {
    await page.show();
    await page.openMore();
    await page.button('All Parameters…').click();
    await page.page.getByRole('button', { name: 'parameters', exact: true }).click();
    await page.page.getByLabel('ratio', { exact: true }).fill('16:9');
    assert.deepEqual(await page.readBody(), { parameters: { duration: 5, ratio: '16:9' } });
    await page.page.keyboard.press('Escape');
    await page.page.getByRole('dialog').waitFor({ state: 'detached' });
    assert.equal(await page.labelled('Size').inputValue(), '');
    await page.labelled('Size').selectOption({ label: '960 × 960' });
    assert.deepEqual(await page.readBody(), { parameters: { duration: 5, size: '960*960' } });
  });

  it('keeps input under More when it is closed, and opens it for a problem there', async () => {
    await page.show();
    await page.openMore();
    await page.labelled('Seed').pressSequentially('1e');
    await page.button(/^More/).click();
    assert.ok(await page.labelled('Seed').isHidden());
    await page.button(/^More/).click();
    await page.page.getByText('This is not a number.').waitFor();
    await page.button(/^More/).click();
    await page.generate().click();
    await page.post({ type: 'problems', problems: [{ path: ['parameters', 'seed'], problem: 'Too small' }] });
    await page.post({ type: 'submission-result', submissionToken: 'token-1', wasSent: false });
    await page.nextFrames();
    await waitForFocus(page.labelled('Seed'));
  });

  it('shows the fields that a change of the route dropped', async () => {
    await page.show();
    const remark = 'Omitted, because Interactions (Gemini) does not support them: Negative prompt.';
    await page.post({ type: 'form', target: synthesis.target, form: { ...interactionsForm, remark } });
    await page.page.getByText(remark).waitFor();
  });

  it('shows the problem of a picture at its frame, and focuses the frame after a refusal', async () => {
    await page.show(interactions);
    await page.generate().click();
    const problem = 'Image to video needs a picture.';
    await page.post({ type: 'problems', problems: [{ path: ['frames', 'first'], problem }] });
    await page.post({ type: 'submission-result', submissionToken: 'token-1', wasSent: false });
    const dropZone = page.page.getByRole('button', { name: /^First frame/, description: problem });
    await dropZone.waitFor();
    await page.nextFrames();
    await waitForFocus(dropZone);
    assert.equal(await page.page.getByRole('list', { name: 'Problems' }).count(), 0);
  });

  it('lists problems that have no field, with their paths', async () => {
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

  it('announces to screen readers whether the request was sent', async () => {
    await page.show();
    for (const [wasSent, problem] of [
      [false, 'Not sent'],
      [true, 'Sent'],
    ] as const) {
      await page.generate().click();
      await page.post({ type: 'submission-result', submissionToken: `token-${problem}`, wasSent });
      await page.page.getByRole('status').getByText(problem, { exact: true }).waitFor();
    }
  });

  it('returns the focus to Generate when a dialog took it', async () => {
    await page.show();
    await page.generate().click();
    await page.generate().blur();
    await page.post({ type: 'submission-result', submissionToken: 'token-2', wasSent: false });
    await page.page.locator('button.generate:focus').waitFor();
  });

  it('returns the focus to the caret in the prompt from which the request was sent', async () => {
    await page.show();
    await page.prompt().fill('A cat');
    await page.prompt().press('ArrowLeft');
    await page.prompt().press('Control+Enter');
    await page.prompt().blur();
    await page.post({ type: 'submission-result', submissionToken: 'token-2', wasSent: true });
    await page.page.locator('textarea.prompt:focus').waitFor();
    await page.page.keyboard.type('r');
    assert.equal(await page.prompt().inputValue(), 'A cart');
    await page.page.getByRole('status').getByText('Sent', { exact: true }).waitFor();
  });
});
