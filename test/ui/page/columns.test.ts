import assert from 'node:assert/strict';
import type { Locator } from 'playwright-core';
import type { TurnView } from '../../../src/protocol/chatTurn.ts';
import { findAccessibilityFaults, findFaultsInThemes } from './support/accessibility.ts';
import { ChatTestPage, createTurn } from './support/chatPage.ts';
import { getTestBrowser } from './support/testBrowser.ts';
import { measureBoxes } from './support/waits.ts';

const question = 'Which sea is north of Poland?';
const models = ['red/first', 'green/second', 'blue/third'];

const figures = {
  inputTokens: 19,
  outputTokens: 172,
  firstTokenMs: 310,
  totalMs: 2400,
  tokensPerSecond: 82,
  end: 'complete',
  cost: { text: 'about $0.0012', explanation: 'By the price that the gateway lists' },
};

function createAnswer(column: number, others: Partial<TurnView> & { text?: string } = {}): TurnView {
  return createTurn({
    id: `answer-${column}`,
    question,
    model: models[column] ?? '',
    figures,
    text: `The Baltic Sea, says number ${column + 1}.`,
    ...others,
  });
}

const failed = createAnswer(1, {
  text: '',
  figures: {},
  notice: {
    title: 'The gateway failed',
    detail: 'It could not answer.',
    severity: 'error',
    buttons: [
      { action: 'raise-limit', label: 'Raise Limit for Today…' },
      { action: 'again', label: 'Ask Again' },
    ],
  },
});

const earlier = createTurn({ id: 'before', question: 'Hello', text: 'Hello to you.' });
const target = { model: models[0], compared: models, isComparing: true };

function createComparison(...columns: readonly (TurnView | string)[][]) {
  return { sharesQuestion: true, columns };
}

