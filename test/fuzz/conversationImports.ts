import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { zipSync } from 'fflate';
import type { PortableConversation } from '../../src/conversations/conversation/conversationRecord.ts';
import { importConversations } from '../../src/conversations/formats/importConversations.ts';
import {
  writeMarkdownDocument,
  writeMarkdownFile,
} from '../../src/conversations/formats/markdown/markdownExport.ts';
import { exportConversations } from '../../src/conversations/formats/own/ownExport.ts';
import { latestTime } from '../../src/conversations/formats/reading/fieldValues.ts';
import { type Piece, readLines } from '../../src/conversations/formats/reading/filePiece.ts';
import type { ImportEvent } from '../../src/conversations/formats/reading/importEvent.ts';
import { readJsonValues } from '../../src/conversations/formats/reading/jsonValues.ts';
import {
  assertExplained,
  assertPrototypesUnchanged,
  assertSame,
  divideBytes,
  readFixtures,
} from '../support/fuzzing.ts';
import { createMemorySource } from '../support/importedConversations.ts';

const ownFormat = [
  '{"format":"model-gateway-conversations","version":1}',
  '{"type":"conversation","messages":2,"attachments":1,"id":"c","title":"T","createdAt":1,"changedAt":2,"head":"b"}',
  '{"type":"message","id":"a","role":"user","createdAt":1,"state":"done","choices":[[{"type":"text","text":"What?"}]]}',
  '{"type":"message","id":"b","parent":"a","role":"assistant","createdAt":2,"state":"done","choices":[[{"type":"reasoning","text":"Hm"}]],"request":{"id":"r","model":"m","requestedAt":1}}',
  '{"type":"attachment","hash":"4c4b6a3be1314ab86138bef4314dde022e600960d8689a2c8f8631802d20dab6","data":"iVBORw0KGgo="}',
  '{"type":"end","conversations":1}\n',
].join('\n');

const headed = '---\ntitle: A\nmodel: "m"\n---\n## User\nHi\n```\n# x\n```\n\n**Assistant**\n\nHello\n';

/** The recorded exports of other programs, exports of this one, and a zip file. */
export function seeds(): readonly (Uint8Array | string)[] {
  const exports = readFixtures('conversations', '.json', '.jsonl', '.md');
  const [first = Buffer.alloc(0)] = exports;
  const utf16 = Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(headed, 'utf16le')]);
  const zip = zipSync({ 'conversations.json': first, 'file-a1-cat.png': Buffer.from([0x89, 0x50]) });
  return [...exports, ownFormat, headed, utf16, zip];
}

const now = 1_700_000_000_000;

/** The import of a file of any program. */
export async function fuzz(data: Buffer): Promise<void> {
  const bytes = Buffer.from(data);
  const events = await importedFrom(createMemorySource(bytes));
  for (const event of events) checkEvent(event);
  await checkPieces(bytes);
  const conversations = events.flatMap((event) => (event.type === 'conversation' ? [event.imported] : []));
  // Deleted conversations are not exported.
  await checkExports(conversations.filter(({ conversation }) => conversation.deletedAt === undefined));
  assertPrototypesUnchanged();
}

async function importedFrom(
  source: Parameters<typeof importConversations>[0],
): Promise<readonly ImportEvent[]> {
  const events: ImportEvent[] = [];
  for await (const event of importConversations(source, { now })) events.push(event);
  return events;
}

/** The readers of values and of lines, because the import joins the pieces of a short file. */
const readers = [readJsonValues, readLines];

/** The values of a file do not depend on the pieces in which it arrives. */
async function checkPieces(bytes: Buffer): Promise<void> {
  for (const read of readers) {
    const values = await collect(read(streamPieces([bytes]), maxBytes));
    for (const pieces of divideBytes(bytes))
      assertSame(await collect(read(streamPieces(pieces), maxBytes)), values, 'depends on the pieces');
  }
}

/** Shorter than some inputs. */
const maxBytes = 2_000;

async function* streamPieces(pieces: readonly Buffer[]): AsyncGenerator<Buffer> {
  yield* pieces;
}

async function collect(values: AsyncIterable<Piece>): Promise<readonly object[]> {
  const all: object[] = [];
  for await (const value of values)
    all.push('bytes' in value ? { ...value, bytes: value.bytes.toString('latin1') } : value);
  return all;
}

function checkEvent(event: ImportEvent): void {
  const explanations = event.type === 'problem' ? [event.problem] : event.warnings;
  for (const explanation of explanations) assertExplained(explanation);
  if (event.type === 'conversation') checkConversation(event.imported);
}

function checkConversation({ conversation, messages, attachments }: PortableConversation): void {
  const ids = new Set<string>();
  for (const { id, parent, createdAt } of messages) {
    assert.ok(!ids.has(id), 'two messages have one id');
    assert.ok(parent === undefined || ids.has(parent), 'a message precedes its parent');
    checkTime(createdAt);
    ids.add(id);
  }
  const { head, createdAt, changedAt } = conversation;
  assert.ok(head === undefined ? messages.length === 0 : ids.has(head), 'the head is not a message');
  for (const time of [createdAt, changedAt]) checkTime(time);
  for (const { hash, bytes } of attachments)
    assert.equal(createHash('sha256').update(bytes).digest('hex'), hash, 'the bytes do not match their hash');
}

function checkTime(time: number): void {
  assert.ok(Number.isSafeInteger(time) && time >= 0 && time <= latestTime, `time ${time}`);
}

/** The own format does not change after an import, and Markdown can be imported. */
async function checkExports(conversations: readonly PortableConversation[]): Promise<void> {
  const file = await exported(conversations);
  const again = await importedFrom(createMemorySource(file));
  const back = again.flatMap((event) => (event.type === 'conversation' ? [event.imported] : []));
  assert.equal(back.length, conversations.length, 'an exported conversation is not imported');
  assert.equal((await exported(back)).toString(), file.toString(), 'other bytes after an import');
  for (const each of conversations.filter(({ messages }) => messages.length > 0)) {
    writeMarkdownDocument(each);
    const [event, ...others] = await importedFrom(createMemorySource(Buffer.from(writeMarkdownFile(each))));
    assert.deepEqual(others, []);
    assert.equal(event?.type, 'conversation', 'a Markdown export is not imported');
  }
}

async function exported(conversations: readonly PortableConversation[]): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of exportConversations(conversations)) chunks.push(chunk);
  return Buffer.concat(chunks);
}
