import assert from 'node:assert/strict';
import type { Locator } from 'playwright-core';
import { ChatTestPage, createTurn } from './support/chatPage.ts';
import { getTestBrowser } from './support/testBrowser.ts';
import { waitForFocus } from './support/waits.ts';

describe('the message box', () => {
  const chat = new ChatTestPage(getTestBrowser);
  let box: Locator;

  beforeEach(async () => {
    await chat.open();
    await chat.show([]);
    box = chat.page.getByRole('textbox', { name: 'Message' });
  });

  afterEach(() => chat.close());

  /** Keys are pressed at once, however slow the machine is. */
  const stopClock = () =>
    chat.page.evaluate(() => {
      const now = performance.now();
      performance.now = () => now;
    });

  const sent = async () => (await chat.readPosted()).filter(({ type }) => type === 'send');

  it('P1 requires a second Enter for keys that came with a late focus, and for no others', async () => {
    const hint = chat.page.getByText('Press Enter again to send it.');
    const typeOn = async (action: 'focus-composer' | 'focus-composer-late') => {
      await box.evaluate((each: HTMLElement) => {
        each.blur();
        const press = () => each.dispatchEvent(new KeyboardEvent('keydown', { key: 'x', bubbles: true }));
        each.addEventListener('focus', press, { once: true });
      });
      await chat.post({ type: 'perform', action });
      await waitForFocus(box);
      await box.fill('canary');
      await box.press('Enter');
    };
    await typeOn('focus-composer-late');
    await hint.waitFor();
    assert.equal(await chat.page.locator('.composer-problem .codicon-error').count(), 0, 'nothing failed');
    assert.deepEqual(await sent(), []);
    await box.press('Enter');
    assert.equal((await sent()).length, 1);
    await hint.waitFor({ state: 'hidden' });
    await typeOn('focus-composer');
    assert.equal((await sent()).length, 2);
  });

  it('P1 requires a second Enter for keys that came as soon as VS Code returned the focus', async () => {
    const returnFocus = async (key: string) => {
      await chat.page.evaluate(() => window.dispatchEvent(new Event('focus')));
      await box.press(key);
      await box.press('Enter');
    };
    await stopClock();
    await box.focus();
    await returnFocus('x');
    await chat.page.getByText('Press Enter again to send it.').waitFor();
    assert.deepEqual(await sent(), []);
    await box.press('Enter');
    assert.equal((await sent()).length, 1);
    await chat.page.evaluate(() => window.dispatchEvent(new Event('focus')));
    await box.click();
    await box.press('y');
    await box.press('Enter');
    assert.equal((await sent()).length, 2, 'a click in the page is meant for it');
  });

  it('P1 removes keys that came at once when an input of VS Code then takes the focus', async () => {
    await stopClock();
    await box.fill('Draft');
    const typeAtOnce = async () => {
      await chat.page.evaluate(() => window.dispatchEvent(new Event('focus')));
      await box.press('x');
      await box.press('y');
    };
    await box.focus();
    await box.press('End');
    await typeAtOnce();
    await box.blur();
    assert.equal(await box.inputValue(), 'Draftxy', 'the focus may go to another part of the page');
    await chat.page.evaluate(() => window.dispatchEvent(new Event('blur')));
    assert.equal(await box.inputValue(), 'Draft');
    const drafts = (await chat.readPosted()).filter(({ type }) => type === 'draft');
    assert.ok(drafts.every((each) => !JSON.stringify(each).includes('Draftx')));
  });

  it('P1 keeps a returned text when it removes the keys that came at once', async () => {
    await stopClock();
    await box.fill('Draft');
    await box.focus();
    await chat.page.evaluate(() => window.dispatchEvent(new Event('focus')));
    await box.press('End');
    await box.press('x');
    await chat.post({ type: 'unsent', text: 'It failed meanwhile' });
    assert.equal(await box.inputValue(), 'It failed meanwhile\nDraftx');
    await chat.page.evaluate(() => window.dispatchEvent(new Event('blur')));
    assert.equal(await box.inputValue(), 'It failed meanwhile\nDraft');
  });

  it('P1 does not take the focus while another part of VS Code has it', async () => {
    await chat.page.evaluate(() => {
      document.body.tabIndex = -1;
      document.body.focus();
      Object.assign(document, { hasFocus: () => false });
    });
    await chat.post({ type: 'unsent', text: 'It failed meanwhile' });
    assert.equal(await box.inputValue(), 'It failed meanwhile');
    assert.equal(await box.evaluate((each) => each === document.activeElement), false);
  });

  it('gets the focus when the page comes to the front, unless another element has it or text is selected', async () => {
    await chat.show([createTurn({ id: 'a', text: 'First.' })]);
    const comeToFront = () => chat.page.evaluate(() => window.dispatchEvent(new Event('focus')));
    const focused = (each: Locator) => each.evaluate((element) => element === document.activeElement);
    const parameters = chat.page.getByRole('button', { name: 'Parameters', exact: true });
    await parameters.focus();
    await comeToFront();
    assert.equal(await focused(parameters), true);
    await parameters.blur();
    await chat.page.getByText('First.').selectText();
    await comeToFront();
    assert.equal(await focused(box), false);
    await chat.page.evaluate(() => getSelection()?.removeAllRanges());
    await comeToFront();
    assert.equal(await focused(box), true);
  });

  describe('gets the focus after pressing a button that then disappears or changes', () => {
    const pressAndWait = async (name: string) => {
      await chat.page.getByRole('button', { name, exact: true }).focus();
      await chat.page.keyboard.press('Enter');
      await waitForFocus(box);
    };
    const notice = (action: 'again' | 'continue', label: string) => ({
      title: 'Stopped',
      detail: '',
      buttons: [{ action, label }],
      severity: 'info' as const,
    });

    it('for a suggested question', async () => {
      await chat.show([], { suggestions: ['What can you do?'] });
      await pressAndWait('What can you do?');
      assert.deepEqual(await sent(), [{ type: 'send', text: 'What can you do?', channel: 'test-channel' }]);
    });

    it('for Ask Again in a notice, Continue and Ask Again', async () => {
      await chat.show([createTurn({ state: 'done', text: 'Half', notice: notice('again', 'Ask Again') })]);
      await pressAndWait('Ask Again');
      await chat.show([createTurn({ state: 'done', text: 'Half', notice: notice('continue', 'Continue') })]);
      await pressAndWait('Continue');
      await chat.show([createTurn({ state: 'done', text: 'Whole' })]);
      await pressAndWait('Ask Again');
    });

    it('for Edit and Remove of the queued question', async () => {
      await chat.show(
        [createTurn({ id: 'turn-1', state: 'streaming', text: 'Half' })],
        {},
        { queued: { text: 'What then?', pictures: 0 } },
      );
      await pressAndWait('Edit the Queued Question');
      await pressAndWait('Remove the Queued Question');
    });
  });
});
