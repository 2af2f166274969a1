import assert from 'node:assert/strict';
import { ChatTestPage, createTurn } from './support/chatPage.ts';
import { getTestBrowser } from './support/testBrowser.ts';
import { measureBoxes, waitForFocus } from './support/waits.ts';

const markdown = `Use **one** of \`these\`:

- a list
- of two

\`\`\`ts
const fence = '\`\`\`';
go();
\`\`\`

Then stop.`;

describe('the messages of a chat', () => {
  const chat = new ChatTestPage(getTestBrowser);

  beforeEach(() => chat.open());

  afterEach(() => chat.close());

  const button = (name: string) => chat.page.getByRole('button', { name, exact: true });
  const box = () => chat.page.getByRole('textbox', { name: 'Message' });
  const posted = async () => (await chat.readPosted()).filter(({ type }) => type !== 'draft');

  describe('are deleted', () => {
    it('by their buttons or by Delete at the focused reply, but not while a reply arrives', async () => {
      await chat.show([createTurn({ id: 'a', question: 'One?' }), createTurn({ id: 'b', question: 'Two?' })]);
      await button('Delete Question and Following Messages').last().click();
      await button('Delete Reply and Following Messages').first().click();
      await chat.page.locator('section.reply').last().focus();
      await chat.page.keyboard.press('Delete');
      const message = { type: 'delete-message', channel: 'test-channel' };
      assert.deepEqual(await posted(), [
        { ...message, turnId: 'b', of: 'question' },
        { ...message, turnId: 'a', of: 'reply' },
        { ...message, turnId: 'b', of: 'reply' },
      ]);
      await chat.show([createTurn({ id: 'a' }), createTurn({ id: 'b', state: 'waiting' })]);
      for (const each of await button('Delete Question and Following Messages').all())
        assert.equal(await each.isDisabled(), true);
      await chat.page.locator('section.reply').first().focus();
      await chat.page.keyboard.press('Delete');
      assert.equal((await posted()).length, 3);
    });

    it('and Undo is announced, gets the focus, and runs by Ctrl+Z unless the message box has text', async () => {
      await chat.show([createTurn({ id: 'a' })]);
      await chat.patch({ deleted: { id: 'answer', text: '3 messages were deleted.' } });
      const undo = button('Undo');
      await undo.waitFor();
      await waitForFocus(undo);
      await chat.page
        .getByRole('status')
        .getByText('3 messages were deleted.')
        .waitFor({ state: 'attached' });
      await chat.page.keyboard.press('Control+z');
      await undo.press('Enter');
      await box().fill('words');
      await box().press('Control+z');
      await button('Dismiss').click();
      assert.deepEqual(
        (await posted()).map(({ type }) => type),
        ['undo-delete', 'undo-delete', 'dismiss-deleted'],
      );
      await chat.patch({ deleted: null });
      await undo.waitFor({ state: 'detached' });
      await box().fill('');
      await box().press('Control+z');
      assert.equal((await posted()).length, 3);
    });
  });

  describe('are quoted', () => {
    /** Selects from the beginning of one element to the end of another. */
    async function select(from: string, to = from): Promise<void> {
      await box().blur();
      await chat.page.evaluate(
        ([first, last]) => {
          const range = document.createRange();
          const [begin, end] = [document.querySelector(first ?? ''), document.querySelector(last ?? '')];
          if (!begin || !end) throw new Error('nothing to select');
          range.setStart(begin, 0);
          range.setEnd(end, end.childNodes.length);
          document.getSelection()?.removeAllRanges();
          document.getSelection()?.addRange(range);
        },
        [from, to],
      );
    }

    it('as Markdown at the caret, with code in its fence', async () => {
      await chat.showReplies(markdown);
      await box().fill('Before.\nAfter.');
      await box().evaluate((each: HTMLTextAreaElement) => each.setSelectionRange(7, 7));
      await select('.reply-text');
      await button('Quote').click();
      const quoted = [
        '> Use **one** of `these`:',
        '>',
        '> - a list',
        '> - of two',
        '>',
        '> ````ts',
        "> const fence = '```';",
        '> go();',
        '> ````',
        '>',
        '> Then stop.',
      ].join('\n');
      const text = await box().inputValue();
      assert.ok(text.startsWith(`Before.\n\n${quoted}`), text);
      assert.ok(text.endsWith('\n\nAfter.'), text);
      await waitForFocus(box());
      const caret = await box().evaluate((each: HTMLTextAreaElement) => each.selectionStart);
      assert.equal(text.slice(caret), 'After.');
      await button('Quote').waitFor({ state: 'hidden' });
    });

    it('with headings, links, deleted words and formulas as they were written', async () => {
      const source =
        '# Title\n\n###### Small\n\n~~No~~ [yes](https://example.org/a), so $x^2$ is\n\n$$y_1$$\n\n$$z$$\n\nhttps://example.org/b';
      await chat.showReplies(source);
      await chat.page.locator('.formula math').nth(1).waitFor();
      await select('.reply-text');
      await button('Quote').click();
      const quoted = source.split('\n').map((line) => `> ${line}`.trimEnd());
      const text = await box().inputValue();
      assert.ok(text.startsWith(`${quoted.join('\n')}\n`), text);
      await box().fill('');
      await select('.formula msup', '.formula msup');
      await button('Quote').click();
      assert.equal((await box().inputValue()).trim(), '> $x^2$');
    });

    it('with its fence when only code is selected, and as it was written when it is a question', async () => {
      await chat.showReplies(markdown);
      await select('.code-block code');
      await chat.post({ type: 'perform', action: 'quote' });
      await chat.page.waitForFunction(() => document.querySelector('textarea')?.value !== '');
      assert.equal(await box().inputValue(), "> ````ts\n> const fence = '```';\n> go();\n> ````\n\n");
      await chat.show([createTurn({ id: 'q', question: 'Is <b>this</b>\n\n  *so*?' })]);
      await box().fill('');
      await select('.question-text');
      await button('Quote').click();
      assert.equal(await box().inputValue(), '> Is <b>this</b>\n>\n>   *so*?\n\n');
    });

    it('only when the selection is within one message', async () => {
      await chat.showReplies('One.', 'Two.');
      await select('mg-turn:first-of-type .reply-text', 'mg-turn:last-of-type .reply-text');
      await button('Quote').waitFor({ state: 'hidden' });
      await chat.post({ type: 'perform', action: 'quote' });
      await chat.page
        .getByRole('status')
        .getByText('Select text in a message to quote it')
        .waitFor({ state: 'attached' });
      assert.equal(await box().inputValue(), '');
    });

    it('by a button that is on the screen when a long reply is selected', async () => {
      await chat.resize(300, 500);
      await chat.showReplies(markdown);
      await select('.reply-text');
      const [place] = await measureBoxes(button('Quote'));
      assert.ok(place.x >= 0 && place.x + place.width <= 300 && place.y >= 0 && place.y < 500);
    });
  });
});
