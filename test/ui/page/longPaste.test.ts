import assert from 'node:assert/strict';
import type { Locator } from 'playwright-core';
import { findAccessibilityFaults } from './support/accessibility.ts';
import { ChatTestPage, createTurn } from './support/chatPage.ts';
import { getTestBrowser } from './support/testBrowser.ts';
import { waitForFocus } from './support/waits.ts';

const megabyte = 1024 * 1024;

describe('a long text that is pasted', () => {
  const chat = new ChatTestPage(getTestBrowser);
  const long = 'אבגד '.repeat(5_000);

  beforeEach(() => chat.open());

  afterEach(() => chat.close());

  const box = (name: string) => chat.page.getByRole('textbox', { name });
  const chip = (name: string) => chat.page.getByRole('listitem').filter({ hasText: name });
  const button = (name: string) => chat.page.getByRole('button', { name, exact: true });
  const posted = async (type: string) => (await chat.readPosted()).filter((each) => each.type === type);

  /** @returns whether the page leaves the paste to the box */
  const paste = (into: Locator, text: string) =>
    into.evaluate((each, pasted) => {
      const clipboardData = new DataTransfer();
      clipboardData.setData('text/plain', pasted);
      return each.dispatchEvent(
        new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }),
      );
    }, text);

  describe('into the message box', () => {
    const message = () => box('Message');

    beforeEach(() => chat.show([]));

    it('becomes an attachment, unless it is short or not plain text', async () => {
      assert.deepEqual(
        [await paste(message(), 'x'.repeat(20_000)), await paste(message(), `\0${long}`)],
        [true, true],
      );
      assert.equal(await paste(message(), long), false);
      await chat.patch({
        context: [{ id: 'p', name: 'Pasted text', icon: 'file-text', isText: true }],
      });
      await chip('Pasted text').waitFor();
      assert.equal(await paste(message(), `a\r\n${long}`), false);
      assert.deepEqual(
        (await posted('drop-text')).map(
          (each) => each.type === 'drop-text' && [each.name, each.bytes, each.text],
        ),
        [
          ['Pasted text', 45_000, long],
          ['Pasted text 2', 45_002, `a\n${long}`],
        ],
      );
      await chip('Pasted text')
        .getByRole('button', { name: 'Insert Pasted text into Message Box' })
        .press('Enter');
      assert.deepEqual(await posted('insert-context'), [
        { type: 'insert-context', id: 'p', channel: 'test-channel' },
      ]);
      await waitForFocus(message());
    });

    it('is rejected over 1 MB with its size and the limit, and the typed text stays', async () => {
      await message().fill('Why?');
      assert.equal(await paste(message(), 'א'.repeat(1.5 * megabyte)), false);
      await chat.page
        .getByRole('alert')
        .getByText(/3\.0 MB, and at most 1\.0 MB/)
        .waitFor();
      assert.deepEqual([await message().inputValue(), await posted('drop-text')], ['Why?', []]);
      await message().press('Enter');
      assert.equal((await posted('send')).length, 1);
      assert.equal(await chat.page.getByRole('alert').count(), 0);
    });

    it('is accepted up to exactly 1 MB', async () => {
      assert.equal(await paste(message(), 'x'.repeat(megabyte + 1)), false);
      assert.equal((await posted('drop-text')).length, 0);
      assert.equal(await paste(message(), 'x'.repeat(megabyte)), false);
      assert.equal((await posted('drop-text')).length, 1);
      assert.equal(await chat.page.getByRole('alert').count(), 0);
    });
  });

  describe('into a question that is edited', () => {
    const edited = () => box('Edited question');

    beforeEach(async () => {
      await chat.show([createTurn({ id: 'a', question: 'One?' })]);
      await button('Edit Question').click();
    });

    it('becomes an attachment, can be removed, and is restored after a reload', async () => {
      assert.equal(await paste(edited(), 'short'), true);
      assert.equal(await paste(edited(), long), false);
      assert.equal(await paste(edited(), 'x'.repeat(30_000)), false);
      assert.match(await chip('Pasted text 2').innerText(), /29\.3 KB · about 7,500 tokens/);
      assert.deepEqual(await findAccessibilityFaults(chat.page), []);
      await button('Remove Pasted text 2').click();
      await waitForFocus(edited());
      assert.equal(await chip('Pasted text').count(), 1);
      await chat.page.reload();
      await chat.page.waitForFunction(() => window.posted.length > 0);
      await chat.show([createTurn({ id: 'a', question: 'One?' })]);
      await chip('Pasted text').waitFor();
      await edited().fill('Uno?');
      await edited().press('Enter');
      assert.deepEqual(await posted('edit-question'), [
        {
          type: 'edit-question',
          turnId: 'a',
          text: 'Uno?',
          channel: 'test-channel',
          pasted: [{ name: 'Pasted text', text: long }],
        },
      ]);
    });

    it('is rejected when all attachments together exceed 1 MB, and the question can be sent', async () => {
      await paste(edited(), 'x'.repeat(megabyte / 2));
      assert.equal(await paste(edited(), 'y'.repeat(megabyte)), false);
      await chat.page
        .getByRole('alert')
        .getByText(/1\.5 MB, and at most 1\.0 MB/)
        .waitFor();
      assert.equal(await chip('Pasted text').count(), 1);
      await edited().press('Enter');
      assert.equal((await posted('edit-question')).length, 1);
    });
  });

  it('into an edited reply is rejected over 1 MB, and otherwise left to the text box', async () => {
    await chat.show([createTurn({ id: 'a', text: 'First.' })]);
    await button('Edit Reply').click();
    const edited = box('Edited reply');
    assert.equal(await paste(edited, long), true);
    assert.equal(await paste(edited, 'x'.repeat(2 * megabyte)), false);
    await chat.page
      .getByRole('alert')
      .getByText(/2\.0 MB/)
      .waitFor();
    assert.equal(await edited.inputValue(), 'First.');
  });
});
