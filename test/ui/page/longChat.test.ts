import assert from 'node:assert/strict';
import { browserOfTests } from './support/browserOfTests.ts';
import { ChatTestPage, reply } from './support/chatPage.ts';

const turn = (at: number) =>
  reply({ id: `t${at}`, question: `Question ${at}?`, text: `Answer ${at}.\n\n`.repeat(12) });
const turns = (start: number, end: number) =>
  Array.from({ length: end - start }, (_, at) => turn(start + at));

describe('a long chat', () => {
  const chat = new ChatTestPage(browserOfTests);

  beforeEach(() => chat.open());

  afterEach(() => chat.close());

  const question = (at: number) => chat.page.getByText(`Question ${at}?`, { exact: true });
  const numbers = () =>
    chat.page.locator('mg-turn article').evaluateAll((found) => found.map((each) => each.ariaLabel));

  it('shows its end before its beginning has come, and builds what is before as the reader comes near', async () => {
    await chat.show(turns(270, 300), {}, { earlier: 270 });
    await question(299).waitFor();
    assert.equal((await numbers()).at(-1), 'Question 300 and its reply');
    await chat.post({ type: 'earlier', turns: turns(170, 270) });
    await chat.post({ type: 'earlier', turns: turns(0, 170) });
    await chat.page.mouse.move(400, 300);
    for (let wheels = 0; (await question(0).count()) === 0; wheels += 1) {
      assert.ok(wheels < 1_000, 'the beginning is not reached');
      await chat.page.mouse.wheel(0, -2_000);
      await chat.nextFrames();
    }
    await chat.page.waitForFunction(() => document.querySelectorAll('mg-turn').length === 300);
    assert.deepEqual(
      await numbers(),
      Array.from({ length: 300 }, (_, at) => `Question ${at + 1} and its reply`),
    );
    assert.equal(await chat.page.getByRole('button', { name: /Show Earlier/ }).count(), 0);
  });

  it('goes to a place among turns that come later', async () => {
    const stored = JSON.stringify({ chat: 'chat-1', place: { turnId: 't40', offset: 10 } });
    await chat.page.evaluate((state) => sessionStorage.setItem('state', state), stored);
    await chat.show(turns(70, 100), {}, { earlier: 70 });
    await question(99).waitFor();
    await chat.post({ type: 'earlier', turns: turns(0, 70) });
    await question(40).waitFor();
    await chat.page.getByRole('button', { name: 'Jump to End' }).waitFor();
  });

  it('shows another branch before all of it has come', async () => {
    await chat.show(turns(70, 100), {}, { earlier: 70 });
    await question(99).waitFor();
    await chat.post({ type: 'path', kept: 90, turns: [turn(500)], leftOut: [] });
    await question(500).waitFor();
    await chat.post({ type: 'earlier', turns: turns(0, 70) });
    await chat.page.getByRole('button', { name: 'Show Earlier Turns (70)', includeHidden: true }).waitFor();
    assert.equal(await question(99).count(), 0);
    assert.equal((await numbers()).at(-1), 'Question 91 and its reply');
  });
});
