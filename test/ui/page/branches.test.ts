import assert from 'node:assert/strict';
import { ChatTestPage, createTurn } from './support/chatPage.ts';
import { getTestBrowser } from './support/testBrowser.ts';
import { waitForFocus, waitForValue } from './support/waits.ts';

describe('the branches of a chat', () => {
  const chat = new ChatTestPage(getTestBrowser);

  beforeEach(() => chat.open());

  afterEach(() => chat.close());

  const button = (name: string) => chat.page.getByRole('button', { name, exact: true });
  const box = (name: string) => chat.page.getByRole('textbox', { name });
  const branched = [
    createTurn({ id: 'a', text: 'First.' }),
    createTurn({
      id: 'b2',
      text: 'Second, again.',
      replyBranch: { number: 2, count: 3, previous: 'b1', next: 'b3' },
    }),
    createTurn({ id: 'c', text: 'Third.' }),
  ];

  it('are numbered at the fork, and switching by keyboard keeps the focus on the branch buttons', async () => {
    await chat.show(branched);
    const group = chat.page.getByRole('group', { name: 'Reply 2 of 3' });
    await group.waitFor();
    assert.equal((await group.innerText()).trim(), '2/3');
    await button('Next Reply').press('Enter');
    const last = createTurn({
      id: 'b3',
      text: 'Second, once more.',
      replyBranch: { number: 3, count: 3, previous: 'b2' },
    });
    await chat.patch({ path: { unchangedTurns: 1, turns: [last] } });
    await chat.page.getByText('Second, once more.').waitFor();
    assert.equal(await chat.page.getByText('Third.').count(), 0);
    assert.equal(await button('Next Reply').isDisabled(), true);
    await chat.page.getByRole('status').getByText('Reply 3 of 3').waitFor({ state: 'attached' });
    await waitForFocus(button('Previous Reply'));
    assert.deepEqual(await chat.readPosted(), [
      { type: 'show-branch', messageId: 'b3', channel: 'test-channel' },
    ]);
  });

  it('switch without moving the fork on the screen, for branches of any length', async () => {
    const words = (name: string, count: number) => `${name} words.\n\n`.repeat(count);
    const forked = (id: string, number: number, length: number, after: number) => [
      createTurn({
        id,
        text: words(id, length),
        replyBranch: { number, count: 2, previous: 'x', next: 'y' },
      }),
      ...Array.from({ length: after }, (_, at) =>
        createTurn({ id: `${id}-${at}`, text: words('later', 20) }),
      ),
    ];
    const top = async (number: number) => {
      const group = chat.page.getByRole('group', { name: `Reply ${number} of 2` });
      return (await group.boundingBox())?.y ?? assert.fail();
    };
    await chat.show([createTurn({ id: 'a', text: words('first', 30) }), ...forked('b', 1, 30, 3)]);
    let shown = 1;
    for (const [number, length, after] of [
      [2, 24, 0],
      [1, 30, 4],
      [2, 60, 2],
    ] as const) {
      // Clicks by Playwright scroll to a button that is not fully visible. The focus ensures that the page is
      // scrolled by its reader, not by the text that is still being painted.
      await button('Next Reply').evaluate((it) => {
        it.focus({ preventScroll: true });
        it.scrollIntoView({ block: 'center' });
      });
      await button('Next Reply').hover();
      await chat.nextFrames();
      const before = await top(shown);
      await button('Next Reply').click();
      await chat.patch({ path: { unchangedTurns: 1, turns: forked(`c${length}`, number, length, after) } });
      await chat.page.getByText(`c${length} words.`).last().waitFor({ state: 'attached' });
      for (let frame = 0; frame < 40; frame += 1) await chat.nextFrames();
      const now = await top(number);
      assert.ok(Math.abs(now - before) <= 2, `${length}: ${before} to ${now}`);
      shown = number;
    }
  });

  it('keep the fork in place when a shorter one is shown, and drop the spare space when the user scrolls', async () => {
    const branch = (number: number, length: number) =>
      createTurn({
        id: `b${number}`,
        question: 'Fork?',
        text: 'Many words.\n\n'.repeat(length),
        replyBranch: { number, count: 3, previous: 'x', next: 'y' },
      });
    const group = (number: number) => chat.page.getByRole('group', { name: `Reply ${number} of 3` });
    const top = async (number: number) => Math.round((await group(number).boundingBox())?.y ?? 0);
    const turns = chat.page.locator('.turns');
    await chat.show([createTurn({ id: 'a', text: 'First words.\n\n'.repeat(40) }), branch(1, 60)]);
    await group(1).waitFor();
    await button('Next Reply').evaluate((it) => {
      it.focus({ preventScroll: true });
      it.scrollIntoView({ block: 'center' });
    });
    await chat.nextFrames();
    const before = await top(1);
    for (const [number, length] of [
      [2, 1],
      [3, 0],
      [1, 60],
      [2, 1],
    ] as const) {
      await button('Next Reply').click();
      await chat.patch({ path: { unchangedTurns: 1, turns: [branch(number, length)] } });
      await group(number).waitFor();
      for (let frame = 0; frame < 80; frame += 1) await chat.nextFrames();
      const now = await top(number);
      assert.ok(Math.abs(now - before) <= 2, `${number}: ${before} to ${now}`);
    }
    await turns.hover();
    await chat.page.mouse.wheel(0, -2000);
    const room = () =>
      turns.evaluate((each) => {
        const { bottom = 0 } = each.querySelector('mg-turn:last-child')?.getBoundingClientRect() ?? {};
        return each.scrollHeight - each.scrollTop - (bottom - each.getBoundingClientRect().top);
      });
    await waitForValue(async () => (await room()) < 40, true);
  });

  it('cannot be switched while a reply arrives', async () => {
    await chat.show([...branched, createTurn({ id: 'd', state: 'waiting' })]);
    await chat.page.getByRole('group', { name: 'Reply 2 of 3' }).waitFor();
    assert.equal(await button('Next Reply').isDisabled(), true);
    assert.equal(await button('Ask Again').first().isDisabled(), true);
    await chat.patch({ changed: [createTurn({ id: 'd', text: 'Done.' })] });
    await chat.page.getByText('Done.').waitFor();
    assert.equal(await button('Next Reply').isEnabled(), true);
  });

  it('start when a question is edited in place, and move the focus to the message box', async () => {
    await chat.show([createTurn({ id: 'a', question: 'One?' })]);
    await button('Edit Question').click();
    const edited = box('Edited question');
    assert.equal(await edited.inputValue(), 'One?');
    await edited.fill('Uno?');
    await edited.press('Enter');
    await edited.waitFor({ state: 'detached' });
    assert.deepEqual(await chat.readPosted(), [
      { type: 'edit-question', turnId: 'a', text: 'Uno?', channel: 'test-channel' },
    ]);
    await chat.patch({ path: { unchangedTurns: 0, turns: [createTurn({ id: 'b', question: 'Uno?' })] } });
    await chat.page.locator('.question-text', { hasText: 'Uno?' }).waitFor();
    await waitForFocus(box('Message'));
  });

  it('do not start while the key that opened the editor is held down', async () => {
    await chat.show([createTurn({ id: 'a', question: 'One?' })]);
    await button('Edit Question').focus();
    await chat.page.keyboard.down('Enter');
    await waitForFocus(box('Edited question'));
    await chat.page.keyboard.down('Enter');
    await chat.nextFrames();
    assert.deepEqual(await chat.readPosted(), []);
    await chat.page.keyboard.up('Enter');
    await chat.page.keyboard.press('Enter');
    await box('Edited question').waitFor({ state: 'detached' });
    assert.equal((await chat.readPosted()).length, 1);
  });

  it('do not start when Escape closes the editor, which returns the focus to its button', async () => {
    await chat.show([createTurn({ id: 'a', question: 'One?' })]);
    await button('Edit Question').click();
    await box('Edited question').fill('Uno?');
    await box('Edited question').press('Escape');
    await chat.page.locator('.question-text', { hasText: 'One?' }).waitFor();
    await waitForFocus(button('Edit Question'));
    assert.deepEqual(await chat.readPosted(), []);
  });

  it('start with the text written before a reload, in the editors that were open', async () => {
    const turns = [
      createTurn({ id: 'a', question: 'One?', text: 'First.' }),
      createTurn({ id: 'b', text: 'Second.' }),
    ];
    await chat.show(turns);
    await button('Edit Question').first().click();
    await box('Edited question').pressSequentially(' Or two?');
    await button('Edit Reply').first().click();
    await box('Edited reply').fill('Firstly.');
    await chat.page.reload();
    await chat.page.waitForFunction(() => window.posted.length > 0);
    await chat.show(turns);
    assert.equal(await box('Edited question').inputValue(), 'One? Or two?');
    assert.equal(await box('Edited reply').inputValue(), 'Firstly.');
    assert.equal(await box('Edited question').evaluate((each) => each === document.activeElement), false);
    await box('Edited reply').press('Escape');
    await chat.page.getByText('First.', { exact: true }).waitFor();
    await chat.page.reload();
    await chat.page.waitForFunction(() => window.posted.length > 0);
    await chat.show(turns);
    await chat.page.getByText('First.', { exact: true }).waitFor();
    await box('Edited question').press('Enter');
    const sent = (await chat.readPosted()).filter(({ type }) => type === 'edit-question');
    assert.deepEqual(sent, [
      { type: 'edit-question', turnId: 'a', text: 'One? Or two?', channel: 'test-channel' },
    ]);
  });

  it('keep the typed text of a reply when its edit button is clicked again', async () => {
    const turns = [createTurn({ id: 'a', text: 'First.' })];
    await chat.show(turns);
    await button('Edit Reply').click();
    await box('Edited reply').fill('Firstly.');
    await button('Edit Reply').click();
    await waitForFocus(box('Edited reply'));
    await chat.page.reload();
    await chat.page.waitForFunction(() => window.posted.length > 0);
    await chat.show(turns);
    assert.equal(await box('Edited reply').inputValue(), 'Firstly.');
  });

  it('start when a reply is edited or the chat is forked', async () => {
    await chat.show([createTurn({ id: 'a', text: 'Mostly *right*.' })]);
    await button('Edit Reply').click();
    const edited = box('Edited reply');
    assert.equal(await edited.inputValue(), 'Mostly *right*.');
    await edited.fill('Right.');
    await button('Save').click();
    await waitForFocus(box('Message'));
    await button('Edit Reply').click();
    await edited.press('Enter');
    assert.equal(await edited.inputValue(), 'Mostly *right*.\n');
    await edited.press('Control+Enter');
    await waitForFocus(box('Message'));
    await button('Fork Chat').click();
    assert.deepEqual(
      (await chat.readPosted()).map(({ type }) => type),
      ['edit-reply', 'edit-reply', 'fork'],
    );
  });
});
