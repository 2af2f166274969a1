// The longest block of the page's main thread while six models reply side by side.
import type { TurnView } from '../../src/protocol/chatTurn.ts';
import { createTurn, openChat } from '../ui/page/support/chatPage.ts';
import { PageBrowser } from '../ui/page/support/pageBrowser.ts';
import { longestTask } from './page/mainThread.ts';
import { markdownReply } from './page/reply.ts';
import { report } from './report.ts';

const columnCount = 6;
const replyLength = 30_000;
const text = markdownReply(replyLength);

const browser = await PageBrowser.launch();
const chat = await openChat(browser, { width: 1600, height: 900 });

async function begin(round: number): Promise<readonly string[]> {
  const turns = Array.from({ length: columnCount }, (_, at): TurnView => {
    return createTurn({ id: `${round}-${at}`, model: `model/${at}`, state: 'waiting', text: '' });
  });
  const comparison = { sharesQuestion: true, columns: turns.map((turn) => [turn]) };
  await chat.show([], { compared: turns.map(({ model }) => model), isComparing: true }, { comparison });
  await chat.nextFrames();
  return turns.map(({ id }) => id);
}

/** One delta a frame for each column, as the host sends them. @param round the number of the state before them */
async function feed(round: number, words: string): Promise<void> {
  const turnIds = await begin(round);
  await chat.page.evaluate(
    async ({ ids, all, step, before }) => {
      let seq = before;
      const post = (data: object) =>
        dispatchEvent(new MessageEvent('message', { data, origin: window.origin }));
      for (let at = 0; at < all.length; at += step) {
        await new Promise((resolve) => requestAnimationFrame(resolve));
        for (const turnId of ids) {
          seq += 1;
          post({ type: 'delta', seq, turnId, choice: 0, text: all.slice(at, at + step), reasoning: '' });
        }
      }
      for (let frame = 0; frame < 4; frame += 1) {
        await new Promise((resolve) => requestAnimationFrame(resolve));
      }
    },
    { ids: turnIds, all: words, step: 64, before: round },
  );
}

// A warm-up run, so that the measured run does not include compilation.
await feed(1, text.slice(0, replyLength / 4));
const longest = await longestTask(chat.page, () => feed(2, text));
await browser.close();

report({
  figure: `Page, ${columnCount} replies of ${replyLength / 1000} KB side by side as they arrive: longest task`,
  value: `${longest.toFixed(1)} ms`,
  target: '<= 50 ms',
  met: longest <= 50,
});
