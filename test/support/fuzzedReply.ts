import assert from 'node:assert/strict';
import { ConvertedStream } from '../../src/localGateway/conversion/convertedReply.ts';
import { servedFormats } from '../../src/wire/apis/servedFormats.ts';
import {
  type TextFormat,
  type TextFormatId,
  textFormat,
  textFormats,
} from '../../src/wire/apis/textFormats.ts';
import type { ChatEvent } from '../../src/wire/chatEvent.ts';
import type { Conclusion, FormatDecoder } from '../../src/wire/stream/decodedReply.ts';
import { ReplyDecoder } from '../../src/wire/stream/replyDecoder.ts';
import { RecordingDecoder } from '../../src/wire/stream/verbatimRecorder.ts';
import { assertFailure, assertPrototypesUnchanged, assertSame, divideBytes } from './fuzzing.ts';

interface Reading {
  readonly events: readonly ChatEvent[];
  readonly conclusion: Conclusion;
}

/** Checks the decoder and the recorder of a format, and the conversions of its replies, with any bytes. */
export function checkReply(id: TextFormatId, bytes: Buffer): void {
  const format = textFormat(id);
  const reading = readReply(format.createDecoder(), [bytes]);
  for (const pieces of divideBytes(bytes))
    assertSame(readReply(format.createDecoder(), pieces), reading, 'depends on the pieces');
  checkEvents(reading.events, bytes.length);
  if ('failure' in reading.conclusion) assertFailure(reading.conclusion.failure);
  checkRecorder(format, bytes, reading);
  if (id !== 'interactions')
    for (const caller of textFormats)
      if (caller.id !== id && caller.id !== 'interactions') checkConversion(format, caller, bytes, reading);
  assertPrototypesUnchanged();
}

function readReply(decoder: FormatDecoder, pieces: readonly Buffer[]): Reading {
  const reply = new ReplyDecoder(decoder);
  const events = pieces.flatMap((piece) => reply.write(piece));
  events.push(...reply.flush());
  return { events, conclusion: reply.conclude() };
}

/** Numbers such as 1e20 are written with more digits than they were read. */
const maxGrowth = 8;

function checkEvents(events: readonly ChatEvent[], byteLength: number): void {
  let length = 0;
  for (const event of events) {
    if ('choice' in event) assert.ok(Number.isInteger(event.choice) && event.choice >= 0);
    switch (event.type) {
      case 'text':
      case 'reasoning':
      case 'refusal':
        assert.equal(typeof event.text, 'string');
        length += event.text.length;
        break;
      case 'toolCall':
        assert.ok(Number.isInteger(event.index) && event.index >= 0);
        assert.equal(typeof (event.arguments ?? ''), 'string');
        length += event.arguments?.length ?? 0;
        break;
      case 'media':
        assert.equal(typeof event.data, 'string');
        length += event.data.length;
        break;
      case 'usage':
        for (const count of Object.values(event.usage)) assert.ok(Number.isSafeInteger(count) && count >= 0);
        break;
      case 'cost':
        assert.ok(Number.isFinite(event.usd) && event.usd >= 0);
        break;
    }
  }
  assert.ok(length <= maxGrowth * byteLength, `${length} characters from ${byteLength} bytes`);
}

/** The recorder does not change the events, and its record can be sent. */
function checkRecorder({ createDecoder, createRecorder }: TextFormat, bytes: Buffer, reading: Reading): void {
  const decoder = new RecordingDecoder(createDecoder(), createRecorder());
  decoder.hideSecrets(['secret-of-the-gateway']);
  assertSame(readReply(decoder, [bytes]), reading, 'the recorder changes the events');
  const calls = new Set(reading.events.flatMap((event) => (event.type === 'toolCall' ? event.index : [])));
  const ids = Array.from({ length: calls.size }, (_, nth) => (nth % 3 === 2 ? undefined : `call_${nth}`));
  const verbatim = decoder.toVerbatim(ids);
  assert.ok(!JSON.stringify(verbatim ?? []).includes('secret-of-the-gateway'));
}

/** A minimal request of each format whose replies are converted. */
const requests: Readonly<Partial<Record<TextFormatId, object>>> = {
  chatCompletions: { model: 'm', messages: [{ role: 'user', content: 'Hi' }], stream: true },
  contentGeneration: { contents: [{ role: 'user', parts: [{ text: 'Hi' }] }] },
  messages: { model: 'm', max_tokens: 100, messages: [{ role: 'user', content: 'Hi' }], stream: true },
  responses: { model: 'm', input: 'Hi', stream: true },
};

/** A converted stream does not depend on the pieces, and is complete only if the reply is complete. */
function checkConversion(
  format: TextFormat,
  caller: TextFormat,
  bytes: Buffer,
  { conclusion }: Reading,
): void {
  const unsplit = convert(format.id, caller.id, [bytes]);
  for (const pieces of divideBytes(bytes))
    assertSame(convert(format.id, caller.id, pieces), unsplit, `as ${caller.id}: depends on the pieces`);
  const converted = readReply(caller.createDecoder(), [Buffer.from(unsplit.text)]).conclusion;
  if (!isComplete(converted) || unsplit.isCut) return;
  assert.ok(isComplete(conclusion), `${conclusion.kind}, but complete as ${caller.id}`);
}

function isComplete({ kind }: Conclusion): boolean {
  return kind === 'complete' || kind === 'truncated';
}

function convert(from: TextFormatId, to: TextFormatId, pieces: readonly Buffer[]) {
  const form = servedFormats[to].createReplies(requests[to] ?? {}, false);
  const stream = new ConvertedStream(from, form, {
    id: 'reply-of-test',
    model: 'm',
    createdAt: new Date(0),
    requestId: 'request-of-test',
    choices: 2,
    signsCalls: form.signsCalls,
    restoreToolName: (name) => name,
  });
  const text = pieces.map((piece) => stream.write(piece)).join('') + stream.end();
  return { text, isCut: stream.isCut };
}
