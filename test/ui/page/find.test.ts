import assert from 'node:assert/strict';
import type { Locator } from 'playwright-core';
import { findAccessibilityFaults, findFaultsInThemes } from './support/accessibility.ts';
import { ChatTestPage, createTurn } from './support/chatPage.ts';
import { readMarkedTexts } from './support/highlights.ts';
import { getTestBrowser } from './support/testBrowser.ts';
import type { ThemeName } from './support/themes.ts';
import { measureBoxes, waitForValue } from './support/waits.ts';

const fourThemes: readonly ThemeName[] = ['light', 'dark', 'high-contrast', 'high-contrast-light'];

describe('find in a chat', () => {
  const chat = new ChatTestPage(getTestBrowser);

  beforeEach(() => chat.open());

  afterEach(() => chat.close());

  const box = (): Locator => chat.page.getByRole('textbox', { name: 'Find' });

  async function find(text: string): Promise<void> {
    await chat.post({ type: 'perform', action: 'find' });
    await box().fill(text);
  }

  /** Waits until the widget shows this count. */
  async function waitForCount(words: string): Promise<void> {
    await chat.page.locator('.find-count', { hasText: new RegExp(`^${words}$`) }).waitFor();
  }

  /** Waits until the current match is on the screen. */
  async function waitForCurrentMatch(): Promise<void> {
    await chat.page.waitForFunction(() => {
      const [range] = CSS.highlights.get('mg-find-current') ?? [];
      if (!range) return false;
      const shown = document.createRange();
      shown.setStart(range.startContainer, range.startOffset);
      shown.setEnd(range.endContainer, range.endOffset);
      const { top, bottom, height } = shown.getBoundingClientRect();
      const view = document.querySelector('.turns')?.getBoundingClientRect();
      return view !== undefined && height > 0 && top >= view.top && bottom <= view.bottom;
    });
  }

  it('counts and marks matches in the shown text, across Markdown formatting, and wraps around', async () => {
    const text = 'A **bo**ld bird.\n\n- bird\n- `bird`\n\n| a | b |\n|-|-|\n| bir | d |\n';
    await chat.show([
      createTurn({ id: 'a', question: 'Which bird?', text }),
      createTurn({ id: 'b', text: 'No bir\n\nd.' }),
    ]);
    await find('bird');
    await waitForCount('1 of 4');
    await waitForValue(() => readMarkedTexts(chat, 'mg-find'), ['bird', 'bird', 'bird']);
    for (const position of [2, 3, 4, 1]) {
      await box().press('Enter');
      await waitForCount(`${position} of 4`);
    }
    await box().press('Shift+Enter');
    await waitForCount('4 of 4');
    await chat.page.keyboard.press('F3');
    await waitForCount('1 of 4');
    await chat.page.keyboard.press('Shift+F3');
    await waitForCount('4 of 4');
    await box().fill('bold bird');
    await waitForCount('1 of 1');
    await box().fill('bird.$ (*');
    await waitForCount('No results');
    await waitForValue(() => readMarkedTexts(chat, 'mg-find'), []);
  });

  it('matches case and whole words when these options are on', async () => {
    await chat.show([createTurn({ question: 'x', text: 'Cat cat concat CAT, cat_s Straße' })]);
    await find('cat');
    await waitForCount('1 of 5');
    await box().press('Alt+w');
    await waitForCount('1 of 3');
    await box().press('Alt+c');
    await waitForCount('1 of 1');
    const caseButton = chat.page.getByRole('button', { name: 'Match Case (Alt+C)' });
    assert.equal(await caseButton.getAttribute('aria-pressed'), 'true');
    await caseButton.click();
    await waitForCount('2 of 3');
    // A browser on Windows reports these keys for AltGr, which types a character.
    await box().press('Control+Alt+c');
    assert.equal(await caseButton.getAttribute('aria-pressed'), 'false');
  });

  it('finds matches in turns that are not painted, and shows them', async () => {
    const turns = Array.from({ length: 400 }, (_, at) =>
      createTurn({
        id: `t${at}`,
        question: `Question ${at}`,
        text: at % 100 === 3 ? 'A **needle** here.' : 'Hay.',
      }),
    );
    await chat.show(turns);
    assert.ok((await chat.page.locator('mg-turn').count()) < 400);
    await find('needle');
    await waitForCount('1 of 4');
    await waitForCurrentMatch();
    await waitForValue(() => readMarkedTexts(chat, 'mg-find-current'), ['needle']);
    await box().press('Shift+Enter');
    await waitForCount('4 of 4');
    await waitForCurrentMatch();
    await box().press('Escape');
    assert.equal(await chat.page.locator('mg-find').count(), 0);
    assert.equal(await chat.page.evaluate(() => document.getSelection()?.toString()), 'needle');
  });

  it('unfolds reasoning, folds and long questions that contain a match', async () => {
    const question = `${'word '.repeat(2000)}hidden1`;
    const text = '<details>\n<summary>More</summary>\n\nhidden3\n\n</details>\n\nThe end.';
    await chat.show([createTurn({ question, reasoning: 'It is hidden2.', text })]);
    await find('hidden');
    await waitForCount('1 of 3');
    for (const at of [1, 2, 3]) {
      await waitForCount(`${at} of 3`);
      await waitForCurrentMatch();
      await waitForValue(() => readMarkedTexts(chat, 'mg-find-current'), ['hidden']);
      if (at < 3) await box().press('Enter');
    }
    await waitForValue(() => chat.page.locator('details:not([open])').count(), 0);
  });

  it('starts with the selected text, and returns the focus when it is closed', async () => {
    await chat.show([createTurn({ question: 'One two', text: 'Two and two' })]);
    await chat.page.getByText('Two and two').waitFor();
    await chat.page.getByRole('textbox', { name: 'Message' }).focus();
    await chat.page.evaluate(() => {
      const texts = [...(document.querySelector('.question-text')?.childNodes ?? [])];
      const text = texts.find((node) => node instanceof Text);
      if (text) document.getSelection()?.setBaseAndExtent(text, 4, text, 7);
    });
    await chat.post({ type: 'perform', action: 'find' });
    await waitForCount('1 of 3');
    assert.equal(await box().inputValue(), 'two');
    await box().press('Alt+c');
    await waitForCount('1 of 2');
    await box().press('Escape');
    assert.equal(await chat.page.locator('mg-find').count(), 0);
    const message = chat.page.getByRole('textbox', { name: 'Message' });
    await message.and(chat.page.locator(':focus')).waitFor();
    await message.press('F3');
    await waitForCount('1 of 2');
    assert.equal(await box().inputValue(), 'two');
  });

  it('matches regular expressions within each block, and skips empty matches', async () => {
    await chat.show([
      createTurn({
        question: 'Which birds?',
        text: 'A cat, a cot\n\n- cut\n- bird2\n\n```\nlet a = 1;\nlet b = 2;\n```\n',
      }),
    ]);
    await find('c[aou]t');
    await waitForCount('No results');
    await box().press('Alt+r');
    await waitForCount('1 of 3');
    await waitForValue(() => readMarkedTexts(chat, 'mg-find'), ['cot', 'cut']);
    for (const [expression, words] of [
      ['^let', '1 of 2'],
      ['\\bbird\\b', 'No results'],
      ['birds?(?=\\d)', '1 of 1'],
      ['t[^]*bird', 'No results'],
      ['x*', 'No results'],
      ['$', 'No results'],
      ['t*', '1 of 5'],
    ] as const) {
      await box().fill(expression);
      await waitForCount(words);
    }
    await waitForValue(() => readMarkedTexts(chat, 'mg-find-current'), ['t']);
    await box().fill('bird');
    await waitForCount('2 of 2');
    await box().press('Alt+w');
    await waitForCount('No results');
  });

  it('shows the error of an invalid regular expression until it is corrected', async () => {
    await chat.show([createTurn({ question: 'x', text: 'f(x)' })]);
    await find('f(');
    await waitForCount('1 of 1');
    await box().press('Alt+r');
    const fault = chat.page.locator('.find-fault');
    await fault.getByText('Invalid regular expression: Unterminated group').waitFor();
    await waitForCount('No results');
    await chat.savePicture('find-fault');
    assert.deepEqual(await findAccessibilityFaults(chat.page), []);
    await box().fill('f\\(');
    await waitForCount('1 of 1');
    assert.equal(await fault.count(), 0);
    await box().fill('a)(b');
    await box().press('Alt+w');
    await fault.getByText('Unmatched').waitFor();
  });

  it('reports a search text that is too long', async () => {
    await chat.show([createTurn({ question: 'x', text: 'a'.repeat(1001) })]);
    await find('a'.repeat(1000));
    await waitForCount('1 of 1');
    await box().fill('a'.repeat(1001));
    await chat.page.getByText('The search text can have at most 1,000 characters.').waitFor();
    await box().fill('a'.repeat(999));
    await waitForCount('1 of 1');
    assert.equal(await chat.page.locator('.find-fault').count(), 0);
  });

  it('aborts a regular expression that takes too long, and runs the next one', async () => {
    await chat.show([createTurn({ question: 'x', text: `${'a'.repeat(60)}!` })]);
    await find('(a+)+$');
    await box().press('Alt+r');
    await chat.page.getByText('This regular expression takes too long.').waitFor();
    await box().fill('(a+)+$|b');
    await box().fill('a+!');
    await waitForCount('1 of 1');
    assert.equal(await chat.page.locator('.find-fault').count(), 0);
  });

  it('finds matches in tool calls and sources, and shows the part of a long list with the match', async () => {
    const toolCalls = Array.from({ length: 150 }, (_, at) => ({
      name: at === 120 ? 'look_up_heron' : 'look_up',
      arguments: JSON.stringify({ bird: at === 130 ? 'grey heron' : 'duck', note: 'x'.repeat(300) }),
    }));
    const citations = Array.from({ length: 201 }, (_, at) => ({
      title: at === 200 ? 'All about the heron' : 'Ducks',
      url: at === 200 ? 'https://birds.example/heron' : undefined,
    }));
    await chat.show([createTurn({ question: 'Hello', text: 'Hi', toolCalls, citations })]);
    await find('heron');
    for (const position of [1, 2, 3]) {
      await waitForCount(`${position} of 3`);
      await waitForCurrentMatch();
      await waitForValue(() => readMarkedTexts(chat, 'mg-find-current'), ['heron']);
      await box().press('Enter');
    }
    await box().fill('birds.example');
    await waitForCount('1 of 1');
    await waitForCurrentMatch();
    await box().fill('"bird": "grey');
    await waitForCount('1 of 1');
    await waitForCurrentMatch();
  });

  it('goes to the match of the last step, however many frames after the step before', async () => {
    const maxFrames = 8;
    // The list shows this call only after the step.
    const toolCalls = Array.from({ length: 121 }, (_, at) => ({
      name: at === 120 ? 'heron' : 'look_up',
      arguments: '{}',
    }));
    const turns = Array.from({ length: 2 * maxFrames + 1 }, (_, at) =>
      createTurn({ id: `r${at}`, question: 'Hello', text: 'Hi', toolCalls }),
    );
    await chat.show(turns);
    await find('heron');
    await waitForCount(`\\d+ of ${turns.length}`);
    await waitForCurrentMatch();
    const first = Number.parseInt((await chat.page.locator('.find-count').textContent()) ?? '', 10);
    for (let frames = 0; frames < maxFrames; frames += 1) {
      await box().evaluate(async (input, between) => {
        const step = () => input.dispatchEvent(new KeyboardEvent('keydown', { key: 'F3', bubbles: true }));
        step();
        for (let frame = 0; frame < between; frame += 1) await new Promise(requestAnimationFrame);
        await new Promise((resolve) => setTimeout(resolve));
        step();
      }, frames);
      await waitForCount(`${((first + 2 * frames + 1) % turns.length) + 1} of ${turns.length}`);
      await waitForCurrentMatch();
    }
  });

  it('restores its options after a reload, and escapes the selected text in a regular expression', async () => {
    await chat.show([createTurn({ question: 'a.c abc', text: 'x' })]);
    await find('a.c');
    await waitForCount('1 of 1');
    await box().press('Alt+r');
    await waitForCount('1 of 2');
    await box().press('Escape');
    await chat.page.reload();
    await chat.page.waitForFunction(() => window.posted.length > 0);
    await chat.show([createTurn({ question: 'a.c abc', text: 'x' })]);
    await chat.page.getByText('a.c abc').waitFor();
    await chat.page.evaluate(() => {
      const texts = [...(document.querySelector('.question-text')?.childNodes ?? [])];
      const text = texts.find((node) => node instanceof Text);
      if (text) document.getSelection()?.setBaseAndExtent(text, 0, text, 3);
    });
    await chat.post({ type: 'perform', action: 'find' });
    await waitForCount('1 of 1');
    assert.equal(await box().inputValue(), 'a\\.c');
    const button = chat.page.getByRole('button', { name: 'Use Regular Expression (Alt+R)' });
    assert.equal(await button.getAttribute('aria-pressed'), 'true');
  });

  it('finds matches in columns, and counts a shared question once', async () => {
    const question = 'Which bird?';
    const columns = ['A bird.', 'Another bird.'].map((text, at) => [
      createTurn({ id: `c${at}`, question, text }),
    ]);
    const comparison = { sharesQuestion: true, columns };
    await chat.show([createTurn({ id: 'z', question: 'Hello', text: 'Hi' })], {}, { comparison });
    await find('bird');
    for (const position of [1, 2, 3]) {
      await waitForCount(`${position} of 3`);
      await waitForCurrentMatch();
      await box().press('Enter');
    }
  });

  it('updates the count when text arrives and when another branch is shown', async () => {
    await chat.show([createTurn({ id: 'a', text: 'One bird.' })]);
    await find('bird');
    await waitForCount('1 of 1');
    await chat.patch({ changed: [createTurn({ id: 'b', text: '', state: 'waiting' })] });
    await chat.post({ type: 'delta', turnId: 'b', choice: 0, text: 'Another bird', reasoning: '' });
    await waitForCount('1 of 2');
    await chat.patch({ path: { unchangedTurns: 0, turns: [createTurn({ id: 'c', text: 'A cat.' })] } });
    await waitForCount('No results');
  });

  it('updates the count after it was closed while text arrived, and opened again', async () => {
    await chat.show([createTurn({ id: 'a', text: 'One bird.' })]);
    await find('bird');
    await waitForCount('1 of 1');
    await chat.patch({ changed: [createTurn({ id: 'b', text: '', state: 'waiting' })] });
    const arrive = (text: string) =>
      chat.post({ type: 'delta', turnId: 'b', choice: 0, text, reasoning: '' });
    // Escape is pressed right after the text arrived, when the next search is waiting.
    await chat.page.evaluate(() => {
      const key = new KeyboardEvent('keydown', { key: 'Escape', bubbles: true });
      const press = () => document.activeElement?.dispatchEvent(key);
      addEventListener('message', press, { once: true });
    });
    await arrive('A bird');
    await box().waitFor({ state: 'detached' });
    await find('bird');
    await waitForCount('1 of 2');
    await arrive(' and a bird');
    await waitForCount('1 of 3');
  });

  it('finds matches in 2,000 messages', async () => {
    const text = `${'A paragraph with **some** words and `code`.\n\n'.repeat(6)}\`\`\`ts\nconst bird = 1;\n\`\`\`\n`;
    const turns = Array.from({ length: 1000 }, (_, at) =>
      createTurn({ id: `t${at}`, question: `Bird ${at}?`, text }),
    );
    await chat.show(turns);
    await find('bird');
    await waitForCount('[\\d,]+ of 2,000');
    await waitForCurrentMatch();
    await box().fill('para');
    await waitForCount('[\\d,]+ of 6,000');
    await waitForCurrentMatch();
    await box().press('Shift+Enter');
    await waitForCurrentMatch();
  });

  it('meets the accessibility guidelines, also in 300 pixels', async () => {
    await chat.show([
      createTurn({ question: 'Which bird is it?', text: 'A **bird**, and another bird.\n\n`bird`' }),
    ]);
    await find('bird');
    await waitForCount('1 of 4');
    await waitForCurrentMatch();
    assert.deepEqual(
      await findFaultsInThemes(chat, (theme) => chat.savePicture(`find-${theme}`), fourThemes),
      [],
    );
    await chat.resize(300, 500);
    assert.deepEqual(
      await findFaultsInThemes(chat, (theme) => chat.savePicture(`find-narrow-${theme}`), fourThemes),
      [],
    );
    const [{ x, width }] = await measureBoxes(chat.page.locator('.find'));
    assert.ok(x >= 0 && x + width <= 300, `${x} ${width}`);
    await box().fill('nowhere');
    await waitForCount('No results');
    assert.deepEqual(await findFaultsInThemes(chat, async () => {}, fourThemes), []);
  });
});
