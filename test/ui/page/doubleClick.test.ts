import assert from 'node:assert/strict';
import type { Locator } from 'playwright-core';
import { ChatTestPage, createTurn, type TurnDraft } from './support/chatPage.ts';
import { getTestBrowser } from './support/testBrowser.ts';
import { measureBoxes } from './support/waits.ts';

describe('a double click in a chat, when the host responds between the clicks', () => {
  const chat = new ChatTestPage(getTestBrowser);

  beforeEach(() => chat.open({ height: 1200 }));

  afterEach(() => chat.close());

  const button = (name: string) => chat.page.getByRole('button', { name, exact: true });
  const posted = async (...types: readonly string[]) =>
    (await chat.readPosted()).filter(({ type }) => types.includes(type));

  /** Clicks twice in one place. The host starts a turn after the first click. */
  async function doubleClick(at: Locator, answer: TurnDraft): Promise<void> {
    const [{ x, y, width, height }] = await measureBoxes(at);
    const { mouse } = chat.page;
    await mouse.click(x + width / 2, y + height / 2);
    await chat.patch({ changed: [createTurn({ state: 'waiting', ...answer })] });
    await chat.nextFrames();
    await mouse.down({ clickCount: 2 });
    await mouse.up({ clickCount: 2 });
  }

  it('F70 on Ask Again sends one request, although the button is shown again', async () => {
    await chat.show([createTurn({ id: 'one', text: 'First reply.' })]);
    const again = button('Ask Again').first();
    await doubleClick(again, { id: 'two', text: 'Second reply.', state: 'done' });
    assert.equal((await posted('action')).length, 1);
    await chat.page.mouse.move(0, 0);
    await again.click();
    assert.equal((await posted('action')).length, 2);
  });

  it('F70 on a suggested question or Continue sends one request, also before the host responds', async () => {
    await chat.show([], { suggestions: ['What can you do?'] });
    await button('What can you do?').dblclick();
    assert.equal((await posted('send')).length, 1);
    const notice = {
      title: 'Stopped',
      detail: '',
      severity: 'info' as const,
      buttons: [{ action: 'continue' as const, label: 'Continue' }],
    };
    await chat.show([createTurn({ text: 'Half', notice })]);
    await button('Continue').dblclick();
    assert.equal((await posted('action')).length, 1);
  });

  it('on Fork Chat requests one fork', async () => {
    await chat.show([createTurn({ id: 'one', text: 'First reply.' })]);
    await button('Fork Chat').first().dblclick();
    assert.equal((await posted('fork')).length, 1);
  });

  it('on Send does not press Stop, which takes its place', async () => {
    await chat.page.getByRole('textbox', { name: 'Message' }).fill('One?');
    await chat.show([]);
    await doubleClick(button('Send'), { id: 'one' });
    await button('Stop').first().waitFor();
    assert.deepEqual(
      (await posted('send', 'stop')).map(({ type }) => type),
      ['send'],
    );
    await button('Stop').last().click();
    assert.equal((await posted('stop')).length, 1);
  });

  it('F70 on Stop does not press Send, which takes its place', async () => {
    await chat.show([createTurn({ id: 'one', state: 'streaming', text: 'Half' })]);
    await chat.page.getByRole('textbox', { name: 'Message' }).fill('Two?');
    await doubleClick(button('Stop').last(), { id: 'one', state: 'done', text: 'Half' });
    await button('Send').waitFor();
    assert.deepEqual(
      (await posted('send', 'stop')).map(({ type }) => type),
      ['stop'],
    );
    await chat.page.mouse.move(0, 0);
    await button('Send').click();
    assert.equal((await posted('send')).length, 1);
  });

  it('F70 or a key held down on Ask Again sends one request, and not the draft in the message box', async () => {
    await chat.show([createTurn({ id: 'one', text: 'First reply.' })]);
    await chat.page.getByRole('textbox', { name: 'Message' }).fill('Half a thought');
    await button('Ask Again').focus();
    // The second key press is a repetition of the first.
    await chat.page.keyboard.down('Enter');
    await chat.page.keyboard.down('Enter');
    await chat.page.keyboard.up('Enter');
    assert.equal((await posted('action')).length, 1);
    assert.deepEqual(await posted('send'), []);
  });
});
