import assert from 'node:assert/strict';
import fc from 'fast-check';
import { cutIntoPieces, replyText } from '../../unit/webview/replyText.ts';
import { ChatTestPage } from './support/chatPage.ts';
import { getTestBrowser } from './support/testBrowser.ts';
import { waitForFocus } from './support/waits.ts';

describe('Markdown in a reply', () => {
  const chat = new ChatTestPage(getTestBrowser);

  before(async () => {
    await chat.open();
    // Formulas are shown as source until their renderer has been loaded.
    await chat.showReplies('$x$');
    await chat.page.locator('.formula math').waitFor();
  });

  after(() => chat.close());

  /** The final HTML when the text arrives in these pieces, each painted at once. */
  async function render(pieces: readonly string[]): Promise<string> {
    return chat.page.evaluate((each) => {
      const view = document.createElement('mg-markdown');
      document.body.append(view);
      for (const piece of each) {
        view.appendText(piece);
        while (view.paint());
      }
      const text = each.join('');
      view.show({ length: text.length, readFrom: (position) => text.slice(position) }, true);
      while (view.paint());
      view.remove();
      const html = [...view.querySelectorAll(':scope > .section')]
        .map((section) => section.innerHTML)
        .join('');
      // The order in which attributes were set is not visible.
      return html.replace(/<(\w+)((?: [\w-]+="[^"]*")+)/g, (_, tag: string, list: string) => {
        return `<${tag} ${(list.match(/[\w-]+="[^"]*"/g) ?? []).sort().join(' ')}`;
      });
    }, pieces);
  }

  it('has the same final HTML for any split of the text', async () => {
    const cuts = fc.infiniteStream(fc.integer({ min: 1, max: 12 }));
    await fc.assert(
      fc.asyncProperty(replyText(), cuts, async (text, sizes) => {
        assert.equal(await render(cutIntoPieces(text, sizes)), await render([text]));
      }),
      { numRuns: 400 },
    );
  });

  it('is complete when text after a code block mentions a footnote that is defined later', async () => {
    const text =
      '```ts\nconst a = 1;\nconst b = 2;\n```\n\nA statement[^1].\n\nAnd [another][m].\n\nMore.\n\n[^1]: The note.\n\n[m]: https://example.com/m\n';
    const allAtOnce = await render([text]);
    assert.match(allAtOnce, /A statement.*And .*More\..*The note\./s);
    for (let at = 1; at < text.length; at += 3)
      assert.equal(await render([text.slice(0, at), text.slice(at)]), allAtOnce);
  });

  it('makes a link of a label that is defined far below', async () => {
    const text = `See [the manual][m], [m] and ![m].\n\n- item [m]\n- last\n\n| a |\n|---|\n| [m] |\n\n${'more\n\n'.repeat(40)}[m]: https://example.com/manual\n`;
    const html = await render([...text]);
    assert.equal(html.match(/data-url="https:\/\/example.com\/manual"/g)?.length, 4);
    assert.equal(html, await render([text]));
  });

  it('has its code highlighted while it arrives, the same as in one piece', async () => {
    const text = `\`\`\`ts\n/* a\nlong\ncomment */\nconst a = \`text\n\${1}\`;\n${'export const b = "c"; // d\n'.repeat(100)}\`\`\`\n\nEnd\n`;
    const html = await render(text.match(/.{1,4}/gs) ?? []);
    assert.match(html, /token-comment">\/\* a\nlong\ncomment \*\/</);
    assert.equal(html, await render([text]));
  });

  it('has its code copied exactly', async () => {
    const code = Array.from({ length: 90 }, (_, line) => `${' '.repeat(line % 7)}line(${line}, "<&>");`).join(
      '\n',
    );
    await chat.showReplies(`\`\`\`ts\n${code}\n\`\`\``);
    await chat.page.getByRole('button', { name: 'Copy Code' }).click();
    const [message] = (await chat.readPosted()).filter(({ type }) => type === 'copy-code');
    assert.equal(message && 'text' in message && message.text, `${code}\n`);
  });

  it('has each copy of its code announced, also twice in a row', async () => {
    await chat.showReplies('```ts\nrun()\n```');
    const status = chat.page.locator('mg-chat > [role="status"]');
    for (const copy of ['first', 'second']) {
      await status.evaluate((element) => {
        new MutationObserver((_, observer) => {
          if (element.textContent !== 'Copied') return;
          observer.disconnect();
          document.body.dataset.announced = 'true';
        }).observe(element, { childList: true, characterData: true, subtree: true });
      });
      await chat.page.getByRole('button', { name: 'Copy Code' }).click();
      await chat.page.locator('body[data-announced]').waitFor({ state: 'attached' });
      assert.equal(await status.innerText(), 'Copied', copy);
      await chat.page.evaluate(() => delete document.body.dataset.announced);
    }
  });

  it('T20 shows hidden characters as a count, and does not include them in copied code', async () => {
    const secret = '\u{e0073}\u{e0065}\u{e0063}\u202e';
    await chat.showReplies(`Harmless${secret} words\n\n\`\`\`\nrun${secret} this\n\`\`\``);
    assert.equal(await chat.page.getByRole('img', { name: '4 hidden characters' }).count(), 2);
    await chat.page.getByRole('button', { name: 'Copy Code' }).click();
    const message = (await chat.readPosted()).findLast(({ type }) => type === 'copy-code');
    assert.equal(message && 'text' in message && message.text, 'run this\n');
  });

  it('T9 shows an image as its text and host, and the host of a link when its text does not show it', async () => {
    await chat.showReplies(
      '![A chart](https://collector.example/c.png) and [the manual](https://example.com/manual)',
    );
    assert.equal((await chat.page.locator('.image-chip').textContent())?.trim(), 'A chartcollector.example');
    assert.equal(await chat.page.locator('a.link .link-host').textContent(), 'example.com');
  });

  for (const address of [
    'command:workbench.action.quit',
    'vscode://a.b/c',
    '//collector.example/',
    '../notes.md',
  ]) {
    it(`T11 shows a link to ${address} as it was written`, async () => {
      await chat.showReplies(`Press [here](${address}) now`);
      await chat.page.getByText(`Press [here](${address}) now`, { exact: true }).waitFor();
      assert.equal(await chat.page.locator('a.link').count(), 0);
    });
  }

  it('has its links opened by keyboard, through the host', async () => {
    await chat.showReplies('Read [the manual](https://example.com/manual).');
    await chat.page.getByRole('link', { name: 'the manual' }).press('Enter');
    assert.deepEqual((await chat.readPosted()).at(-1), {
      type: 'open-link',
      url: 'https://example.com/manual',
      channel: 'test-channel',
    });
  });

  it('has footnote links that lead to the note and back, within their own reply', async () => {
    const text = 'Said[^1] and said[^1].\n\n<details>\n\n[^1]: Where it was said.\n\n</details>';
    await chat.showReplies(text, text);
    const second = chat.page.locator('mg-markdown').nth(1);
    await second.getByRole('link', { name: 'Footnote 1' }).first().press('Enter');
    await waitForFocus(second.locator('.footnote'));
    await second.getByRole('button', { name: 'Back to Reference' }).click();
    await waitForFocus(second.locator('.footnote-mention').first());
  });

  it('numbers footnotes in the order of their mentions, regardless of their labels', async () => {
    await chat.showReplies(
      'One[^why], two[^2], one[^why].\n\n[^2]: Second.\n\n[^why]: First.\n\n[^never]: Mentioned nowhere.',
    );
    const text = chat.page.locator('mg-markdown').first();
    await text.getByRole('link', { name: 'Footnote 2' }).waitFor();
    assert.deepEqual(await text.locator('.footnote-mention').allTextContents(), ['1', '2', '1']);
    assert.deepEqual(await text.locator('.footnote-mark').allTextContents(), ['2', '1', '3']);
    await text.getByRole('link', { name: 'Footnote 1' }).first().press('Enter');
    const reached = text.getByRole('note', { name: 'Footnote 1' });
    await waitForFocus(reached);
    assert.match((await reached.textContent()) ?? '', /First\./);
    await text.getByRole('button', { name: 'Back to Reference of Footnote 1' }).click();
    const mention = text.locator('.footnote-mention').first();
    await waitForFocus(mention);
  });

  it('has folds in list items, in quotes and nested, which end with the block that contains them', async () => {
    await chat.showReplies(
      '- One\n  <details>\n  <summary>More of *one*</summary>\n\n  Inside.\n\n' +
        '  <details><summary>Deeper</summary>\n\n  Deep inside.\n\n  </details>\n  </details>\n\n  After.\n- Two\n\n' +
        '> <details>\n> Never closed.\n\nBelow.\n\n- </details>',
    );
    const text = chat.page.locator('mg-markdown').first();
    assert.equal(await text.getByText('After.').isVisible(), true);
    assert.equal(await text.getByText('Below.').isVisible(), true);
    assert.equal(await text.locator('li').nth(1).textContent(), 'Two');
    assert.equal(await text.getByText('</details>', { exact: true }).count(), 1);
    await text.getByText('More of one', { exact: true }).click();
    assert.equal(await text.getByText('Inside.', { exact: true }).isVisible(), true);
    assert.equal(await text.getByText('Deep inside.').isVisible(), false);
    await text.getByText('Deeper', { exact: true }).click();
    assert.equal(await text.getByText('Deep inside.').isVisible(), true);
    assert.equal(await text.getByText('Never closed.').isVisible(), false);
    await text.getByText('Details', { exact: true }).click();
    assert.equal(await text.getByText('Never closed.').isVisible(), true);
  });

  it('keeps a fold in an item open while more of the item arrives', async () => {
    await chat.page.evaluate(() => {
      const view = document.createElement('mg-markdown');
      view.id = 'arriving';
      document.body.append(view);
      view.appendText('- <details><summary>More</summary>\n\n  Some words and');
      while (view.paint());
    });
    const view = chat.page.locator('#arriving');
    await view.locator('summary').click();
    const isOpen = await view.evaluate((each) => {
      const arriving = each as HTMLElementTagNameMap['mg-markdown'];
      arriving.appendText(' others.\n\n  More of them');
      while (arriving.paint());
      const fold = each.querySelector('details');
      return fold?.open === true && fold.textContent.includes('More of them');
    });
    assert.ok(isOpen);
    await view.evaluate((each) => each.remove());
  });

  it('shows an invalid formula as its source, with an explanation in the tooltip', async () => {
    await chat.showReplies('So $\\frac{a$ and $\\sqrt{x}$.');
    await chat.page.locator('.formula math').waitFor();
    const source = chat.page.locator('.formula.source');
    assert.equal(await source.textContent(), '\\frac{a');
    assert.match((await source.getAttribute('title')) ?? '', /shown as it was written/);
  });

  it('gives task lists and alerts their roles for screen readers, and has folds that can be opened', async () => {
    await chat.showReplies(
      '- [x] washed\n- [ ] dried\n\n> [!TIP]\n> Use soap.\n\n<details>\n<summary>More</summary>\n\nInside.\n\n</details>\n\nAfter.',
    );
    assert.ok(await chat.page.getByRole('checkbox', { name: 'Done' }).isChecked());
    assert.ok(await chat.page.getByRole('checkbox', { name: 'To do' }).isDisabled());
    assert.match((await chat.page.getByRole('note', { name: 'Tip' }).textContent()) ?? '', /Use soap/);
    assert.equal(await chat.page.getByText('Inside.').isVisible(), false);
    await chat.page.getByText('More', { exact: true }).click();
    assert.equal(await chat.page.getByText('Inside.').isVisible(), true);
    assert.equal(await chat.page.getByText('After.').isVisible(), true);
  });

  it('shows NUL bytes and terminal escapes as text', async () => {
    await chat.showReplies('before \u0000\u001b[31mred');
    assert.match((await chat.page.locator('mg-markdown').first().textContent()) ?? '', /before .*\[31mred/);
  });

  const extremeTexts: Readonly<Record<string, string>> = {
    'opening brackets': '['.repeat(100_000),
    'nested links': '[a]('.repeat(30_000),
    'images in images': '![a]('.repeat(20_000),
    quotes: `${'> '.repeat(50_000)}x`,
    'folds in an item': `- a\n${'  <details>\n'.repeat(9000)}`,
    stars: '*'.repeat(100_000),
    'stars and words': '*a **b '.repeat(15_000),
    underscores: '_a__b'.repeat(20_000),
    backticks: '`a``b'.repeat(20_000),
    'one line of a megabyte': 'word '.repeat(200_000),
    'a table of pipes': `${'|'.repeat(20_000)}\n${'|-'.repeat(20_000)}\n${'|x'.repeat(20_000)}`,
    entities: '&amp;'.repeat(20_000),
  };
  for (const [name, text] of Object.entries(extremeTexts)) {
    it(`F59 shows its text as it was written, in many small paints: ${name}`, async () => {
      const { paints, content } = await paintAll(text);
      assert.ok(content.replace(/\s/g, '') === text.replace(/\s/g, ''), content.slice(0, 200));
      assert.ok(paints >= text.length / 4096, `${paints} paints`);
    });
  }

  it('F59 shows one megabyte of code completely, in one line or in one comment', async () => {
    for (const code of ['a=1;'.repeat(250_000), `/*${'line of a comment\n'.repeat(50_000)}`]) {
      const { content } = await paintAll(`\`\`\`js\n${code}\n\`\`\``);
      assert.ok(content === `js${code}\n`, `${content.length} characters`);
    }
  });

  async function paintAll(text: string): Promise<{ paints: number; content: string }> {
    return chat.page.evaluate((text) => {
      const view = document.createElement('mg-markdown');
      document.body.append(view);
      view.show({ length: text.length, readFrom: (position) => text.slice(position) }, true);
      let paints = 1;
      while (view.paint()) paints += 1;
      view.remove();
      return { paints, content: view.textContent };
    }, text);
  }
});
