// The cost for the page of displaying a long reply as it arrives, compared with the same text unformatted.
import { type ChatTestPage, openChat } from '../ui/page/support/chatPage.ts';
import { PageBrowser } from '../ui/page/support/pageBrowser.ts';
import { type Contestant, installFeeder } from './page/feeder.ts';
import { longestTask, MainThread } from './page/mainThread.ts';
import { markdownReply } from './page/reply.ts';
import { median, report } from './report.ts';

const roundCount = 3;
const replyLength = 200_000;

const reply = markdownReply(replyLength);
const warmUp = markdownReply(replyLength).slice(0, replyLength / 20);
const tenth = Math.round(reply.length / 10);
const browser = await PageBrowser.launch();

async function openPage(contestant: Contestant): Promise<ChatTestPage> {
  const chat = await openChat(browser);
  await chat.page.evaluate(installFeeder);
  // A warm-up run, so that the measured run does not include compilation.
  await begin(chat, 'page');
  await feed(chat, warmUp);
  await begin(chat, contestant);
  return chat;
}

async function begin(chat: ChatTestPage, contestant: Contestant): Promise<void> {
  await chat.page.evaluate((name) => window.feeder.begin(name), contestant);
  await chat.nextFrames();
}

async function feed(chat: ChatTestPage, text: string): Promise<void> {
  await chat.page.evaluate((part) => window.feeder.feed(part), text);
}

/** Main-thread time of the first tenth of the deltas, of the middle part, and of the last tenth. */
async function costs(
  contestant: Contestant,
): Promise<readonly [first: number, middle: number, last: number]> {
  const chat = await openPage(contestant);
  const thread = await MainThread.of(chat.page);
  const cost = (start: number, end?: number) => thread.cost(() => feed(chat, reply.slice(start, end)));
  const first = await cost(0, tenth);
  const middle = await cost(tenth, -tenth);
  const last = await cost(reply.length - tenth);
  await chat.close();
  return [first, middle, last];
}

const ratios: number[] = [];
const growth: number[] = [];
const page: number[] = [];
const unformatted: number[] = [];
for (let round = 0; round < roundCount; round += 1) {
  const bare = sum(await costs('unformatted'));
  const [first, middle, last] = await costs('page');
  const all = sum([first, middle, last]);
  page.push(all);
  unformatted.push(bare);
  ratios.push(all / bare);
  growth.push(last / first);
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

const streamed = await openPage('page');
const longest = await longestTask(streamed.page, () => feed(streamed, reply));
await streamed.close();

function numbered(count: number, line: (at: number) => string): string {
  return Array.from({ length: count }, (_, at) => line(at)).join('');
}

/** Texts that are slow to parse, to lay out, or to colour. */
const extremeTexts: Readonly<Record<string, string>> = {
  brackets: '['.repeat(100_000),
  quotes: '> '.repeat(50_000),
  stars: '*a **b '.repeat(15_000),
  'one line': 'word '.repeat(20_000),
  'one line of code': `\`\`\`ts\n${'a=1;'.repeat(25_000)}`,
  'late labels': `${'[a] [b]\n\n'.repeat(5000)}${numbered(1000, (at) => `[${at}]: https://example.com/${at}\n\n`)}[a]: https://example.com/\n\n`,
  'blank lines': `${'\n'.repeat(100_000)}end`,
  rows: `|a|b|\n|-|-|\n${'|x|y|\n'.repeat(16_000)}`,
  'hidden characters': 'a\u200b'.repeat(50_000),
  'tiny blocks': 'a\n\n'.repeat(30_000),
};
const frames: [name: string, longest: number][] = [];
for (const [name, text] of Object.entries(extremeTexts)) {
  const chat = await openPage('page');
  frames.push([name, await longestTask(chat.page, () => feed(chat, text))]);
  await chat.close();
}

/** Formulas near the size limit for drawing, and formulas whose parsing would not end. */
const formulas: Readonly<Record<string, string>> = {
  letters: 'x'.repeat(490),
  fractions: '\\frac12'.repeat(160),
  accents: '\\vec x'.repeat(240),
  brackets: '\\left(x\\right)'.repeat(110),
  chemistry: `\\ce{${'H2O + '.repeat(45)}}`,
  'contents built twice': `${'\\cancelto{y}{'.repeat(3)}${'x'.repeat(400)}${'}'.repeat(3)}`,
  'too many letters': 'x'.repeat(1990),
};
const drawings: [name: string, longest: number][] = [];
for (const [name, source] of Object.entries(formulas)) {
  const chat = await openPage('page');
  await feed(chat, '\n\n$$\\frac{a}{b} + \\sqrt{x}$$\n\n');
  await chat.page.locator('.formula math').first().waitFor();
  drawings.push([name, await longestTask(chat.page, () => feed(chat, `$$${source}$$\n\nend\n\n`))]);
  await chat.close();
}
await browser.close();

const ms = (value: number) => `${value.toFixed(0)} ms`;
report({
  figure: `Page, ${replyLength / 1000} KB reply as it arrives: main thread, formatted / unformatted`,
  value: `${median(ratios).toFixed(2)} (${ms(median(page))} / ${ms(median(unformatted))})`,
  target: '<= 1.1',
  met: median(ratios) <= 1.1,
});
report({
  figure: 'Page: last tenth of the deltas / first tenth',
  value: median(growth).toFixed(2),
  target: '<= 1.5',
  met: median(growth) <= 1.5,
});
report({
  figure: 'Page: longest task while the reply arrives',
  value: `${longest.toFixed(1)} ms`,
  target: '<= 8 ms',
  met: longest <= 8,
});
const findWorst = (times: readonly (readonly [name: string, longest: number])[]) =>
  times.reduce((worst, each) => (each[1] > worst[1] ? each : worst));
const [slowest, slowestTime] = findWorst(frames);
report({
  figure: `Page, 100 KB made to freeze it (${Object.keys(extremeTexts).join(', ')}): longest task`,
  value: `${slowestTime.toFixed(1)} ms (${slowest})`,
  target: '<= 8 ms',
  met: slowestTime <= 8,
});
const [slowestFormula, formulaTime] = findWorst(drawings);
report({
  figure: `Page, one formula as large as is drawn (${Object.keys(formulas).join(', ')}): longest task`,
  value: `${formulaTime.toFixed(1)} ms (${slowestFormula})`,
  target: '<= 20 ms',
  met: formulaTime <= 20,
});
