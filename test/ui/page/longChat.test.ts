import assert from 'node:assert/strict';
import { ChatTestPage, createTurn } from './support/chatPage.ts';
import { getTestBrowser } from './support/testBrowser.ts';

const turn = (at: number) =>
  createTurn({ id: `t${at}`, question: `Question ${at}?`, text: `Answer ${at}.\n\n`.repeat(12) });
const turns = (start: number, end: number) =>
  Array.from({ length: end - start }, (_, at) => turn(start + at));

describe('a long chat', () => {
  const chat = new ChatTestPage(getTestBrowser);

  beforeEach(() => chat.open());

  afterEach(() => chat.close());

  const question = (at: number) => chat.page.getByText(`Question ${at}?`, { exact: true });
  const numbers = () =>
    chat.page.locator('mg-turn article').evaluateAll((found) => found.map((each) => each.ariaLabel));

  it('shows its end before its start has arrived, and paints earlier turns when the user scrolls up', async () => {
    await chat.show(turns(270, 300), {}, { unchangedTurns: 270 });
    await question(299).waitFor();
    assert.equal((await numbers()).at(-1), 'Question 300 and its reply');
    await chat.patch({ earlier: turns(170, 270) });
    await chat.patch({ earlier: turns(0, 170) });
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

  it('P9 reads pictures near the screen, and releases pictures far from it', async () => {
    const hashes = Array.from({ length: 40 }, (_, at) => at.toString(16).padStart(64, '0'));
    await chat.show(
      hashes.map((hash, at) =>
        createTurn({ id: `t${at}`, images: [{ mimeType: 'image/png', hash }], text: 'x' }),
      ),
    );
    const read = () =>
      chat.page.evaluate(() => window.posted.flatMap((each) => ('hash' in each ? [String(each.hash)] : [])));
    const answerAll = async () => {
      for (let answered = 0; answered < (await read()).length; answered++) {
        const hash = (await read())[answered] ?? '';
        await chat.post({ type: 'picture', hash, data: await tallPicture() });
        await chat.nextFrames();
      }
    };
    /** PNG of 10 x 400 pixels. */
    const tallPicture = () =>
      chat.page.evaluate(() => {
        const canvas = Object.assign(document.createElement('canvas'), { width: 10, height: 400 });
        return canvas.toDataURL().split(',')[1] ?? '';
      });
    await chat.page.waitForFunction(() => window.posted.some(({ type }) => type === 'read-picture'));
    await answerAll();
    const pictures = chat.page.locator('mg-picture img');
    await pictures.last().waitFor();
    assert.ok((await read()).length < hashes.length, 'All pictures were read at once.');
    assert.ok(!(await read()).includes(hashes[0] ?? ''));
    await chat.page.mouse.move(400, 300);
    const first = chat.page.locator('mg-turn').first().locator('mg-picture img');
    for (let wheels = 0; (await first.count()) === 0; wheels += 1) {
      assert.ok(wheels < 1_000, 'the first picture is not read');
      await chat.page.mouse.wheel(0, -2_000);
      await chat.nextFrames();
      await answerAll();
    }
    assert.ok((await pictures.count()) < 20, 'Pictures far from the screen were not released.');
    assert.equal(await chat.page.locator('mg-turn').last().locator('mg-picture img').count(), 0);
    const [space] = await chat.page
      .locator('mg-turn:last-of-type .picture-space')
      .evaluateAll((found) => found.map((each) => each.clientHeight));
    assert.equal(space, 400);
  });

  it('shows a placeholder for a missing picture', async () => {
    const hash = 'a'.repeat(64);
    await chat.show([createTurn({ images: [{ mimeType: 'image/png', hash }] })]);
    await chat.page.waitForFunction(() => window.posted.some(({ type }) => type === 'read-picture'));
    await chat.post({ type: 'picture', hash });
    await chat.page.locator('mg-picture .image-chip').waitFor();
  });

  it('restores a scroll position in turns that arrive later', async () => {
    const stored = JSON.stringify({ chat: 'chat-1', place: { turnId: 't40', offset: 10 } });
    await chat.page.evaluate((state) => sessionStorage.setItem('state', state), stored);
    await chat.show(turns(70, 100), {}, { unchangedTurns: 70 });
    await question(99).waitFor();
    await chat.patch({ earlier: turns(0, 70) });
    await question(40).waitFor();
    await chat.page.getByRole('button', { name: 'Jump to End' }).waitFor();
  });

  it('shows another branch before all turns have arrived', async () => {
    await chat.show(turns(70, 100), {}, { unchangedTurns: 70 });
    await question(99).waitFor();
    await chat.patch({ path: { unchangedTurns: 90, turns: [turn(500)] } });
    await question(500).waitFor();
    await chat.patch({ earlier: turns(0, 70) });
    await chat.page.getByRole('button', { name: 'Show Earlier Turns (70)', includeHidden: true }).waitFor();
    assert.equal(await question(99).count(), 0);
    assert.equal((await numbers()).at(-1), 'Question 91 and its reply');
  });
});
