import assert from 'node:assert/strict';
import { ChatTestPage, createTurn } from './support/chatPage.ts';
import { notSent } from './support/showcase.ts';
import { getTestBrowser } from './support/testBrowser.ts';
import { measureBoxes } from './support/waits.ts';

describe('the turns of a conversation', () => {
  const chat = new ChatTestPage(getTestBrowser);

  beforeEach(() => chat.open({ height: 1200 }));

  afterEach(() => chat.close());

  const note = 'Not sent with the next question';
  const turn = (name: RegExp) => chat.page.getByRole('article', { name });

  it('are marked when the next question is sent without them, also single choices of a reply', async () => {
    await chat.show(notSent, {}, { excludedTurns: ['failed', 'old'] });
    await turn(/^Question 4/).waitFor();
    const marked = await chat.page
      .getByRole('article')
      .evaluateAll((turns) => turns.map((each) => each.querySelectorAll('.excluded-note').length));
    assert.deepEqual(marked, [1, 0, 1, 1]);
    await turn(/^Question 4/)
      .locator('.reply-choice-head', { hasText: 'Choice 2' })
      .getByText(note)
      .waitFor();
  });

  it('show a separator before the first turn that is sent when earlier ones are left out', async () => {
    await chat.show(notSent, {}, { excludedTurns: ['failed', 'old'] });
    const line = chat.page.getByRole('separator');
    const [above, { y }, below] = await measureBoxes(turn(/^Question 1/), line, turn(/^Question 2/));
    assert.ok(above.y < y && y < below.y, `${above.y} ${y} ${below.y}`);
    await chat.patch({ excludedTurns: [] });
    await line.waitFor({ state: 'detached' });
    assert.equal(
      await turn(/^Question 1/)
        .getByText(note)
        .count(),
      0,
    );
  });

  it('are sent again by their own button, which sends the turn id', async () => {
    await chat.show(notSent);
    await turn(/^Question 2/)
      .getByRole('button', { name: 'Ask Again', exact: true })
      .click();
    await turn(/^Question 4/)
      .getByRole('button', { name: 'Ask Again', exact: true })
      .click();
    const actions = (await chat.readPosted()).map(
      (each) => each.type === 'action' && [each.action, each.turnId],
    );
    assert.deepEqual(actions, [
      ['again', 'kept'],
      ['again', 'last'],
    ]);
  });

  it('offer only Show Log in a notice when they are not the last turn', async () => {
    const notice = notSent[0]?.notice;
    assert.ok(notice);
    await chat.show([createTurn({ id: 'a', notice }), createTurn({ id: 'b', notice })]);
    const buttons = async (name: RegExp) => turn(name).locator('.notice-buttons button').allTextContents();
    await turn(/^Question 2/).waitFor();
    assert.deepEqual(await buttons(/^Question 1/), ['Show Log']);
    assert.equal(
      await turn(/^Question 1/)
        .locator('.notice .button:not(.secondary)')
        .count(),
      0,
    );
    assert.deepEqual(await buttons(/^Question 2/), ['Ask Again', 'Show Log']);
    await chat.patch({ changed: [createTurn({ id: 'c', state: 'waiting' })] });
    await turn(/^Question 3/).waitFor();
    await chat.nextFrames();
    assert.deepEqual(await buttons(/^Question 2/), ['Show Log']);
  });

  it('have a main button only in the notice of the last turn', async () => {
    const buttons = [{ action: 'continue' as const, label: 'Continue' }];
    const notice = { severity: 'info' as const, title: 'Stopped', detail: 'By you.', buttons };
    const stopped = (id: string) => createTurn({ id, text: 'Half', notice });
    await chat.show([stopped('a'), stopped('b')]);
    await turn(/^Question 2/).waitFor();
    const mainButtons = async () => chat.page.locator('.notice .button:not(.secondary)').all();
    const [main, ...others] = await mainButtons();
    assert.equal(others.length, 0);
    await main?.click();
    const sent = (await chat.readPosted()).at(-1);
    assert.deepEqual(sent?.type === 'action' && [sent.action, sent.turnId], ['continue', 'b']);
    await chat.patch({ changed: [createTurn({ id: 'c', state: 'waiting' })] });
    await turn(/^Question 3/).waitFor();
    await chat.nextFrames();
    assert.equal((await mainButtons()).length, 0);
  });

  it('restart in place when a failed one is sent again, and the wait is announced', async () => {
    await chat.show([...notSent, createTurn({ id: 'again', notice: notSent[0]?.notice ?? assert.fail() })]);
    await turn(/^Question 5/).waitFor();
    await chat.patch({ changed: [createTurn({ id: 'again', state: 'waiting' })] });
    await turn(/^Question 5/)
      .getByText('Waiting for the reply to begin')
      .waitFor();
    assert.equal(await chat.page.getByRole('article').count(), 5);
    await chat.page.getByRole('status').getByText('Waiting for the reply').waitFor({ state: 'attached' });
  });
});

describe('a reply that stalls', () => {
  const chat = new ChatTestPage(getTestBrowser);

  before(() => chat.open());

  after(() => chat.close());

  const more = (text: string) =>
    ({ type: 'delta', turnId: 'turn-1', choice: 0, text, reasoning: '' }) as const;

  it('shows the wait after three seconds with a Stop button, without moving the layout', async () => {
    await chat.show([createTurn({ state: 'streaming', text: 'Half', waitedMs: 0 })]);
    const stall = chat.page.locator('.stall');
    const foot = chat.page.locator('.reply-foot');
    await chat.page.getByText('Half').waitFor();
    assert.equal(await stall.isVisible(), false);
    const before = await measureBoxes(foot);
    await stall.getByText(/^[3-9] s$/).waitFor();
    assert.ok(await stall.isVisible());
    assert.deepEqual(await measureBoxes(foot), before);
    await stall.getByRole('button', { name: 'Stop' }).click();
    assert.deepEqual((await chat.readPosted()).at(-1), { type: 'stop', channel: 'test-channel' });
    await chat.post(more(' of it'));
    await chat.page.getByText('Half of it').waitFor();
    assert.equal(await stall.isVisible(), false);
    assert.deepEqual(await measureBoxes(foot), before);
  });

  it('is announced to screen readers after ten seconds, and counts on from the wait that the host reports', async () => {
    await chat.show([createTurn({ id: 'turn-2', state: 'streaming', text: 'Half', waitedMs: 8_000 })]);
    await chat.page
      .getByRole('status')
      .getByText('Waiting for the rest of the reply, 10 seconds')
      .waitFor({ state: 'attached' });
    await chat.page.locator('.stall', { hasText: /Waiting1[0-9] s|Waiting\s+1[0-9] s/ }).waitFor();
  });

  it('has a Stop button also while it waits for its first word', async () => {
    await chat.show([createTurn({ id: 'turn-3', state: 'waiting', waitedMs: 4_000 })]);
    await chat.page.locator('.wait').getByRole('button', { name: 'Stop' }).waitFor();
  });
});
