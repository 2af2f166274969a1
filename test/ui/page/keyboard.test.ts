import assert from 'node:assert/strict';
import { ChatTestPage, createTurn } from './support/chatPage.ts';
import { getTestBrowser } from './support/testBrowser.ts';
import { waitForFocus } from './support/waits.ts';

/** More than the number of focusable elements. */
const maxSteps = 60;

describe('the keyboard alone', () => {
  const chat = new ChatTestPage(getTestBrowser);
  const continued = {
    severity: 'error',
    title: 'The reply was cut off',
    detail: '',
    buttons: [{ action: 'continue', label: 'Continue' }],
  } as const;

  beforeEach(async () => {
    await chat.open();
    const turn = createTurn({
      id: 'b2',
      question: 'How?',
      text: 'So:\n\n```ts\nlet a;\n```',
      notice: continued,
      questionBranch: { number: 2, count: 2, previous: 'q1' },
      replyBranch: { number: 1, count: 2, next: 'b3' },
    });
    const context = [{ id: 'one', name: 'a.ts', icon: 'file' }];
    await chat.show([turn], {}, { context, deleted: { id: 'a', text: 'A reply was deleted' } });
    await chat.page.getByText('The reply was cut off').waitFor();
  });

  afterEach(() => chat.close());

  const message = () => chat.page.getByRole('textbox', { name: 'Message' });

  /** Moves up from the message box until an element with this name has the focus. */
  async function goUpTo(name: string): Promise<void> {
    await message().focus();
    const seen: string[] = [];
    while (seen.at(-1) !== name) {
      assert.ok(
        seen.length < maxSteps,
        `${name} is not among the elements that the keyboard reaches: ${seen.join(', ')}`,
      );
      await chat.page.keyboard.press('Shift+Tab');
      seen.push(
        await chat.page.evaluate(() => {
          const { activeElement } = document;
          return activeElement?.getAttribute('aria-label') ?? activeElement?.textContent?.trim() ?? '';
        }),
      );
    }
  }

  for (const [name, type] of [
    ['Continue', 'action'],
    ['Ask Again', 'action'],
    ['Copy Reply', 'copy-reply'],
    ['Compare Reply with Another Model…', 'compare-reply'],
    ['Fork Chat', 'fork'],
    ['Delete Reply and Following Messages', 'delete-message'],
    ['Delete Question and Following Messages', 'delete-message'],
    ['Undo', 'undo-delete'],
    ['Next Reply', 'show-branch'],
    ['Previous Question', 'show-branch'],
    ['Show Side by Side', 'compare-branches'],
    ['Apply to File…', 'apply-code'],
    ['Insert at Cursor', 'insert-code'],
    ['Remove a.ts', 'remove-context'],
    ['Add Context…', 'add-context'],
  ] as const) {
    it(`reaches “${name}” in a chat, and Enter runs it`, async () => {
      await goUpTo(name);
      await chat.page.keyboard.press('Enter');
      assert.deepEqual(
        (await chat.readPosted()).map((each) => each.type),
        [type],
      );
    });
  }

  it('edits a question in place, and returns to the message box', async () => {
    await goUpTo('Edit Question');
    await chat.page.keyboard.press('Enter');
    await waitForFocus(chat.page.getByRole('textbox', { name: 'Edited question' }));
    await chat.page.keyboard.type(' And why?');
    await chat.page.keyboard.press('Enter');
    assert.deepEqual(await chat.readPosted(), [
      { type: 'edit-question', turnId: 'b2', text: 'How? And why?', channel: 'test-channel' },
    ]);
    await waitForFocus(message());
  });
});
