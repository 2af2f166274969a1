import assert from 'node:assert/strict';
import type { Locator } from 'playwright-core';
import type { CompletionItem } from '../../../src/protocol/completion.ts';
import { findFaultsInThemes } from './support/accessibility.ts';
import { ChatTestPage, createTurn } from './support/chatPage.ts';
import { getTestBrowser } from './support/testBrowser.ts';
import type { ThemeName } from './support/themes.ts';
import { measureBoxes, waitForFocus } from './support/waits.ts';

const completionTriggers = [
  { character: '#', where: 'word' },
  { character: '/', where: 'start' },
] as const;

const items: readonly CompletionItem[] = [
  {
    id: 'selection',
    label: 'Selection',
    description: 'src/webview/chat/composer/composer.ts#L10-20',
    icon: 'selection',
  },
  { id: 'file', label: 'composer.ts', description: 'src/webview/chat', icon: 'file' },
  { id: 'symbol', label: 'Symbol…', icon: 'symbol-class', continuesAs: '#sym:' },
];

describe('the suggestions of the message box', () => {
  const chat = new ChatTestPage(getTestBrowser);
  let box: Locator;
  let list: Locator;

  const open = async (options: { width?: number; theme?: ThemeName } = {}) => {
    await chat.open(options);
    await chat.show([], {}, { completionTriggers });
    box = chat.page.getByLabel('Message', { exact: true });
    list = chat.page.getByRole('listbox', { name: 'Suggestions' });
  };

  beforeEach(() => open());

  afterEach(() => chat.close());

  const completionRequests = async () =>
    (await chat.readPosted()).flatMap((each) => (each.type === 'complete' ? [each] : []));
  const accepted = async () =>
    (await chat.readPosted()).flatMap((each) => (each.type === 'accept-completion' ? [each.id] : []));
  const sent = async () => (await chat.readPosted()).flatMap(({ type }) => (type === 'send' ? [type] : []));

  /** Types a word and replies with the items. */
  const suggest = async (word = '#', reply = items) => {
    await box.pressSequentially(word);
    const { number = 0 } = (await completionRequests()).at(-1) ?? {};
    await chat.post({ type: 'completions', number, items: reply });
    await chat.nextFrames();
  };

  it('are requested by a trigger at the start or after white space, with the text typed after it', async () => {
    await box.pressSequentially('a #b c#d');
    await box.press('Shift+Enter');
    await box.pressSequentially('#e /f');
    assert.deepEqual(
      (await completionRequests()).map(({ trigger, query }) => trigger + query),
      ['#', '#b', '#', '#e'],
    );
    await box.fill('');
    await box.pressSequentially('/f');
    assert.equal((await completionRequests()).at(-1)?.trigger, '/');
  });

  it('are dropped when they belong to an earlier request', async () => {
    await box.pressSequentially('#s');
    const [first, second] = await completionRequests();
    await chat.post({ type: 'completions', number: first?.number ?? 0, items });
    await chat.nextFrames();
    assert.equal(await list.count(), 0);
    await chat.post({ type: 'completions', number: second?.number ?? 0, items });
    await list.waitFor();
    await box.fill('');
    await chat.post({ type: 'completions', number: second?.number ?? 0, items });
    await chat.nextFrames();
    assert.equal(await list.count(), 0);
  });

  it('are selected by arrow keys that wrap around, reported by ARIA attributes, and accepted by Enter', async () => {
    await box.pressSequentially('Look at ');
    await suggest();
    const selected = async () => {
      const id = await box.getAttribute('aria-activedescendant');
      return chat.page.locator(`#${id}[aria-selected=true] .completion-label`).textContent();
    };
    assert.equal(await box.getAttribute('aria-expanded'), 'true');
    assert.equal(await box.getAttribute('aria-controls'), await list.getAttribute('id'));
    assert.equal(await selected(), 'Selection');
    await box.press('ArrowUp');
    assert.equal(await selected(), 'Symbol…');
    await box.press('ArrowDown');
    await box.press('ArrowDown');
    assert.equal(await selected(), 'composer.ts');
    await box.press('Enter');
    assert.deepEqual([await accepted(), await sent()], [['file'], []]);
    assert.equal(await box.inputValue(), 'Look at ');
    assert.equal(await list.count(), 0);
    assert.equal(await box.getAttribute('aria-expanded'), null);
    await box.press('Enter');
    assert.deepEqual(await sent(), ['send']);
  });

  it('are accepted by Tab and by a click, and the focus stays in the box', async () => {
    await suggest();
    await box.press('Tab');
    await suggest();
    await chat.page.getByRole('option', { name: /^composer/ }).click();
    assert.deepEqual(await accepted(), ['selection', 'file']);
    await waitForFocus(box);
  });

  it('replace the word and request more suggestions when they have a continuation', async () => {
    await box.pressSequentially('x  y');
    await box.press('ArrowLeft');
    await box.press('ArrowLeft');
    await suggest();
    await box.press('ArrowUp');
    await box.press('Enter');
    assert.equal(await box.inputValue(), 'x #sym: y');
    assert.equal((await completionRequests()).at(-1)?.query, 'sym:');
    assert.deepEqual(await accepted(), []);
    await suggest('Chat');
    await box.press('Enter');
    assert.equal(await box.inputValue(), 'x  y');
  });

  it('are closed by Escape for the current word, which does not stop the reply', async () => {
    await chat.show([createTurn({ state: 'streaming', text: 'Half' })], {}, { completionTriggers });
    await suggest();
    await box.press('Escape');
    assert.equal(await list.count(), 0);
    await box.pressSequentially('sel');
    assert.equal((await completionRequests()).length, 1);
    assert.ok(!(await chat.readPosted()).some(({ type }) => type === 'stop'));
    await box.press('Escape');
    assert.ok((await chat.readPosted()).some(({ type }) => type === 'stop'));
    await box.pressSequentially(' #');
    assert.equal((await completionRequests()).length, 2);
  });

  it('do not prevent Enter from sending when there are none, or not yet', async () => {
    await box.pressSequentially('#12');
    await box.press('Enter');
    await suggest('#99', []);
    await box.press('Enter');
    assert.deepEqual(await sent(), ['send', 'send']);
    await chat.post({ type: 'completions', number: (await completionRequests()).at(-1)?.number ?? 0, items });
    await chat.nextFrames();
    assert.equal(await list.count(), 0);
  });

  it('are neither shown nor accepted while an input method is composing', async () => {
    await box.fill('#');
    await suggest('');
    await box.evaluate((each: HTMLTextAreaElement) => {
      each.value = '#に';
      each.setSelectionRange(2, 2);
      each.dispatchEvent(new InputEvent('input', { isComposing: true, bubbles: true }));
    });
    await chat.nextFrames();
    assert.equal(await list.count(), 0);
    await box.dispatchEvent('compositionend');
    assert.equal((await completionRequests()).at(-1)?.query, 'に');
    await suggest('');
    await box.dispatchEvent('keydown', { key: 'Enter', isComposing: true, bubbles: true });
    assert.deepEqual(await accepted(), []);
  });

  it('close when the focus or the caret leaves the word', async () => {
    await box.pressSequentially('ab ');
    await suggest();
    await box.press('Home');
    await list.waitFor({ state: 'detached' });
    await box.press('End');
    await suggest('s');
    await box.blur();
    await list.waitFor({ state: 'detached' });
  });

  it('fit into 300 pixels and meet the accessibility guidelines', async () => {
    await chat.close();
    await open({ width: 300 });
    const long = { id: 'long', label: `${'averylongname'.repeat(6)}.ts`, description: 'src', icon: 'file' };
    const many = Array.from({ length: 30 }, (_, at) => ({
      id: `${at}`,
      label: `file${at}.ts`,
      icon: 'file',
    }));
    await suggest('#', [...items, long, ...many]);
    const faults = await findFaultsInThemes(chat, async (theme) => {
      const [edge] = await measureBoxes(list);
      assert.ok(edge.x >= 0 && edge.x + edge.width <= 300 && edge.y >= 0, theme);
      assert.ok(await list.evaluate(({ scrollWidth, clientWidth }) => scrollWidth <= clientWidth), theme);
      await chat.savePicture(`completion-${theme}`);
    });
    assert.deepEqual(faults, []);
    await box.press('ArrowUp');
    const [edge] = await measureBoxes(list);
    const [last] = await measureBoxes(chat.page.getByRole('option', { name: 'file29.ts' }));
    assert.ok(last.y + last.height <= edge.y + edge.height);
  });
});
