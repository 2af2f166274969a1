import assert from 'node:assert/strict';
import { isObject, parseJson } from '../../src/base/json.ts';
import { JsonArrayReader, StrayJson } from '../../src/wire/stream/jsonArray.ts';
import {
  dropFieldNames,
  type ServerSentEvent,
  SseReader,
  writeServerSentEvent,
} from '../../src/wire/stream/sse.ts';
import { assertPrototypesUnchanged, assertSame, divideText, readFixtures } from '../support/fuzzing.ts';

/** The recorded replies of all formats. */
export function seeds(): readonly Buffer[] {
  const folders = ['', 'contentGeneration', 'interactions', 'messages', 'responses'];
  return folders.flatMap((folder) => readFixtures(`streams/${folder}`, '.txt'));
}

/** The readers of event streams, of JSON between their lines, and of streamed JSON arrays. */
export function fuzz(data: Buffer): void {
  const text = data.toString();
  checkEvents(text);
  checkStrayJson(text);
  checkArray(text);
  checkWritten(parseJson(text));
  assertPrototypesUnchanged();
}

function checkEvents(text: string): void {
  const events = readEvents([text]);
  assertSame(events, expectedEvents(text), 'other events than by the rules of the web platform');
  for (const pieces of divideText(text)) assertSame(readEvents(pieces), events, 'depends on the pieces');
  const length = events.reduce((sum, { data }) => sum + data.length, 0);
  assert.ok(length <= text.length, 'more data than text');
  for (const { data } of events) {
    const rest = dropFieldNames(data);
    assert.ok(data.endsWith(rest) && !rest.startsWith('data:'), rest);
  }
}

/** All events, and the event at the end that has no blank line. */
function readEvents(pieces: readonly string[]): readonly ServerSentEvent[] {
  const events: ServerSentEvent[] = [];
  const reader = new SseReader(({ event, data }) => events.push({ ...(event && { event }), data }));
  for (const piece of pieces) reader.read(piece);
  reader.flush();
  return events;
}

/** The events of a whole text by the WHATWG rules, line by line. */
function expectedEvents(text: string): readonly ServerSentEvent[] {
  const events: ServerSentEvent[] = [];
  let data: string[] = [];
  let event: string | undefined;
  for (const line of `${text}\n\n`.replace(/^\uFEFF/, '').split(/\r\n|\r|\n/)) {
    if (line === '') {
      if (data.length > 0) events.push({ ...(event && { event }), data: data.join('\n') });
      [data, event] = [[], undefined];
      continue;
    }
    const [, field = '', value = ''] = /^([^:]*):? ?(.*)$/s.exec(line) ?? [];
    if (field === 'data') data.push(value);
    if (field === 'event') event = value;
  }
  return events;
}

/** A value, or the text between two values. */
interface Separated {
  readonly kind: 'lines' | 'json';
  readonly text: string;
}

function checkStrayJson(text: string): void {
  const separated = separate([text]);
  const joined = separated.map((each) => each.text).join('');
  assert.ok(text.startsWith(joined), 'text was lost or changed');
  for (const pieces of divideText(text)) assertSame(separate(pieces), separated, 'depends on the pieces');
}

function separate(pieces: readonly string[]): readonly Separated[] {
  const separated: Separated[] = [];
  const add = (kind: Separated['kind'], text: string) => {
    const last = separated.at(-1);
    if (kind === 'lines' && last?.kind === 'lines') separated.pop();
    const before = kind === 'lines' && last?.kind === 'lines' ? last.text : '';
    separated.push({ kind, text: before + text });
  };
  const reader = new StrayJson(
    (lines) => add('lines', lines),
    (json) => add('json', json),
  );
  for (const piece of pieces) reader.read(piece);
  return separated;
}

function checkArray(text: string): void {
  const elements = readArray([text]);
  for (const pieces of divideText(text)) assertSame(readArray(pieces), elements, 'depends on the pieces');
  const value = parseJson(text);
  // The reader skips numbers, booleans and null.
  if (Array.isArray(value) && value.every((each) => typeof each === 'string' || typeof each === 'object'))
    assertSame(
      elements.map(parseJson),
      value.filter((each) => each !== null),
      'other elements than JSON.parse',
    );
}

function readArray(pieces: readonly string[]): readonly string[] {
  const elements: string[] = [];
  const reader = new JsonArrayReader((json) => elements.push(json));
  for (const piece of pieces) reader.read(piece);
  return elements;
}

/** A written event is read again unchanged. */
function checkWritten(value: unknown): void {
  if (!isObject(value)) return;
  const [event, ...others] = readEvents([writeServerSentEvent(value, 'name')]);
  assert.equal(others.length, 0);
  assert.equal(event?.event, 'name');
  assertSame(parseJson(event?.data ?? ''), value, 'a written event has other data');
}
