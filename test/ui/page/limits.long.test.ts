import assert from 'node:assert/strict';
import type { CDPSession } from 'playwright-core';
import { ChatTestPage, openChat } from './support/chatPage.ts';
import { PageBrowser } from './support/pageBrowser.ts';
import { getTestBrowser } from './support/testBrowser.ts';

declare global {
  interface Window {
    /** The number of iterators that the page made over its own nodes. */
    iterators: number;
  }
}

/** The maximum ratio of the costs of doubled work. */
const maxGrowth = 2.3;

async function readTaskSeconds(session: CDPSession): Promise<number> {
  const { metrics } = await session.send('Performance.getMetrics');
  return metrics.find(({ name }) => name === 'TaskDuration')?.value ?? assert.fail();
}

const createLines = (count: number, line: (at: number) => string) =>
  Array.from({ length: count }, (_, at) => line(at));

describe('a reply that tries to freeze the page', () => {
  const chat = new ChatTestPage(getTestBrowser);

  before(() => chat.open());

  after(() => chat.close());

  /** The time that the page's main thread works during `work`, in seconds. */
  async function measureProcessorTime(work: () => Promise<unknown>): Promise<number> {
    const session = await chat.page.context().newCDPSession(chat.page);
    await session.send('Performance.enable', { timeDomain: 'threadTicks' });
    const before = await readTaskSeconds(session);
    await work();
    const after = await readTaskSeconds(session);
    await session.detach();
    return after - before;
  }

  /** The rendered result of a text, and the time and the nodes for it. */
  async function paint(
    text: string,
  ): Promise<{ shown: string; nodes: number; notices: string[]; ms: number }> {
    return chat.page.evaluate((text) => {
      const view = document.createElement('mg-markdown');
      document.body.append(view);
      const before = performance.now();
      view.show({ length: text.length, readFrom: (position) => text.slice(position) }, true);
      while (view.paint());
      const ms = performance.now() - before;
      const nodes = view.getElementsByTagName('*').length;
      const notices = [...view.querySelectorAll('.limit-notice')].map((each) => each.ariaLabel ?? '');
      const shown = view.textContent;
      view.remove();
      return { shown, nodes, notices, ms };
    }, text);
  }

  const floods: Readonly<Record<string, (count: number) => string>> = {
    'labels that are defined after their use': (count) =>
      [
        ...createLines(count, (at) => `[a${at}] [b]`),
        ...createLines(count, (at) => `[a${at}]: https://example.com/${at}`),
      ].join('\n\n'),
    'labels of one passage, defined one by one': (count) =>
      `${createLines(count / 4, (at) => `[a${at}]`).join(' ')}\n\n${createLines(count, (at) => `[a${at}]: https://example.com/${at}\n\n`).join('')}`,
    'a label that is defined again and again': (count) =>
      '[a]\n\n[a]: https://example.com/\n\n'.repeat(count),
    'rows of a table': (count) => `|a|b|\n|-|-|\n${'|x|y|\n'.repeat(count)}`,
    'items of a list': (count) => '- item\n'.repeat(count),
    'tiny blocks': (count) => 'a\n\n'.repeat(count),
    'blocks of code': (count) => '```ts\nlet a\n```\n'.repeat(count / 4),
    'folds that end and never began': (count) => '</details>\n'.repeat(4 * count),
    'folds that never end': (count) => '<details>\n'.repeat(4 * count),
    'blank lines': (count) => `${'\n'.repeat(10 * count)}end`,
    'hidden characters': (count) => 'a\u200b'.repeat(count),
    'blanks without an end': (count) => `\n${' '.repeat(10 * count)}end`,
  };
  for (const [name, text] of Object.entries(floods)) {
    it(`F59 of ${name} is painted in about linear time`, async () => {
      const costs: number[] = [];
      for (let round = 0; round < 3; round += 1) {
        const small = await paint(text(200));
        const large = await paint(text(800));
        costs.push(large.ms / Math.max(small.ms, 1));
      }
      // Four times the work costs about 4 times as much; quadratic work would cost 16 times as much.
      assert.ok(Math.min(...costs) < 9, `${costs}`);
    });
  }

  const small: Readonly<Record<string, string>> = {
    'folds that begin and end': '<details>\n</details>\n',
    'folds within each other': '<details>\n\n',
    'folds in items of a list': '- a\n  <details>\n',
    'footnotes, each defined again': '[^a]: words\n\n',
    'mentions of a footnote that is defined after them': '[^a]\n\n[^b]: words\n\n',
  };
  for (const [name, unit] of Object.entries(small)) {
    it(`P9 F59 of thousands of ${name} costs at most about twice as much for twice as many`, async () => {
      const count = 40_000 / unit.length;
      const ratios: number[] = [];
      for (let round = 0; round < 3 && ratios.every((growth) => growth > maxGrowth); round += 1) {
        const once = await measureProcessorTime(() => paint(unit.repeat(count)));
        ratios.push((await measureProcessorTime(() => paint(unit.repeat(2 * count)))) / once);
      }
      assert.ok(Math.min(...ratios) <= maxGrowth, `${ratios}`);
    });
  }

  it('P9 F59 leaves no node iterators in the page, which would slow down each later change', async () => {
    const browser = await PageBrowser.launch();
    const other = await openChat(browser);
    await other.page.addInitScript(() => {
      const create = Document.prototype.createNodeIterator;
      window.iterators = 0;
      Document.prototype.createNodeIterator = function (...args: Parameters<typeof create>) {
        if (this === document) window.iterators += 1;
        return create.apply(this, args);
      };
    });
    await other.page.reload();
    await other.page.waitForFunction(() => window.posted.length > 0);
    await other.showReplies('> words\n\n'.repeat(100));
    assert.equal(await other.page.evaluate(() => window.iterators), 0);
    await other.close();
    await browser.close();
  });

  it('F59 of twenty thousand blank lines creates fewer than ten nodes', async () => {
    const { shown, nodes } = await paint(`first${'\n'.repeat(20_000)}last`);
    assert.equal(shown, 'firstlast');
    assert.ok(nodes < 10, `${nodes} nodes`);
  });

  const limits: Readonly<Record<string, readonly [text: string, notice: RegExp, end: string]>> = {
    'quotes in quotes': [`${'> '.repeat(150)}inner words`, /Nested too deep/, 'inner words'],
    'lists in lists': [
      createLines(60, (at) => `${' '.repeat(2 * at)}- item ${at}`).join('\n'),
      /Nested too deep/,
      'item 59',
    ],
    'emphasis in emphasis': [`${'*a '.repeat(60)}words${' b*'.repeat(60)}`, /Nested too deep/, 'words'],
    'marks in one paragraph': ['*a* `b` '.repeat(500), /Too many marks/, '*a* `b`'],
    'columns in a table': [
      `${'|head'.repeat(60)}|\n${'|-'.repeat(60)}|\n${'|cell'.repeat(60)}|`,
      /more than 50 columns/,
      '|cell|',
    ],
    'letters in one word': ['word'.repeat(10_000), /Too long/, 'wordword'],
    'link labels': [
      createLines(1200, (at) => `[a${at}]: https://example.com/${at}\n\n[a${at}]\n\n`).join(''),
      /more than 1,000 labels/,
      '[a1199]',
    ],
    parts: [
      `${'- *a*\n\n'.repeat(16_000)}\n# Not a heading any more`,
      /Too many parts/,
      '# Not a heading any more',
    ],
    'colours in one block of code': [
      `\`\`\`ts\n${'let a = 1;\n'.repeat(12_000)}last();\n\`\`\``,
      /not highlighted from here on/,
      'last();',
    ],
  };
  for (const [name, [text, notice, end]] of Object.entries(limits)) {
    it(`F59 with too many ${name} shows a notice where formatting stops, and keeps its text`, async () => {
      const { shown, notices } = await paint(text);
      assert.match(notices.join('\n'), notice);
      assert.ok(shown.includes(end), shown.slice(-200));
      assert.ok(!notices.some((words) => shown.includes(words)), 'the words of a notice are copied');
    });
  }

  it('with a long list is painted as lists with continuous numbers', async () => {
    const { shown } = await paint('7. item\n'.repeat(250));
    assert.equal(shown.match(/item/g)?.length, 250);
    const starts = await chat.page.evaluate((text) => {
      const view = document.createElement('mg-markdown');
      document.body.append(view);
      view.show({ length: text.length, readFrom: (position) => text.slice(position) }, true);
      while (view.paint());
      const found = [...view.querySelectorAll('ol')].map((each) => [each.start, each.childElementCount]);
      view.remove();
      return found;
    }, '7. item\n'.repeat(250));
    const end = starts.reduce((next, [start, count]) => {
      assert.equal(start, next);
      return next + (count ?? 0);
    }, 7);
    assert.equal(end, 257);
    assert.ok(starts.length > 1);
  });
});
