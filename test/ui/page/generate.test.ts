import assert from 'node:assert/strict';
import { GenerateTestPage, synthesis } from './support/generatePage.ts';
import { enterAtOnce } from './support/longText.ts';
import { waitForFocus } from './support/waits.ts';

describe('the Generate page', () => {
  const page = new GenerateTestPage();

  beforeEach(() => page.open({ height: 900 }));

  afterEach(() => page.close());

  describe('generates', () => {
    const sent = async () =>
      (await page.readPostedOf('generate')).map(({ submissionToken }) => submissionToken);

    it('F70 once for a double click, and once more with the next token', async () => {
      await page.show();
      await page.generate().dblclick();
      await page.generate().click({ force: true });
      assert.deepEqual(await sent(), ['token-1']);
      assert.ok(await page.generate().isDisabled());
      await page.post({ type: 'submission-result', submissionToken: 'token-2', wasSent: true });
      await page.nextFrames();
      await page.generate().click();
      assert.deepEqual(await sent(), ['token-1', 'token-2']);
    });

    it('F70 once for a double click or a key held down, even when the host responds in between', async () => {
      await page.show();
      await page.generate().click();
      await page.post({ type: 'submission-result', submissionToken: 'token-2', wasSent: true });
      await page.nextFrames();
      await page.generate().dispatchEvent('click', { detail: 2, bubbles: true });
      assert.deepEqual(await sent(), ['token-1']);
      await page.generate().focus();
      for (const submissionToken of ['token-3', 'token-4']) {
        // The second key press is a repetition of the first.
        await page.page.keyboard.down('Enter');
        await page.post({ type: 'submission-result', submissionToken, wasSent: true });
        await page.nextFrames();
      }
      await page.page.keyboard.up('Enter');
      assert.deepEqual(await sent(), ['token-1', 'token-2']);
    });

    it('F70 once for a click together with the keyboard shortcut', async () => {
      await page.show();
      await page.prompt().fill('A cat');
      await page.prompt().press('Control+Enter');
      await page.generate().click({ force: true });
      await page.prompt().press('Meta+Enter');
      assert.deepEqual(await sent(), ['token-1']);
    });

    it('with the newest values, which are sent to the host first', async () => {
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
      const posted = await page.readPosted();
      assert.deepEqual(
        posted.map(({ type }) => type),
        ['set-values', 'generate'],
      );
      assert.deepEqual(await page.readBody(), {
        parameters: { size: '1280*720', duration: 5 },
        input: { prompt: 'A cat' },
      });
    });

    it('never by Enter in a field, by a paste, or by keys while an input method is open', async () => {
      await page.show();
      await page.prompt().press('Enter');
      await page.prompt().press('Shift+Enter');
      await page.openMore();
      for (const name of ['Negative prompt', 'Seed', 'Size', 'Videos']) {
        const box = page.labelled(name);
        await box.press('Enter');
        await box.press('Control+Enter');
      }
      await page.prompt().dispatchEvent('keydown', {
        key: 'Enter',
        ctrlKey: true,
        isComposing: true,
        bubbles: true,
      });
      await page
        .prompt()
        .dispatchEvent('keydown', { key: 'Enter', ctrlKey: true, repeat: true, bubbles: true });
      await page.prompt().evaluate((box) => {
        const clipboardData = new DataTransfer();
        clipboardData.setData('text/plain', 'Generate\n');
        box.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }));
      });
      assert.deepEqual(await sent(), []);
    });

    it('nothing while the host reports a problem or no model, and shows the reason', async () => {
      const notice = {
        title: 'No credential is set',
        detail: 'Set it.',
        requestId: 'req_1',
        buttons: [{ action: 'set-credential', label: 'Set Credential…' }],
        severity: 'error',
      } as const;
      await page.show({ target: { ...synthesis.target, notice } });
      await page.generate().click({ force: true });
      await page.prompt().press('Control+Enter');
      assert.deepEqual(await sent(), []);
      assert.equal(await page.generate().getAttribute('title'), 'No credential is set');
      await page.page.getByText('req_1').waitFor();
      await page.button('Set Credential…').click();
      assert.deepEqual(await page.readPostedOf('action'), [
        { type: 'action', action: 'set-credential', channel: 'test-channel' },
      ]);
      await page.post({ type: 'target', target: { ...synthesis.target, model: undefined } });
      await page.nextFrames();
      await page.generate().click({ force: true });
      assert.deepEqual(await sent(), []);
    });

    it('despite a warning of the host', async () => {
      const warning = {
        title: 'work does not list this model',
        detail: 'Nothing was sent. Choose a model that it lists, or send again.',
        buttons: [{ action: 'choose-model', label: 'Choose Another Model…' }],
        severity: 'info',
      } as const;
      await page.show({ target: { ...synthesis.target, warning } });
      await page.page.getByText('work does not list this model').waitFor();
      await page.generate().click();
      assert.equal((await sent()).length, 1);
    });

    it('nothing when the request is too long, also after a reload', async () => {
      await page.show();
      await enterAtOnce(page.prompt(), 'x'.repeat(1_500_000));
      await page.page.getByText(/1,500,\d{3} characters long/).waitFor();
      await page.generate().click({ force: true });
      assert.deepEqual(await page.readPosted(), []);
      await page.page.reload();
      await page.page.waitForFunction(() => window.posted.length > 0);
      await page.show();
      assert.equal((await page.prompt().inputValue()).length, 1_500_000);
      await page.generate().click({ force: true });
      assert.deepEqual(await page.readPosted(), []);
      await page.prompt().fill('short');
      assert.deepEqual(await page.readBody(), {
        parameters: { size: '1280*720', duration: 5 },
        input: { prompt: 'short' },
      });
      await page.generate().click();
      assert.deepEqual(await sent(), ['token-1']);
    });

    it('several at once, and the button shows how many', async () => {
      await page.show();
      await page.button('One More').click();
      await page.button('One More').click();
      await page.button('Generate 3').waitFor();
      const box = page.page.getByRole('spinbutton', { name: 'Videos' });
      await box.fill('40');
      await box.press('Tab');
      await page.button('Generate 8').waitFor();
      await page.button('One More').click({ force: true });
      await box.fill('');
      await box.press('Tab');
      assert.equal(await box.inputValue(), '8');
      await box.fill('-2');
      await box.press('Tab');
      await page.page.getByRole('button', { name: 'Generate', exact: true }).waitFor();
      const counts = (await page.readPostedOf('set-count')).map(({ count }) => count);
      assert.deepEqual(
        counts.filter((count, index) => count !== counts[index - 1]),
        [2, 3, 8, 1],
      );
    });

    it('again with the same token after a refusal, which focuses the first problem', async () => {
      await page.show();
      await page.generate().click();
      await page.post({ type: 'problems', problems: [{ path: ['input', 'prompt'], problem: 'Say what.' }] });
      await page.post({ type: 'submission-result', submissionToken: 'token-1', wasSent: false });
      await page.page.getByRole('status').getByText('Not sent').waitFor({ state: 'attached' });
      await page.nextFrames();
      await waitForFocus(page.prompt());
      await page.page.keyboard.type('A cat');
      await page.generate().click();
      assert.deepEqual(await sent(), ['token-1', 'token-1']);
    });
  });

  describe('in its tab', () => {
    it('sends edits once per frame, and does not store them in the page', async () => {
      await page.show();
      await page.page.evaluate(() => {
        const box = document.querySelector('textarea');
        for (const letter of 'abc') {
          if (box) box.value += letter;
          box?.dispatchEvent(new Event('input', { bubbles: true }));
        }
      });
      assert.equal((await page.readPostedOf('set-values')).length, 1);
      assert.deepEqual(await page.page.evaluate(() => sessionStorage.getItem('state')), '{}');
    });

    it('requests the whole state again when a message was missed, and ignores messages until it arrives', async () => {
      await page.show();
      await page.post({ type: 'submission-result', submissionToken: 'lost', wasSent: true }, 7);
      await page.post({ type: 'submission-result', submissionToken: 'lost, too', wasSent: true });
      await page.nextFrames();
      assert.equal(await page.countReadyMessages(), 2);
      await page.prompt().fill('Written meanwhile');
      await page.show({ submissionToken: 'token-9' });
      assert.equal(await page.prompt().inputValue(), 'Written meanwhile');
      await page.generate().click();
      assert.deepEqual(
        (await page.readPosted()).slice(-2).map((message) => message.type),
        ['set-values', 'generate'],
      );
      assert.deepEqual((await page.readPostedOf('generate')).at(-1)?.submissionToken, 'token-9');
    });

    it('restores the scroll position after the page was hidden', async () => {
      await page.page.setViewportSize({ width: 500, height: 200 });
      await page.show();
      const scroller = page.page.locator('main');
      await scroller.evaluate(
        (each) =>
          new Promise((resolve) => {
            each.addEventListener('scrollend', resolve, { once: true });
            each.scrollTo(0, 60);
          }),
      );
      await page.page.reload();
      await page.page.waitForFunction(() => window.posted.length > 0);
      await page.show();
      await page.page.waitForFunction(() => document.querySelector('main')?.scrollTop === 60);
    });

    it('restores unsent values after a reload, for the same model only', async () => {
      await page.show();
      const enteredForm = {
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
      await reloadWith({ enteredForm: { ...enteredForm, model: 'other' } });
      assert.equal(await page.prompt().inputValue(), '');
      for (const damaged of [
        7,
        'text',
        [],
        { ...enteredForm, values: undefined },
        { ...enteredForm, route: 7 },
      ]) {
        await reloadWith({ enteredForm: damaged });
        assert.equal(await page.prompt().inputValue(), '', JSON.stringify(damaged));
      }
      await reloadWith({ enteredForm });
      assert.equal(await page.prompt().inputValue(), 'Kept');
      assert.deepEqual(await page.readBody(), { input: { prompt: 'Kept' } });
    });

    it('shows the price, which also describes the button for screen readers', async () => {
      await page.show({ ...synthesis, price: 'Price unknown' });
      await page.page.getByText('Price unknown').waitFor();
      await page.post({ type: 'price', price: 'About $0.80 (your price)' });
      await page.page.getByText('About $0.80 (your price)').waitFor();
      const described = await page.button('Generate').getAttribute('aria-describedby');
      assert.equal(await page.page.locator(`#${described}`).textContent(), 'About $0.80 (your price)');
    });

    it('requests the choice of model and route from the host', async () => {
      await page.show();
      await page.button('Model: demo/video. Choose another').click();
      await page.button('Route: Video synthesis. Choose another').click();
      assert.deepEqual(
        (await page.readPosted()).map(({ type }) => type),
        ['choose-model', 'choose-route'],
      );
    });

    it('focuses the prompt on request, also from an open sheet', async () => {
      await page.show();
      await page.openMore();
      await page.button('All Parameters…').click();
      await page.post({ type: 'perform', action: 'focus-prompt' });
      await page.page.getByRole('dialog').waitFor({ state: 'detached' });
      await page.nextFrames();
      await waitForFocus(page.prompt());
    });
  });

  it('shows the request that would be sent, with a button to copy it', async () => {
    await page.show();
    await page.prompt().fill('A cat');
    await page.button('Request as JSON').click();
    await page.post({ type: 'request', json: '{"input": {"prompt": "A cat"}}' });
    await page.page.getByText('{"input": {"prompt": "A cat"}}').waitFor();
    await page.button('Copy').click();
    assert.deepEqual(
      (await page.readPosted()).map(({ type }) => type),
      ['set-values', 'preview-request', 'copy-request'],
    );
    await page.page.keyboard.press('Escape');
    await page.page.getByRole('dialog').waitFor({ state: 'detached' });
    const back = page.button('Request as JSON');
    await waitForFocus(back);
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
      if (name === 'More') await page.page.keyboard.press('Enter');
    }
    assert.deepEqual(walk, [
      'Model: demo/video. Choose another',
      'Route: Video synthesis. Choose another',
      'Prompt',
      'Reset Size',
      'Size',
      '480P',
      'Reset Duration',
      '5 s',
      'First frame: Choose, paste or drop',
      'Last frame: Choose, paste or drop',
      'Generate',
      'One Less',
      'Videos',
      'One More',
      'More',
      'Request as JSON',
      'Negative prompt',
      'Seed',
      'On',
      'On',
      'All Parameters…',
    ]);
    await page.radio('Resolution', '480P').press('Space');
    await page.page.keyboard.press('ArrowRight');
    assert.deepEqual(await page.readBody(), {
      parameters: { duration: 5, resolution: '720P' },
    });
  });
});