describe('replies side by side', () => {
  const chat = new ChatTestPage(getTestBrowser);

  afterEach(() => chat.close());

  const button = (name: string) => chat.page.getByRole('button', { name, exact: true });
  const column = (nth: number) =>
    chat.page.getByRole('region', { name: `Reply ${nth} of 3: ${models[nth - 1]}`, exact: true });
  const measureLefts = () =>
    chat.page
      .locator('mg-column')
      .evaluateAll((all) => all.map((each) => Math.round(each.getBoundingClientRect().left)));
  const posted = async () => (await chat.readPosted()).map(({ channel: _, ...message }) => message);

  it('are shown in columns with their figures, and their shared question once', async () => {
    await chat.open({ width: 1200 });
    const { cost: _, ...others } = figures;
    const free = createAnswer(2, {
      figures: { ...others, unknownCost: 'Cost: unknown. No price is listed.' },
    });
    await chat.show([earlier], target, { comparison: createComparison([createAnswer(0)], [failed], [free]) });
    await column(1).getByText('says number 1').waitFor();
    assert.equal(await chat.page.getByText(question).count(), 1);
    assert.equal(new Set(await measureLefts()).size, 3);
    const figureText = await column(1).locator('.figures').innerText();
    for (const figure of ['19 tokens in, 172 out', 'first token 0.31 s', '82 tok/s', 'about $0.0012']) {
      assert.ok(figureText.includes(figure), figureText);
    }
    const unknown = column(3).getByText('cost unknown', { exact: true });
    assert.equal(await unknown.getAttribute('title'), 'Cost: unknown. No price is listed.');
    await column(2).getByText('The gateway failed').waitFor();
    await column(2).getByText('failed', { exact: true }).waitFor();
    await column(2).getByRole('button', { name: 'Raise Limit for Today…' }).click();
    await column(2).getByRole('button', { name: 'Ask Again' }).click();
    await column(3).getByRole('button', { name: 'Continue with This Reply' }).click();
    await column(3).getByRole('button', { name: 'Compare with…' }).click();
    await column(1).getByRole('button', { name: 'Close Column' }).click();
    assert.deepEqual(await posted(), [
      { type: 'action', turnId: 'answer-1', action: 'raise-limit' },
      { type: 'action', turnId: 'answer-1', action: 'again' },
      { type: 'continue-with-reply', turnId: 'answer-2' },
      { type: 'open-differences', turnId: 'answer-2' },
      { type: 'close-column', turnId: 'answer-0' },
    ]);
  });

  it('meet the accessibility guidelines, complete, failed or arriving', async () => {
    await chat.open({ width: 1100, height: 900 });
    const arriving = createAnswer(2, { state: 'streaming', text: 'The', figures: {} });
    await chat.show([earlier], target, {
      comparison: createComparison([createAnswer(0)], [failed], [arriving]),
    });
    await column(3).getByText('receiving').waitFor();
    assert.deepEqual(await findFaultsInThemes(chat, (theme) => chat.savePicture(`columns-${theme}`)), []);
  });

  it('are stacked in order in a narrow page, each with its heading', async () => {
    await chat.open({ width: 300, height: 900, theme: 'dark' });
    await chat.show([earlier], target, {
      comparison: createComparison([createAnswer(0)], [failed], [createAnswer(2)]),
    });
    await column(3).waitFor();
    assert.equal(new Set(await measureLefts()).size, 1);
    const headings = await chat.page.getByRole('heading', { level: 2 }).allInnerTexts();
    assert.deepEqual(headings, models);
    const room = await chat.page.evaluate(() => {
      const { scrollWidth, clientWidth } = document.querySelector('.turns') ?? document.body;
      return clientWidth - scrollWidth;
    });
    assert.equal(room, 0, 'nothing is wider than the page');
    await chat.savePicture('columns-narrow');
    assert.deepEqual(await findAccessibilityFaults(chat.page), []);
  });

  const layouts: readonly (readonly [count: number, width: number, rows: readonly number[]])[] = [
    ...([
      [2, 300, [1, 1]],
      [3, 900, [3]],
      [4, 1200, [4]],
      [4, 1000, [2, 2]],
      [4, 600, [2, 2]],
      [4, 300, [1, 1, 1, 1]],
      [5, 1200, [3, 2]],
      [5, 600, [2, 2, 1]],
      [6, 1300, [3, 3]],
      [6, 600, [2, 2, 2]],
    ] as const),
  ];
  for (const [count, width, rows] of layouts) {
    it(`are laid out as ${rows.join(' + ')} of ${count} at ${width} pixels, each reached by one click`, async () => {
      await chat.open({ width, height: 600 });
      const turns = Array.from({ length: count }, (_, at) =>
        createTurn({
          id: `answer-${at}`,
          question,
          model: `model/${at}`,
          text: 'Many words.\n\n'.repeat(60),
        }),
      );
      const comparison = createComparison(...turns.map((turn) => [turn]));
      await chat.show([earlier], { compared: turns.map(({ model }) => model) }, { comparison });
      await chat.page.locator('mg-column').last().getByText('Many words.').last().waitFor();
      const tops = await chat.page
        .locator('mg-column')
        .evaluateAll((all) => all.map((each) => Math.round(each.getBoundingClientRect().top)));
      const shown = [...Map.groupBy(tops, (top) => top).values()].map(({ length }) => length);
      assert.deepEqual(shown, rows);
      const overview = chat.page.getByRole('navigation', { name: 'Compared replies' });
      assert.equal(await overview.isVisible(), rows.length > 1);
      if (rows.length === 1) return;
      const names = overview.getByRole('button');
      const areUncut = await names.evaluateAll((all) =>
        all
          .map((each) => each.getBoundingClientRect())
          .every(({ left, right }) => left >= 0 && right <= innerWidth),
      );
      assert.deepEqual([await names.count(), areUncut], [count, true]);
      for (const nth of [count, 1, count - 1]) {
        await overview.getByRole('button', { name: `Reply ${nth} of ${count}` }).click();
        const head = chat.page
          .locator('mg-column')
          .nth(nth - 1)
          .getByRole('heading');
        const [{ y }] = await measureBoxes(head);
        assert.ok(y > 0 && y < 300, `${nth}: ${y}`);
      }
    });
  }

  it('align the start of each turn, for previous replies of any length', async () => {
    await chat.open({ width: 1200, height: 900 });
    const long = 'Many words. '.repeat(400);
    const turns = [0, 1, 2].map((at) => [
      createAnswer(at, { text: at === 1 ? long : 'Few words.' }),
      createAnswer(at, { id: `next-${at}`, question: 'And then?', text: at === 2 ? long : 'Few words.' }),
      createAnswer(at, { id: `last-${at}`, question: 'At last?', text: 'Few words.' }),
    ]);
    await chat.show([earlier], target, { comparison: createComparison(...turns) });
    const tops = async (each: Locator) => {
      const [first, ...others] = await each.all();
      return (await measureBoxes(first ?? assert.fail('there is none'), ...others)).map(({ y }) =>
        Math.round(y),
      );
    };
    for (const words of ['And then?', 'At last?']) {
      await chat.page.getByText(words).last().scrollIntoViewIfNeeded();
      const found = await tops(chat.page.getByText(words));
      assert.deepEqual([found.length, new Set(found).size], [3, 1], `${words}: ${found}`);
    }
    await chat.savePicture('columns-turns');
    const buttons = await tops(chat.page.getByRole('button', { name: 'Continue with This Reply' }));
    assert.deepEqual([buttons.length, new Set(buttons).size], [3, 1]);
  });

  it('get the focus by commands, each as a region, and are all stopped by Escape', async () => {
    await chat.open({ width: 1100 });
    const arriving = models.map((_, at) => [createAnswer(at, { state: 'waiting', text: '', figures: {} })]);
    await chat.show([earlier], target, { comparison: createComparison(...arriving) });
    await column(1).waitFor();
    const focused = () => chat.page.evaluate(() => document.activeElement?.getAttribute('aria-label'));
    for (const [action, nth] of [
      ['focus-next-column', 1],
      ['focus-next-column', 2],
      ['focus-previous-column', 1],
      ['focus-previous-column', 3],
    ] as const) {
      await chat.post({ type: 'perform', action });
      await chat.page.waitForFunction(
        (label) => document.activeElement?.getAttribute('aria-label') === label,
        `Reply ${nth} of 3: ${models[nth - 1]}`,
      );
    }
    assert.equal(await focused(), `Reply 3 of 3: ${models[2]}`);
    await chat.page.keyboard.press('Escape');
    await column(2).getByRole('button', { name: 'Stop This Reply' }).click();
    assert.deepEqual(await posted(), [{ type: 'stop' }, { type: 'stop', turnId: 'answer-1' }]);
    assert.equal(await column(1).getByRole('button', { name: 'Close Column' }).isDisabled(), true);
  });

  it('show each delta in its column, and keep their text when the next question is sent to all', async () => {
    await chat.open({ width: 1100 });
    const begun = models.map((_, at) => [createAnswer(at, { state: 'waiting', text: '', figures: {} })]);
    await chat.show([], target, { comparison: createComparison(...begun) });
    const delta = (at: number, text: string) =>
      chat.post({ type: 'delta', turnId: `answer-${at}`, choice: 0, text, reasoning: '' });
    await delta(1, 'Second ');
    await delta(0, 'First ');
    await delta(1, 'one.');
    await column(2).getByText('Second one.').waitFor();
    await column(1).getByText('First', { exact: true }).waitFor();
    await column(3).getByText('waiting', { exact: true }).waitFor();
    for (const [at] of models.entries()) await chat.patch({ changed: [createAnswer(at)] });
    await column(3).getByText('says number 3').waitFor();
    const further = models.map((model, at) => [
      `answer-${at}`,
      createTurn({ id: `further-${at}`, question: 'And south?', model, state: 'waiting', text: '' }),
    ]);
    await chat.patch({ path: { unchangedTurns: 0, turns: [], comparison: createComparison(...further) } });
    await column(3).getByText('And south?').waitFor();
    await column(1).getByText('says number 1').waitFor();
    await column(2).getByText('says number 2').waitFor();
    assert.equal(await chat.page.getByText(question).count(), 1);
    await chat.patch({ path: { unchangedTurns: 0, turns: [createAnswer(2)] } });
    await chat.page.getByRole('region', { name: 'Reply of blue/third' }).waitFor();
    assert.equal(await chat.page.locator('mg-column').count(), 0);
  });

  it('align the note of an edit with their text, and show the cost of the chat in the models tooltip', async () => {
    await chat.open({ width: 1100 });
    const cost = 'This chat: about $0.0036';
    await chat.show(
      [],
      { ...target, cost },
      { comparison: createComparison([createAnswer(0, { isEdited: true })], [createAnswer(1)]) },
    );
    const column = chat.page.locator('mg-column').first();
    const [note, text] = await measureBoxes(column.locator('.edited-note'), column.locator('.reply-text'));
    assert.equal(Math.round(note.x), Math.round(text.x));
    const label = `3 models: ${models.join(', ')}. Add Another Model\n${cost}`;
    assert.equal(await button(label).getAttribute('title'), label);
  });

  it('are requested by a button that shows the number of models', async () => {
    await chat.open({ width: 600 });
    await chat.show([], { model: models[0], compared: models });
    await chat.page.getByRole('textbox', { name: 'Message' }).fill('Well?');
    await chat.savePicture('columns-ask');
    assert.deepEqual(await findAccessibilityFaults(chat.page), []);
    await button('Ask 3 Models').click();
    await button(`3 models: ${models.join(', ')}. Choose others`).click();
    await button('Ask One Model').click();
    const messages = (await posted()).filter(({ type }) => type !== 'draft');
    assert.deepEqual(messages, [
      { type: 'send', text: 'Well?' },
      { type: 'action', turnId: undefined, action: 'compare-models' },
      { type: 'action', turnId: undefined, action: 'ask-one-model' },
    ]);
  });

  it('are streamed six at once, each with its own text', async () => {
    await chat.open({ width: 1600, height: 900 });
    const six = Array.from({ length: 6 }, (_, at) =>
      createTurn({ id: `answer-${at}`, question, model: `model/${at}`, state: 'waiting', text: '' }),
    );
    const comparison = createComparison(...six.map((turn) => [turn]));
    await chat.show([], { compared: six.map(({ model }) => model), isComparing: true }, { comparison });
    for (const round of [0, 1, 2]) {
      for (const { id: turnId } of six) {
        const text = `Part ${round} of ${turnId}.\n\n`;
        await chat.post({ type: 'delta', turnId, choice: 0, text, reasoning: '' });
      }
    }
    for (const [at, { id }] of six.entries()) {
      const shown = chat.page.locator('mg-column').nth(at);
      for (const round of [0, 1, 2]) await shown.getByText(`Part ${round} of ${id}.`).waitFor();
    }
  });
});
