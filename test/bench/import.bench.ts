// The time for importing conversations, compared with JSON.parse of the same file in the same run, and for
// exporting them again.

import type { PortableConversation } from '../../src/conversations/conversation/conversationRecord.ts';
import { importConversations } from '../../src/conversations/formats/importConversations.ts';
import { exportConversations } from '../../src/conversations/formats/own/ownExport.ts';
import { createMemorySource } from '../support/importedConversations.ts';
import { chatGptExport } from './chatGptExport.ts';
import { median, report } from './report.ts';

const conversationCount = 1_500;
const repeats = 5;
const maxShare = 2;

const file = chatGptExport(conversationCount);
const megabytes = file.length / 1e6;

async function countImported(source: Uint8Array): Promise<number> {
  let count = 0;
  for await (const event of importConversations(createMemorySource(source)))
    if (event.type === 'conversation') count += 1;
  if (count !== conversationCount) throw new Error(`${count} conversations`);
  return count;
}

async function* readConversations(source: Uint8Array): AsyncGenerator<PortableConversation> {
  for await (const event of importConversations(createMemorySource(source))) {
    if (event.type === 'conversation') yield event.imported;
  }
}

async function writeExport(conversations: readonly PortableConversation[]): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of exportConversations(conversations)) chunks.push(chunk);
  return Buffer.concat(chunks);
}

async function seconds(act: () => unknown): Promise<number> {
  globalThis.gc?.();
  const before = performance.now();
  await act();
  return (performance.now() - before) / 1000;
}

/** The median times of both, run alternately, after one warm-up round. */
async function measured(act: () => unknown, bare: () => unknown): Promise<readonly [number, number]> {
  await act();
  await bare();
  const [times, bareTimes]: [number[], number[]] = [[], []];
  for (let nth = 0; nth < repeats; nth += 1) {
    times.push(await seconds(act));
    bareTimes.push(await seconds(bare));
  }
  return [median(times), median(bareTimes)];
}

const parse = () => JSON.parse(file.toString());
const [importing, parsing] = await measured(() => countImported(file), parse);
const speed = (time: number, size = megabytes) => `${(size / time).toFixed(0)} MB/s`;
report({
  figure: `importing ${megabytes.toFixed(0)} MB of ChatGPT's export / JSON.parse of it, time`,
  value: `${(importing / parsing).toFixed(2)} (${speed(importing)} and ${speed(parsing)})`,
  target: `<= ${maxShare}`,
  met: importing / parsing <= maxShare,
});

const conversations: PortableConversation[] = [];
for await (const each of readConversations(file)) conversations.push(each);
const own = await writeExport(conversations);
const ownSize = own.length / 1e6;
const stringify = () => Buffer.from(JSON.stringify(conversations));
const [exporting, stringifying] = await measured(() => writeExport(conversations), stringify);
report({
  figure: `exporting ${conversationCount} conversations / JSON.stringify of them, time`,
  value: `${(exporting / stringifying).toFixed(2)} (${speed(exporting, ownSize)})`,
  target: `<= ${maxShare}`,
  met: exporting / stringifying <= maxShare,
});
const [reading] = await measured(() => countImported(own), parse);
report({
  figure: 'importing that export',
  value: speed(reading, ownSize),
  target: '>= 40 MB/s',
  met: ownSize / reading >= 40,
});
