import assert from 'node:assert/strict';
import type { Locator } from 'playwright-core';
import { ChatTestPage, createTurn } from './support/chatPage.ts';
import { enterAtOnce } from './support/longText.ts';
import { getTestBrowser } from './support/testBrowser.ts';
import { measureBoxes } from './support/waits.ts';

describe('the message box', () => {
  const chat = new ChatTestPage(getTestBrowser);
  let box: Locator;

  beforeEach(async () => {
    await chat.open();
    await chat.show([]);
    box = chat.page.getByRole('textbox', { name: 'Message' });
  });

  afterEach(() => chat.close());

  const streaming = createTurn({ id: 'turn-1', state: 'streaming', text: 'Half' });
  const sent = async () => (await chat.readPosted()).filter(({ type }) => type === 'send' || type === 'stop');

  it('sends on Enter, and starts a new line on Shift+Enter', async () => {
    await box.pressSequentially('one');
    await box.press('Shift+Enter');
    await box.pressSequentially('two');
    await box.press('Enter');
    assert.deepEqual(await sent(), [{ type: 'send', text: 'one\ntwo', channel: 'test-channel' }]);
    assert.equal(await box.inputValue(), '');
  });

  /** Imitates VS Code, whose window receives the key and runs its command later, after more text is typed. */
  const runCommandsLate = () =>
    chat.page.evaluate(() => {
      addEventListener('keydown', (event) => {
        const command = ({ 65: 'selectAll', 90: 'undo' } as const)[event.keyCode];
        if (!event.ctrlKey || command === undefined) return;
        if (command === 'undo') event.preventDefault();
        addEventListener('input', () => document.execCommand(command), { once: true });
      });
    });
  /** Presses a key with Ctrl on a keyboard with other letters. */
  const pressCtrl = async (key: string, code: string, number: number) => {
    const session = await chat.page.context().newCDPSession(chat.page);
    const pressed = { key, code, windowsVirtualKeyCode: number, modifiers: 2 };
    await session.send('Input.dispatchKeyEvent', { type: 'rawKeyDown', ...pressed });
    await session.send('Input.dispatchKeyEvent', { type: 'keyUp', ...pressed });
    await session.detach();
  };

  it('keeps text typed right after Ctrl+A, although VS Code then selects all again', async () => {
    await runCommandsLate();
    for (const [key, code] of [
      ['a', 'KeyA'],
      ['A', 'KeyA'],
      ['ф', 'KeyA'],
      ['a', 'KeyQ'],
    ] as const) {
      await box.fill('before');
      await pressCtrl(key, code, 65);
      await box.pressSequentially('after');
      assert.equal(await box.inputValue(), 'after', `${key} of ${code}`);
    }
  });

  it('keeps text typed right after Ctrl+Z, although VS Code then undoes again', async () => {
    await runCommandsLate();
    await box.focus();
    // Chromium undoes single keys one at a time if the machine is slow, but an inserted text as a whole.
    await chat.page.keyboard.insertText('one');
    assert.equal(await box.inputValue(), 'one');
    await box.press('Control+z');
    assert.equal(await box.inputValue(), '');
    await box.press('Control+Shift+z');
    assert.equal(await box.inputValue(), 'one');
    await chat.page.keyboard.insertText(' two');
    await box.press('Control+z');
    await box.pressSequentially('2');
    assert.equal(await box.inputValue(), 'one2');
  });

  it('does not recall the last question by Up with modifier keys, which VS Code uses', async () => {
    await chat.show([createTurn({ question: 'One?' })]);
    for (const keys of ['Control+Alt+ArrowUp', 'Meta+Alt+ArrowUp', 'Shift+ArrowUp']) {
      await box.press(keys);
      assert.equal(await box.inputValue(), '', keys);
    }
    await box.press('ArrowUp');
    assert.equal(await box.inputValue(), 'One?');
  });

  /** The modifier keys that a browser on Windows reports for AltGr. */
  const altGr = { ctrlKey: true, altKey: true, modifierAltGraph: true };

  it('runs commands whose keys VS Code in a browser leaves to the page', async () => {
    await box.press('Control+Alt+c');
    await box.press('Control+Alt+v');
    await box.press('Control+c');
    await box.dispatchEvent('keydown', { key: 'ć', code: 'KeyC', keyCode: 67, ...altGr });
    await box.dispatchEvent('keydown', { key: 'c', code: 'KeyI', keyCode: 67, ctrlKey: true, altKey: true });
    const run = (await chat.readPosted()).filter(({ type }) => type === 'run');
    assert.deepEqual(
      run.map((message) => message.type === 'run' && message.command),
      ['chat.copyReply', 'generate', 'chat.copyReply'],
    );
  });

  it('does not send on an Enter that ends a composition of an input method', async () => {
    await box.fill('にほん');
    await box.dispatchEvent('keydown', { key: 'Enter', isComposing: true, bubbles: true });
    assert.deepEqual(await sent(), []);
    assert.equal(await box.inputValue(), 'にほん');
  });

  it('does not send an empty text', async () => {
    await box.fill('  \n ');
    await box.press('Enter');
    assert.deepEqual(await sent(), []);
    assert.ok(await chat.page.getByRole('button', { name: 'Send' }).isDisabled());
  });

  it('recalls the last question by Up when it is empty', async () => {
    await chat.show([createTurn({ question: 'What was that?', text: 'That' })]);
    await box.press('ArrowUp');
    assert.equal(await box.inputValue(), 'What was that?');
  });

  it('has Stop in the place of Send while a reply arrives, and Escape stops from anywhere in the page', async () => {
    const send = await measureBoxes(chat.page.getByRole('button', { name: 'Send' }));
    assert.equal(
      await chat.page.getByRole('button', { name: 'Send' }).innerText(),
      '',
      'only the icon is shown',
    );
    await chat.show([streaming]);
    const stop = chat.page.getByRole('button', { name: 'Stop' });
    assert.deepEqual(await measureBoxes(stop), send);
    await stop.click();
    await box.press('Escape');
    await chat.page.evaluate(
      () => document.activeElement instanceof HTMLElement && document.activeElement.blur(),
    );
    await chat.page.keyboard.press('Escape');
    assert.deepEqual(
      (await sent()).map(({ type }) => type),
      ['stop', 'stop', 'stop'],
    );
  });

  it('sends the next question to the host by Enter and by the Queue button while a reply arrives', async () => {
    await chat.show([streaming]);
    assert.equal(await chat.page.getByRole('button', { name: 'Queue' }).count(), 0);
    await box.fill('Next question');
    await box.press('Enter');
    await box.fill('Another');
    await chat.page.getByRole('button', { name: 'Queue' }).click();
    assert.deepEqual(
      (await sent()).map((message) => 'text' in message && message.text),
      ['Next question', 'Another'],
    );
    assert.equal(await box.inputValue(), '');
  });

  it('shows the queued question with buttons to edit and remove it', async () => {
    await chat.show([streaming], {}, { queued: { text: 'And then?', pictures: 0 } });
    const queued = chat.page.getByRole('group', { name: 'Queued question' });
    await queued.getByText('Queued: And then?').waitFor();
    await queued.getByRole('button', { name: 'Edit' }).click();
    await queued.getByRole('button', { name: 'Remove' }).click();
    assert.deepEqual(
      (await chat.readPosted()).map(({ type }) => type),
      ['edit-queued', 'remove-queued'],
    );
    await chat.patch({ queued: null });
    await queued.waitFor({ state: 'detached' });
    await chat.patch({ queued: { text: '', pictures: 2 } });
    await queued.getByText('Queued: 2 pictures').waitFor();
    await chat.page.getByRole('status').getByText('It is sent when this reply is complete').waitFor();
  });

  it('sends its draft to the host', async () => {
    await box.fill('A thought');
    await chat.page.waitForFunction(() => window.posted.some(({ type }) => type === 'draft'));
    const drafts = (await chat.readPosted()).filter(({ type }) => type === 'draft');
    assert.deepEqual(drafts, [{ type: 'draft', text: 'A thought', channel: 'test-channel' }]);
  });

  it('shows the draft that the host stored, and sends it again after an edit', async () => {
    await chat.page.reload();
    await chat.page.waitForFunction(() => window.posted.length > 0);
    await chat.show([], {}, { draft: 'Begun before' });
    await chat.page.waitForFunction(() => document.querySelector('textarea')?.value === 'Begun before');
    await box.press('End');
    await box.pressSequentially('!');
    await chat.page.waitForFunction(() => window.posted.some(({ type }) => type === 'draft'));
    const drafts = (await chat.readPosted()).filter(({ type }) => type === 'draft');
    assert.deepEqual(drafts, [{ type: 'draft', text: 'Begun before!', channel: 'test-channel' }]);
  });

  it('sends a long draft to the host once in pieces, and then only the edits', async () => {
    const long = `${'😀'.repeat(600 * 1024)}.`;
    await enterAtOnce(box, long);
    const changes = async () =>
      (await chat.readPosted()).filter((message) => message.type === 'change-draft');
    await chat.page.waitForFunction(() =>
      window.posted.some((message) => 'hasMore' in message && message.hasMore === false),
    );
    const pieces = await changes();
    assert.deepEqual(
      pieces.map(({ isNew, hasMore }) => [isNew, hasMore]),
      [
        [true, true],
        [false, true],
        [false, false],
      ],
    );
    assert.equal(pieces.map(({ text }) => text).join(''), long);
    await box.press('End');
    await box.pressSequentially('!');
    await chat.page.waitForFunction(
      (before) => window.posted.filter(({ type }) => type === 'change-draft').length > before,
      pieces.length,
    );
    const { length } = long;
    const last = { isNew: false, start: length, end: length, text: '!', hasMore: false };
    assert.deepEqual((await changes()).at(-1), { type: 'change-draft', ...last, channel: 'test-channel' });
  });

  it('shows an alert for a draft that is too long to be saved, and does not send it to the host', async () => {
    await enterAtOnce(box, 'x'.repeat(4 * 1024 * 1024 + 1));
    const words = /4,194,305 characters long.*It is not saved until you shorten it to 4,194,304 or less/;
    await chat.page.getByRole('alert').getByText(words).waitFor({ timeout: 100_000 });
    assert.deepEqual(
      (await chat.readPosted()).filter(({ type }) => type === 'draft' || type === 'change-draft'),
      [],
    );
  });

  it('does not send without a model, and shows the reason on the Send button', async () => {
    await chat.show([], { model: undefined });
    await box.fill('Hello');
    await box.press('Enter');
    assert.deepEqual(await sent(), []);
    const button = chat.page.getByRole('button', { name: 'Send' });
    assert.ok(await button.isDisabled());
    assert.match((await button.getAttribute('title')) ?? '', /[Cc]hoose a model/);
  });

  it('keeps a text that is too long, does not send it, and shows its size', async () => {
    await enterAtOnce(box, 'x'.repeat(2 * 1024 * 1024));
    await box.press('Enter');
    await chat.page
      .getByRole('alert')
      .getByText(/2,097,152 characters long/)
      .waitFor();
    assert.deepEqual(await sent(), []);
    assert.equal((await box.inputValue()).length, 2 * 1024 * 1024);
  });

  it('sends the longest allowed text completely', async () => {
    await enterAtOnce(box, 'x'.repeat(1024 * 1024));
    await box.press('Enter');
    const [message] = await sent();
    assert.equal(message && 'text' in message && message.text.length, 1024 * 1024);
  });

  it('restores its draft after a reload, and drops it when it is sent', async () => {
    await box.fill('A thought');
    await chat.page.reload();
    await chat.page.waitForFunction(() => window.posted.length > 0);
    assert.equal(await box.inputValue(), 'A thought');
    await chat.show([]);
    await box.press('Enter');
    await chat.page.reload();
    await chat.page.waitForFunction(() => window.posted.length > 0);
    assert.equal(await box.inputValue(), '');
  });

  it('keeps the text that is being written when the host sends a snapshot', async () => {
    await box.fill('Half a quest');
    await chat.show([createTurn({ text: 'Text' })]);
    await chat.page.getByText('Text').waitFor();
    assert.equal(await box.inputValue(), 'Half a quest');
  });

  it('grows with its text, up to ten lines', async () => {
    const height = async () => (await measureBoxes(box))[0].height;
    const line = await height();
    await box.fill('\n'.repeat(4));
    assert.ok((await height()) > 4 * line);
    await box.fill('\n'.repeat(100));
    assert.ok(Math.abs((await height()) - 10 * line) <= 4, `${await height()} for ten lines of ${line}`);
  });

  it('wraps a very long word, and does not widen the page', async () => {
    await box.fill('x'.repeat(5000));
    assert.equal(await chat.page.evaluate(() => document.documentElement.scrollWidth), 800);
    const [send] = await measureBoxes(chat.page.getByRole('button', { name: 'Send' }));
    assert.ok(send.x + send.width <= 800, `${send.x}`);
  });

  it('keeps its draft when a suggested question is sent by one click', async () => {
    const suggestions = ['What is new?', 'Compare both, as a table'];
    await chat.show([], { suggestions });
    await chat.page.getByText('Type # to add code to your question').waitFor();
    await box.fill('Half a quest');
    await chat.page.getByRole('button', { name: 'Compare both' }).click();
    assert.deepEqual(await sent(), [{ type: 'send', text: suggestions[1], channel: 'test-channel' }]);
    assert.equal(await box.inputValue(), 'Half a quest');
  });

  it('has no suggested questions above it without a model or while the gateway fails', async () => {
    const suggestions = ['What is new?'];
    const buttons = [{ action: 'again' as const, label: 'Ask Again' }];
    const notice = {
      title: 'The gateway cannot be reached',
      detail: '',
      buttons,
      severity: 'error' as const,
    };
    for (const target of [{ model: undefined }, { notice }, { notice, model: undefined }]) {
      await chat.show([], { suggestions, ...target });
      await chat.page.locator('.welcome').waitFor();
      await chat.page.getByRole('button', { name: 'What is new?' }).waitFor({ state: 'detached' });
    }
  });
});
