import assert from 'node:assert/strict';
import { ChatTestPage, createTurn } from './support/chatPage.ts';
import { getTestBrowser } from './support/testBrowser.ts';
import type { ThemeName } from './support/themes.ts';
import { measureBoxes } from './support/waits.ts';

describe('the buttons of a page', () => {
  const chat = new ChatTestPage(getTestBrowser);

  async function show(theme: ThemeName): Promise<void> {
    await chat.open({ theme });
    const buttons = [
      { action: 'again', label: 'Ask Again' },
      { action: 'show-log', label: 'Show Log' },
    ] as const;
    const notice = { severity: 'error', title: 'It failed.', detail: '', buttons } as const;
    await chat.show([createTurn({ id: 'a', text: 'Half', notice })]);
    await chat.page.getByRole('button', { name: 'Show Log' }).waitFor();
  }

  afterEach(() => chat.close());

  /** The appearance of a button, except for its text. */
  function readStyle(name: string) {
    return chat.page.getByRole('button', { name }).evaluate((button) => {
      const { backgroundColor, borderColor, borderRadius, boxShadow, fontWeight } = getComputedStyle(button);
      return { backgroundColor, borderColor, borderRadius, boxShadow, fontWeight };
    });
  }

  for (const theme of ['light', 'dark', 'high-contrast', 'high-contrast-light'] as const) {
    it(`have a first button of a notice that looks different from the second in the ${theme} theme`, async () => {
      await show(theme);
      await chat.savePicture(`buttons-${theme}`);
      assert.notDeepEqual(await readStyle('Ask Again'), await readStyle('Show Log'));
    });
  }

  it('use the border colour and corner radius of VS Code, with fallbacks for older versions', async () => {
    await show('dark');
    assert.equal((await readStyle('Show Log')).borderColor, 'rgba(204, 204, 204, 0.15)');
    const set = (name: string, value: string) =>
      chat.page.evaluate(
        ([key, to]) => document.documentElement.style.setProperty(key ?? '', to ?? ''),
        [`--vscode-${name}`, value],
      );
    await set('cornerRadius-small', '7px');
    assert.equal((await readStyle('Show Log')).borderRadius, '7px');
    await set('cornerRadius-small', '');
    await set('button-secondaryBorder', '');
    const { borderColor, borderRadius } = await readStyle('Show Log');
    assert.deepEqual([borderColor, borderRadius], ['rgba(255, 255, 255, 0.1)', '4px']);
  });

  it('count down the wait that the gateway requested, and do not send anything until they are clicked', async () => {
    await chat.open({ theme: 'light' });
    const buttons = [{ action: 'again', label: 'Ask Again', waitMs: 2500 }] as const;
    const notice = { severity: 'error', title: 'Too many requests.', detail: '', buttons } as const;
    await chat.show([createTurn({ id: 'a', text: 'Half', notice })]);
    const button = chat.page.getByRole('button', { name: 'Ask Again' });
    await chat.page.getByText('Ask Again (3 s)').waitFor();
    assert.equal(await button.isDisabled(), true);
    await chat.page.locator('button[data-action="again"]:enabled').waitFor();
    assert.equal((await button.innerText()).trim(), 'Ask Again');
    const requestCount = async () => (await chat.readPosted()).filter(({ type }) => type === 'action').length;
    assert.equal(await requestCount(), 0);
    await button.click();
    assert.equal(await requestCount(), 1);
  });

  it('are 8 pixels apart', async () => {
    await show('light');
    const button = (name: string) => chat.page.getByRole('button', { name });
    const [first, second] = await measureBoxes(button('Ask Again'), button('Show Log'));
    assert.equal(Math.round(second.x - first.x - first.width), 8);
  });
});
