import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import type { ImageView } from '../../../src/protocol/chatTurn.ts';
import type { GenerateState } from '../../../src/protocol/generatePage.ts';
import { findAccessibilityFaults } from './support/accessibility.ts';
import {
  GenerateTestPage,
  interactions,
  showcaseTiles,
  synthesis,
  synthesisForm,
} from './support/generatePage.ts';
import type { ServedFile } from './support/pageServer.ts';
import { recordClip } from './support/taskPage.ts';
import { measureBoxes } from './support/waits.ts';

const now = Date.UTC(2026, 10, 20, 14, 1, 2);

describe('the Generate page', () => {
  let clip: ServedFile;
  let icon: ImageView;
  const page = new GenerateTestPage();

  before(async () => {
    clip = await recordClip();
    const bytes = await readFile(new URL('../../../media/icon.png', import.meta.url));
    icon = { mimeType: 'image/png', data: bytes.toString('base64') };
  });

  afterEach(() => page.close());

  const working = (): Partial<GenerateState> => ({
    form: {
      ...synthesisForm,
      values: {
        input: { prompt: 'A cat on a red roof' },
        parameters: { duration: 5, size: '1280*720', watermark: false, audio: true },
      },
      count: 3,
    },
    pictures: { first: icon },
    problems: [
      { path: ['parameters', 'duration'], problem: 'This model makes 4, 6 or 8 seconds.' },
      { path: ['parameters', 'ratio'], problem: 'must be width:height' },
    ],
    tiles: showcaseTiles(now),
  });

  for (const theme of ['light', 'dark', 'high-contrast'] as const) {
    it(`meets the accessibility guidelines with problems and tasks in the ${theme} theme`, async () => {
      await page.open({ theme, width: 1000, height: 1100, files: [clip], now });
      await page.show(working());
      await page.savePicture(`generate-${theme}`);
      assert.deepEqual(await findAccessibilityFaults(page.page), []);
    });

    it(`meets the accessibility guidelines with an empty form in the ${theme} theme`, async () => {
      await page.open({ theme, height: 900 });
      await page.show(interactions);
      await page.savePicture(`generate-empty-${theme}`);
      assert.deepEqual(await findAccessibilityFaults(page.page), []);
      await page.page.getByRole('button', { name: 'Request as JSON' }).click();
      await page.post({ type: 'request', json: '{\n  "model": "demo/video"\n}' });
      await page.savePicture(`generate-request-${theme}`);
      assert.deepEqual(await findAccessibilityFaults(page.page), []);
    });
  }

  for (const [name, state] of Object.entries({ working, interactions: () => interactions })) {
    it(`fits into 300 pixels without horizontal scrolling (${name})`, async () => {
      await page.open({ width: 300, height: 1800, files: [clip], now });
      await page.show(state());
      await page.savePicture(`generate-narrow-${name}`);
      const sideways = await page.page.evaluate(() =>
        [...document.querySelectorAll('html, header, main, main *')]
          .filter(({ scrollWidth, clientWidth }) => clientWidth > 1 && scrollWidth > clientWidth)
          .filter((each) => getComputedStyle(each).textOverflow !== 'ellipsis')
          .map(({ localName, className }) => `${localName}.${className}`),
      );
      assert.deepEqual(sideways, []);
    });
  }

  for (const [width, height] of [
    [1280, 720],
    [500, 720],
    [300, 720],
  ] as const) {
    for (const [name, state] of Object.entries({ synthesis, interactions })) {
      it(`has prompt, frames and Generate in the first 500 pixels of ${width} × ${height} (${name})`, async () => {
        await page.open({ width, height });
        await page.show(state);
        await page.savePicture(`generate-${name}-${width}`);
        const boxes = await measureBoxes(
          page.prompt(),
          page.page.locator('mg-frame-drop-zone').last(),
          page.generate(),
          page.page.getByRole('group', { name: 'Number of videos' }),
        );
        for (const box of boxes) assert.ok(box.y >= 0 && box.y + box.height <= 500, JSON.stringify(box));
      });
    }
  }

  it('has the buttons More and Request as JSON in one line at any width', async () => {
    await page.open({ width: 900, height: 900 });
    await page.show(interactions);
    for (const width of [900, 460, 380, 300]) {
      await page.resize(width, 900);
      const [more, request] = await measureBoxes(page.button(/^More/), page.button('Request as JSON'));
      assert.equal(more.y, request.y, `${width}`);
    }
  });

  it('shows the model and the short name of the route in full in a narrow header', async () => {
    await page.open({ width: 300, height: 600 });
    const route = { route: 'Interactions (Gemini)', routeShort: 'Interactions' };
    const target = { ...synthesis.target, model: 'openai/gpt-video-5', ...route };
    await page.show({ target });
    await page.savePicture('generate-header-narrow');
    const cut = (name: string) =>
      page.page
        .locator('.page-header')
        .getByText(name, { exact: true })
        .evaluate((name) => {
          const words = document.createRange();
          words.selectNodeContents(name);
          return words.getBoundingClientRect().width > name.getBoundingClientRect().width;
        });
    assert.deepEqual([await cut('openai/gpt-video-5'), await cut('Interactions')], [false, false]);
  });

  it('meets the accessibility guidelines without a gateway', async () => {
    await page.open({ width: 1800, height: 1000, files: [clip], now });
    await page.show(working());
    await page.savePicture('generate-wide');
    await page.show({
      target: {
        gateway: undefined,
        model: undefined,
        route: 'Interactions (Gemini)',
        routeShort: 'Interactions',
        frames: ['first'],
        notice: {
          title: 'No gateway is connected',
          detail: 'Connect to a gateway, or try the demo on this machine without an account.',
          buttons: [
            { action: 'connect', label: 'Connect' },
            { action: 'try-demo', label: 'Try the Demo' },
          ],
          severity: 'info',
        },
      },
    });
    await page.savePicture('generate-nowhere');
    assert.deepEqual(await findAccessibilityFaults(page.page), []);
  });
});
