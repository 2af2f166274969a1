// The cost for the page of opening a chat of 2,000 messages, finding text in it, and scrolling through all of it.
import { openChat } from '../ui/page/support/chatPage.ts';
import { PageBrowser } from '../ui/page/support/pageBrowser.ts';
import { installLongChat } from './page/longChat.ts';
import { longestTask, MainThread } from './page/mainThread.ts';
import { markdownReply } from './page/reply.ts';
import { median, report } from './report.ts';

const messageCount = 2_000;
const roundCount = 3;
const maxOpenMs = 300;
const maxTaskMs = 50;

const markdown = markdownReply(80_000);
const texts = markdown.split(/(?=^## Part )/m).map((text) => text.slice(0, 2_000));
const browser = await PageBrowser.launch();

async function openLongChat() {
  const chat = await openChat(browser);
  await chat.page.evaluate(installLongChat, { count: messageCount / 2, texts });
  return chat;
}

const openings: number[] = [];
const tasks: number[] = [];
const findings: number[] = [];
for (let round = 0; round < roundCount; round += 1) {
  const chat = await openLongChat();
  const thread = await MainThread.of(chat.page);
  openings.push(await thread.cost(() => chat.page.evaluate(() => window.longChat.open())));
  tasks.push(await longestTask(chat.page, () => chat.page.evaluate(() => window.longChat.arrive())));
  findings.push(await longestTask(chat.page, () => chat.page.evaluate(() => window.longChat.find('end of'))));
  await chat.close();
}

const chat = await openLongChat();
await chat.page.evaluate(() => window.longChat.open().then(() => window.longChat.arrive()));
const scrolling = await longestTask(chat.page, () => chat.page.evaluate(() => window.longChat.scrollUp()));
const built = await chat.page.evaluate(() => window.longChat.built);
await chat.close();
await browser.close();

const ms = (value: number) => `${value.toFixed(0)} ms`;
const name = `Page, a chat of ${messageCount.toLocaleString('en')} messages`;
report({
  figure: `${name}: main thread until its last screen is painted`,
  value: ms(median(openings)),
  target: `<= ${maxOpenMs} ms`,
  met: median(openings) <= maxOpenMs,
});
report({
  figure: `${name}: longest task while the turns before that arrive`,
  value: ms(median(tasks)),
  target: `<= ${maxTaskMs} ms`,
  met: median(tasks) <= maxTaskMs,
});
report({
  figure: `${name}: longest task while all of it is scrolled through`,
  value: `${ms(scrolling)} (${built} turns built)`,
  target: `<= ${maxTaskMs} ms`,
  met: scrolling <= maxTaskMs && built === messageCount / 2,
});
report({
  figure: `${name}: longest task while all of it is searched for the first time`,
  value: ms(median(findings)),
  target: `<= ${maxTaskMs} ms`,
  met: median(findings) <= maxTaskMs,
});
