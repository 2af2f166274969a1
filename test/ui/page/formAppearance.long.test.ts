import assert from 'node:assert/strict';
import axe from 'axe-core';
import type { Page } from 'playwright-core';
import { chatCompletionsRequest } from '../../../src/wire/apis/chatCompletions/schema.ts';
import { contentGenerationRequest } from '../../../src/wire/apis/contentGeneration/schema.ts';
import { FormBrowser, toJsonSchema } from './support/formPage.ts';
import { setTheme } from './support/themes.ts';
import { measureBoxes, waitForValue } from './support/waits.ts';

const chat = toJsonSchema(
  chatCompletionsRequest.omit({ model: true, messages: true, stream: true }).partial(),
);
const generation = toJsonSchema(contentGenerationRequest.omit({ contents: true }).partial());

describe('the parameters sheet', () => {
  let browser: FormBrowser;
  let page: Page;

  before(async () => {
    browser = await FormBrowser.launch();
  });

  after(() => browser.close());

  const set = { temperature: 0.7, stop: ['a', 'b'], response_format: { type: 'text' }, tools: [{ a: 1 }] };

  for (const theme of ['light', 'dark', 'high-contrast', 'high-contrast-light'] as const) {
    it(`meets the accessibility guidelines in the ${theme} theme`, async () => {
      page = await browser.open({
        schema: chat,
        values: set,
        omitted: ['A picture'],
        requestJson: '{ "model": "gpt-x" }',
      });
      await setTheme(page, theme);
      await page.getByLabel('temperature', { exact: true }).fill('15');
      await page.getByRole('button', { name: 'audio', exact: true }).click();
      assert.deepEqual(await findAccessibilityFaults(), []);
      await savePicture(`form-${theme}`);
      await page.getByRole('tab', { name: 'Request' }).click();
      assert.deepEqual(await findAccessibilityFaults(), []);
      await savePicture(`form-request-${theme}`);
    });
  }

  it('fills 300 pixels, and is at the right of a wider window', async () => {
    page = await browser.open(
      { schema: generation, values: { generationConfig: { imageConfig: { imageSize: '2K' } } } },
      300,
      900,
    );
    await setTheme(page, 'dark');
    await savePicture('form-narrow');
    const sideways = await page.evaluate(() =>
      [...document.querySelectorAll('dialog, .fields, .panel, .sheet-head, .form-tools, .field-head')]
        .filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth)
        .map(({ className }) => className),
    );
    assert.deepEqual(sideways, []);
    const box = () => measureBoxes(page.getByRole('dialog'));
    assert.deepEqual(await box(), [{ x: 0, y: 0, width: 300, height: 900 }]);
    await page.setViewportSize({ width: 1000, height: 900 });
    await waitForValue(box, [{ x: 560, y: 0, width: 440, height: 900 }]);
  });

  async function savePicture(name: string): Promise<void> {
    await page.screenshot({ path: `.vscode-test/pictures/page/${name}.png` });
  }

  /** The violations that axe finds, rule by rule and place by place. */
  async function findAccessibilityFaults(): Promise<readonly string[]> {
    await page.evaluate(axe.source);
    const { violations } = await page.evaluate(() => window.axe.run(document));
    return violations.flatMap(({ id, nodes }) => nodes.map((node) => `${id}: ${node.html}`));
  }
});

declare global {
  interface Window {
    axe: typeof axe;
  }
}
