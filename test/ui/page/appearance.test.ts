import assert from 'node:assert/strict';
import axe from 'axe-core';
import { PageBrowser, reply, type TestPage } from './support/chatPage.ts';
import { showcase } from './support/showcase.ts';
import type { ThemeName } from './support/themes.ts';

describe('how the page looks', () => {
  let browser: PageBrowser;

  before(async () => {
    browser = await PageBrowser.launch();
  });

  after(() => browser.close());

  const themes: readonly ThemeName[] = ['light', 'dark', 'high-contrast'];

  for (const theme of themes) {
    describe(`in the ${theme} theme`, () => {
      let chat: TestPage;

      before(async () => {
        chat = await browser.open({ theme, height: 1400 });
      });

      after(() => chat.close());

      it('a conversation meets the accessibility guidelines', async () => {
        await chat.show(showcase);
        await chat.page.getByText('That is all.').waitFor();
        await chat.nextFrames();
        await chat.picture(`conversation-${theme}`);
        assert.deepEqual(await accessibilityFaults(chat), []);
      });

      it('an empty conversation meets them too', async () => {
        await chat.show([]);
        await chat.nextFrames();
        await chat.picture(`empty-${theme}`);
        assert.deepEqual(await accessibilityFaults(chat), []);
      });
    });
  }

  it('fits into 300 pixels without scrolling sideways', async () => {
    const chat = await browser.open({ width: 300, height: 1400 });
    await chat.show(showcase);
    await chat.page.getByText('That is all.').waitFor();
    await chat.nextFrames();
    await chat.picture('conversation-narrow');
    const width = await chat.page.evaluate(() => document.documentElement.scrollWidth);
    assert.equal(width, 300);
    const wide = await chat.page.locator('.turns').evaluate((each) => each.scrollWidth > each.clientWidth);
    assert.equal(wide, false);
    await chat.close();
  });

  it('pictures of a reply that arrives, one that failed, and one that cannot be sent', async () => {
    const chat = await browser.open({ theme: 'light' });
    await chat.show([reply({ id: 'a', state: 'waiting' })]);
    await chat.picture('waiting');
    await chat.show([reply({ id: 'a', state: 'streaming', reasoning: 'First I look at the **question**.' })]);
    await chat.page.getByText('First I look').waitFor();
    await chat.picture('thinking');
    await chat.page.getByRole('textbox', { name: 'Message' }).fill('x'.repeat(1_500_000));
    await chat.page.getByRole('alert').waitFor();
    await chat.picture('too-long');
    assert.deepEqual(await accessibilityFaults(chat), []);
    await chat.close();
  });
});

/** What axe finds, rule by rule and place by place. */
async function accessibilityFaults(chat: TestPage): Promise<readonly string[]> {
  await chat.page.evaluate(axe.source);
  const { violations } = await chat.page.evaluate(() =>
    window.axe.run(document, { runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'] }),
  );
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${html} ${failureSummary}`),
  );
}

declare global {
  interface Window {
    axe: typeof axe;
  }
}
