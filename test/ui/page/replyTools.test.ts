import assert from 'node:assert/strict';
import type { FromChatPage } from '../../../src/protocol/chatPage.ts';
import { findFaultsInThemes } from './support/accessibility.ts';
import { ChatTestPage, createTurn } from './support/chatPage.ts';
import { getTestBrowser } from './support/testBrowser.ts';
import { measureBoxes, waitForValue } from './support/waits.ts';

const shell = '```bash\nnpm ci\n```\n';
const unlabelled = '```\nplain\n```\n';
const table = '| Name | Value |\n|:--|--:|\n| **a** | =1+1 |\n| `b` | "x, y" |\n';

describe('the tools of a reply', () => {
  const chat = new ChatTestPage(getTestBrowser);

  beforeEach(() => chat.open());

  afterEach(() => chat.close());

  async function lastPosted(): Promise<FromChatPage | undefined> {
    return (await chat.readPosted()).at(-1);
  }

  async function press(label: string, key = 'Enter'): Promise<void> {
    await chat.page.getByRole('button', { name: label }).first().press(key);
  }

  it('send code to the host by keyboard, with its language', async () => {
    await chat.showReplies(shell);
    const text = 'npm ci\n';
    await press('Insert at Cursor');
    assert.partialDeepStrictEqual(await lastPosted(), { type: 'insert-code', text });
    await press('Apply to File…');
    const turnId = '1-0';
    assert.partialDeepStrictEqual(await lastPosted(), { type: 'apply-code', text, turnId, info: 'bash' });
    await press('Insert into New File');
    assert.partialDeepStrictEqual(await lastPosted(), { type: 'new-file', text, language: 'bash' });
    await press('Insert into Terminal');
    assert.partialDeepStrictEqual(await lastPosted(), { type: 'put-into-terminal', text, language: 'bash' });
  });

  it('send the info string of a code block unchanged, also when it looks like an address', async () => {
    for (const info of ['ts:src/a.ts', 'javascript:alert(1)', 'title="src/a.ts"']) {
      await chat.showReplies(`\`\`\`${info}\nlet a;\n\`\`\``);
      await chat.page.getByRole('button', { name: 'Apply to File…' }).click();
      const last = (await chat.readPosted()).at(-1);
      assert.equal(last?.type === 'apply-code' && last.info, info);
    }
  });

  it('offer Insert into Terminal only for commands', async () => {
    await chat.showReplies('```ts\nlet a;\n```\n');
    await chat.page.getByRole('button', { name: 'Insert at Cursor' }).waitFor();
    assert.equal(await chat.page.getByRole('button', { name: 'Insert into Terminal' }).count(), 0);
  });

  it('are in the corner of code without a language, which has no header', async () => {
    await chat.showReplies(unlabelled);
    const block = chat.page.locator('.code-block');
    const [outer, pre] = await measureBoxes(block, block.locator('pre'));
    assert.ok(outer.height - pre.height < 4, 'there is an empty header');
    const opacity = () => block.locator('.code-tools').evaluate((each) => getComputedStyle(each).opacity);
    assert.equal(await opacity(), '0');
    await chat.page.getByRole('button', { name: 'Copy Code' }).focus();
    assert.equal(await opacity(), '1');
  });

  it('wrap the lines of code, and send this setting to the host', async () => {
    await chat.showReplies(`\`\`\`ts\n${'word '.repeat(200)}\n\`\`\`\n`);
    const isWide = () =>
      chat.page.locator('.code-block pre').evaluate((each) => each.scrollWidth > each.clientWidth);
    assert.ok(await isWide());
    await press('Toggle Word Wrap');
    assert.equal(await isWide(), false);
    assert.partialDeepStrictEqual(await lastPosted(), { type: 'wrap-code', isOn: true });
    await press('Toggle Word Wrap');
    assert.ok(await isWide());
  });

  it('move into a menu in a narrow page', async () => {
    await chat.open({ width: 300 });
    await chat.showReplies(shell);
    assert.equal(await chat.page.getByRole('button', { name: 'Insert into Terminal' }).count(), 0);
    await chat.page.getByRole('button', { name: 'More Actions' }).press('Enter');
    await chat.page.getByRole('menu').waitFor();
    await chat.savePicture('code-menu');
    await chat.page.keyboard.press('ArrowDown');
    await chat.page.keyboard.press('Enter');
    assert.partialDeepStrictEqual((await chat.readPosted()).at(-1), { type: 'new-file', text: 'npm ci\n' });
    await chat.page.getByRole('menu').waitFor({ state: 'hidden' });
    await chat.page.getByRole('button', { name: 'More Actions' }).press('Enter');
    await chat.page.keyboard.press('Escape');
    await chat.page.getByRole('menu').waitFor({ state: 'hidden' });
  });

  it('copy a table as CSV and as Markdown, and a long one completely', async () => {
    await chat.showReplies(table);
    await press('Copy Table as CSV');
    assert.partialDeepStrictEqual(await lastPosted(), {
      type: 'copy-code',
      text: 'Name,Value\r\na,\'=1+1\r\nb,"""x, y"""\r\n',
    });
    await press('Copy Table as Markdown');
    assert.partialDeepStrictEqual(await lastPosted(), {
      type: 'copy-code',
      text: '| Name | Value |\n| --- | --: |\n| **a** | =1+1 |\n| `b` | "x, y" |\n',
    });
    await chat.showReplies(`| a |\n|---|\n${'| x |\n'.repeat(250)}`);
    await press('Copy Table as CSV');
    const message = await lastPosted();
    assert.equal(message?.type === 'copy-code' && message.text, `a\r\n${'x\r\n'.repeat(250)}`);
  });

  it('copy the content of table cells without the elements that only the page adds', async () => {
    const cells = [
      '100[^1]',
      '10^6^ H~2~O',
      '$x^2$',
      'one<br>two',
      '[the docs](https://docs.example/a)',
      '[the parser](src/a.ts)',
      '<kbd>Esc</kbd>',
    ];
    const rows = cells.map((cell) => `| ${cell} |\n`).join('');
    await chat.showReplies(`| Cell |\n|---|\n${rows}\n[^1]: About.\n`);
    await chat.page.locator('td .formula math').waitFor();
    await press('Copy Table as CSV');
    assert.partialDeepStrictEqual(await lastPosted(), {
      text: 'Cell\r\n100\r\n10^6 H2O\r\n$x^2$\r\n"one\ntwo"\r\nthe docs\r\nthe parser\r\nEsc\r\n',
    });
    await press('Copy Table as Markdown');
    const copied = [
      '100[^1]',
      '10<sup>6</sup> H<sub>2</sub>O',
      '$x^2$',
      'one<br>two',
      '[the docs](https://docs.example/a)',
      '[the parser](./src/a.ts)',
      '<kbd>Esc</kbd>',
    ];
    assert.partialDeepStrictEqual(await lastPosted(), {
      text: `| Cell |\n| --- |\n${copied.map((cell) => `| ${cell} |\n`).join('')}`,
    });
  });

  it('T19 open links to workspace files with the path as written, and do not link other paths', async () => {
    await chat.showReplies(
      'See [the parser](src/a.ts#L10-L20), [x](../a.ts), [y](/%2e%2e/b) and [z](file:///etc/passwd).',
    );
    assert.equal(await chat.page.locator('a.link').count(), 1);
    assert.equal(await chat.page.locator('a.link .link-host').textContent(), 'src/a.ts#L10-L20');
    await chat.page.getByRole('link', { name: 'the parser' }).press('Enter');
    assert.partialDeepStrictEqual(await lastPosted(), { type: 'open-file', reference: './src/a.ts#L10-L20' });
  });

  it('make links of file names in code when the reply is complete and the host has found the files', async () => {
    const text =
      'In `src/a.ts:10` and `src/gone.ts:3`, not in `console.log` or [`src/a.ts:10`](https://example.com).';
    await chat.show([createTurn({ id: 'a', text, state: 'streaming' })]);
    await chat.nextFrames();
    assert.deepEqual(await chat.readPosted(), []);
    await chat.show([createTurn({ id: 'a', text, state: 'done' })]);
    await chat.page.waitForFunction(() => window.posted.some(({ type }) => type === 'find-files'));
    assert.partialDeepStrictEqual(await lastPosted(), {
      type: 'find-files',
      references: ['src/a.ts:10', 'src/gone.ts:3'],
    });
    await chat.post({ type: 'files', existing: ['src/a.ts:10'] });
    await chat.page.locator('code.link').press('Enter');
    assert.partialDeepStrictEqual(await lastPosted(), { type: 'open-file', reference: 'src/a.ts:10' });
    assert.equal(await chat.page.locator('code.link').count(), 1);
  });

  it('F60 show tool call arguments indented when complete, and unchanged when they are not JSON', async () => {
    const toolCalls = [
      { name: 'search', arguments: '{"big":12345678901234567890,"list":[1]}' },
      { name: 'broken', arguments: '{"query": "ret' },
    ];
    await chat.show([createTurn({ id: 'a', toolCalls, state: 'streaming' })]);
    await chat.page.getByText('{"big":12345678901234567890').waitFor();
    await chat.show([createTurn({ id: 'a', toolCalls, state: 'done' })]);
    await chat.page.locator('.tool-call .token-property').first().waitFor();
    const codes = ['{\n  "big": 12345678901234567890,\n  "list": [\n    1\n  ]\n}', '{"query": "ret'];
    await waitForValue(() => chat.page.locator('.tool-call code').allTextContents(), codes);
    await press('Copy Arguments');
    assert.partialDeepStrictEqual(await lastPosted(), { type: 'copy-code', text: codes[0] });
  });

  it('meet the accessibility guidelines, with all kinds of reply content', async () => {
    const text = [
      'Maths $a_1$ and\n\n$$\\frac{a}{b}$$\n',
      'A note[^1], H~2~O, <kbd>Ctrl</kbd>.\n',
      '- [x] done\n- [ ] to do\n',
      '> [!NOTE]\n> One.\n',
      '> [!WARNING]\n> Two.\n',
      '<details>\n<summary>More</summary>\n\nInside.\n\n</details>\n',
      shell,
      unlabelled,
      table,
      'In `src/a.ts:10`.\n',
      '[^1]: The note.\n\nEnd.',
    ].join('\n');
    await chat.showReplies(text);
    await chat.page.locator('.formula math').first().waitFor();
    await chat.post({ type: 'files', existing: ['src/a.ts:10'] });
    await chat.page.locator('summary').first().click();
    await chat.page.locator('.table').first().hover();
    assert.deepEqual(await findFaultsInThemes(chat, (theme) => chat.savePicture(`reply-tools-${theme}`)), []);
  });
});
