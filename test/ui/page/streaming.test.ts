import assert from 'node:assert/strict';
import type { ReplyDelta } from '../../../src/protocol/chatTurn.ts';
import { ChatTestPage, createTurn, noParameters } from './support/chatPage.ts';
import { getTestBrowser } from './support/testBrowser.ts';
import { waitForValue } from './support/waits.ts';

describe('a streaming reply', () => {
  const chat = new ChatTestPage(getTestBrowser);

  beforeEach(() => chat.open());

  afterEach(() => chat.close());

  async function add(delta: Partial<ReplyDelta>): Promise<void> {
    await chat.post({
      type: 'delta',
      turnId: 'turn-1',
      choice: 0,
      text: '',
      reasoning: '',
      ...delta,
    });
  }

  /** Waits until the text of `selector` is `text`, ignoring blanks. */
  async function waitForText(selector: string, text: string): Promise<void> {
    await chat.page.waitForFunction(
      ([where = '', words]) => {
        const shown = document.querySelector(where)?.textContent ?? '';
        return shown.replace(/\s/g, '') === words;
      },
      [selector, text.replace(/\s/g, '')],
    );
  }

  it('F63 keeps all of its text during actions of the user', async () => {
    const target = {
      gateway: 'work',
      model: 'other',
      format: 'Messages (Anthropic)',
      formatShort: 'Messages',
      parametersSet: 1,
    };
    const { page } = chat;
    const userActions: readonly (() => Promise<unknown>)[] = [
      async () => {
        await page.locator('.turns').hover();
        await page.mouse.wheel(0, -500);
        await page.getByRole('button', { name: 'Jump to End' }).waitFor();
      },
      () => page.getByRole('button', { name: 'Jump to End' }).click(),
      () => chat.post(noParameters),
      () => page.locator('[role="searchbox"]:focus').waitFor(),
      () => page.keyboard.press('Escape'),
      () => page.setViewportSize({ width: 320, height: 500 }),
      () => chat.setTheme('light'),
      () => chat.patch({ target }),
      () => chat.patch({ attachments: [] }),
      () => page.getByRole('textbox', { name: 'Message' }).fill('What I ask next'),
      () => page.setViewportSize({ width: 900, height: 700 }),
      () => chat.setTheme('high-contrast'),
      () => chat.post({ type: 'perform', action: 'focus-last-reply' }),
      async () => {
        const state = 'streaming' as const;
        const turn = createTurn({ id: 'turn-1', state, text, reasoning, model: 'gpt-x-mini' });
        await chat.show([createTurn({ id: 'turn-0', text: 'Earlier' }), turn]);
      },
    ];
    let text = '';
    let reasoning = '';
    const long = 'A paragraph of the beginning.\n\n'.repeat(60);
    await chat.show([createTurn({ id: 'turn-0', text: 'Earlier' })]);
    await chat.patch({ changed: [createTurn({ id: 'turn-1', state: 'waiting' })] });
    for (let round = 0; round <= 2 * userActions.length; round += 1) {
      const word = `${round === 0 ? long : ''}Paragraph ${round} of the reply.\n\nAnother one beside it.\n\n`;
      const thought = `Thought ${round}.\n\n`;
      text += word;
      reasoning += thought;
      await add({ text: word, reasoning: thought });
      await userActions[round % userActions.length]?.();
      await waitForText('mg-turn:last-of-type .reply-text', text);
      await waitForText('mg-turn:last-of-type .reasoning-text', reasoning);
    }
    await chat.patch({ changed: [createTurn({ id: 'turn-1', text, reasoning })] });
    await page.getByRole('status').getByText('Reply complete').waitFor({ state: 'attached' });
    await waitForText('mg-turn:last-of-type .reply-text', text);
  });

  it('shows each delta once when several arrive in the same frame as its start', async () => {
    await chat.show([]);
    await chat.page.evaluate(
      (turn) => {
        const delta = (text: string, reasoning = '') => ({
          type: 'delta',
          turnId: 'turn-1',
          choice: 1,
          text,
          reasoning,
        });
        const messages = [
          { type: 'state', isPatch: true, state: { changed: [turn] } },
          delta('One '),
          delta('', 'Hm '),
          delta('two '),
          delta('three', 'hm'),
        ];
        for (const [at, message] of messages.entries()) {
          const data = { ...message, seq: 2 + at };
          dispatchEvent(new MessageEvent('message', { data, origin: window.origin }));
        }
      },
      createTurn({ id: 'turn-1', state: 'waiting' }),
    );
    await waitForText('[data-choice="1"] .reply-text', 'One two three');
    await waitForText('[data-choice="1"] .reasoning-text', 'Hm hm');
  });

  it('shows tool calls, pictures and sources as they arrive', async () => {
    await chat.show([createTurn({ id: 'turn-1', state: 'waiting' })]);
    await add({ toolCalls: [{ position: 0, name: 'search', arguments: '{"que' }] });
    await add({ toolCalls: [{ position: 0, arguments: 'ry": "a"}' }] });
    await add({ toolCalls: [{ position: 1, name: 'open', arguments: '{}' }] });
    await add({ citations: [{ title: 'The manual', url: 'https://example.com/manual' }] });
    await add({ images: [{ mimeType: 'image/svg+xml', data: '' }] });
    await chat.page.getByText('image/svg+xml cannot be shown').waitFor();
    await chat.page.getByRole('link', { name: 'The manual' }).waitFor();
    await waitForValue(() => chat.page.locator('.tool-call pre').allTextContents(), ['{"query": "a"}', '{}']);
    await chat.page.getByRole('button', { name: 'Copy Arguments' }).first().click();
    const copied = (await chat.readPosted()).find(({ type }) => type === 'copy-code');
    assert.ok(copied && 'text' in copied && copied.text === '{"query": "a"}');
  });

  it('P9 shows 100 of 20,000 sources and tool calls, and more on request', async () => {
    await chat.show([createTurn({ id: 'turn-1', state: 'waiting' })]);
    const many = Array.from({ length: 20_000 }, (_, at) => at);
    await add({
      citations: many.map((at) => ({ title: `Source ${at}`, url: `https://example.com/${at}` })),
      toolCalls: many.map((position) => ({ position, name: `call ${position}`, arguments: '{}' })),
    });
    await chat.page.getByRole('button', { name: 'Show More Sources (19,900)' }).click();
    await chat.page.getByRole('button', { name: 'Show More Sources (19,800)' }).waitFor();
    assert.equal(await chat.page.locator('.citations li').count(), 200);
    await chat.page.getByRole('button', { name: 'Show More Tool Calls (19,900)' }).waitFor();
    assert.equal(await chat.page.locator('.tool-call').count(), 100);
  });

  it('P9 is among the newest 100 of 10,000 turns, and earlier turns are shown on request', async () => {
    await chat.show(
      Array.from({ length: 10_000 }, (_, at) => createTurn({ id: `turn-${at}`, text: `Answer ${at}.` })),
    );
    await chat.page.getByText('Answer 9999.').waitFor();
    await chat.page.getByRole('button', { name: 'Show Earlier Turns (9,900)' }).click();
    await chat.page.getByRole('article', { name: 'Question 9801 and its reply' }).waitFor();
    await chat.page.getByRole('button', { name: /^Show Earlier Turns \(9,[0-8]\d\d\)$/ }).waitFor();
    const numbers = await chat.page
      .locator('mg-turn article')
      .evaluateAll((articles) => articles.map((each) => Number(/\d+/.exec(each.ariaLabel ?? '')?.[0])));
    const [first = 0] = numbers;
    assert.ok(first <= 9801 && first > 9000, `${first}`);
    assert.deepEqual(
      numbers,
      Array.from({ length: 10_001 - first }, (_, at) => first + at),
    );
  });
});
