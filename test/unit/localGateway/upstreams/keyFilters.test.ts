import assert from 'node:assert/strict';
import { deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import fc from 'fast-check';
import {
  containsKey,
  createKeyFilter,
  hideKeys,
} from '../../../../src/localGateway/upstreams/hiddenKey/keyFilters.ts';
import { assertLinear } from '../../../support/linearCost.ts';

const key = 'sk-proj-9QxT4vBz_7LmKc2Wd8Yr-Hn5J';
const text = (bytes: Uint8Array) => Buffer.from(bytes).toString('latin1');

/** The text that passes the filter when the bytes arrive in these pieces. */
function filterReply(
  pieces: readonly string[],
  { type = 'application/json', status = 200, of = key } = {},
): string {
  const filter = createKeyFilter(of, { status, type });
  assert.ok(filter, 'the key is hidden');
  return [...pieces.map((piece) => filter.write(Buffer.from(piece, 'latin1'))), filter.end()]
    .map(text)
    .join('');
}

const escaped = (write: (code: number) => string) =>
  [...key].map((letter) => write(letter.charCodeAt(0))).join('');
const hex = (code: number) => code.toString(16).padStart(2, '0');
const base64 = (value: string) => Buffer.from(value).toString('base64');
/** Without padding. */
const base32 = (value: string) => {
  const bits = [...Buffer.from(value)].map((byte) => byte.toString(2).padStart(8, '0')).join('');
  const places = (bits.match(/.{1,5}/g) ?? []).map((five) => Number.parseInt(five.padEnd(5, '0'), 2));
  return places.map((place) => 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'[place]).join('');
};

/** Spellings of the key in a reply. */
const spellings: Readonly<Record<string, string>> = {
  itself: key,
  'other case': key.toUpperCase(),
  reversed: [...key].reverse().join(''),
  base64: base64(key),
  'base64 behind one byte': base64(`x${key}`),
  'base64 behind two bytes': base64(`xx${key}`),
  'base64 of a header': base64(`Authorization: Bearer ${key}`),
  'base64 for addresses': Buffer.from(key).toString('base64url'),
  'base64 of base64': base64(base64(key)),
  'base64 in lines': base64(`${key}${key}`).replaceAll(/.{20}/g, '$&\\n'),
  base32: base32(key),
  'base32 behind some bytes': base32(`Bearer ${key}`),
  hex: Buffer.from(key).toString('hex'),
  'hex with colons': Buffer.from(key)
    .toString('hex')
    .replaceAll(/..(?=.)/g, '$&:'),
  'character codes': JSON.stringify([...Buffer.from(key)]),
  'bytes as programs write them': escaped((code) => `0x${hex(code)}, `),
  'percent signs': escaped((code) => `%${hex(code)}`),
  'percent signs twice': escaped((code) => `%25${hex(code)}`),
  'percent signs and units': escaped((code) => `%u00${hex(code)}`),
  JSON: escaped((code) => `\\u00${hex(code)}`),
  'JSON within JSON': escaped((code) => `\\\\u00${hex(code)}`),
  'JSON in part': key.replaceAll('-', '\\u002d').replaceAll('_', '\\u005F'),
  JavaScript: escaped((code) => `\\\\u{${code.toString(16)}}`),
  'Perl and others': escaped((code) => `\\\\x{${hex(code)}}`),
  'long escapes': escaped((code) => `\\\\U000000${hex(code)}`),
  C: escaped((code) => `\\\\x${hex(code)}`),
  octal: escaped((code) => `\\\\${code.toString(8).padStart(3, '0')}`),
  HTML: escaped((code) => `&#${code};`),
  'HTML in hex': escaped((code) => `&#x${hex(code)};`),
  'HTML escaped several times': escaped((code) => `&amp;amp;amp;#${code};`),
  'with spaces': [...key].join(' '),
  'wide letters': [...'ｓｋ'].map((each) => Buffer.from(each).toString('latin1')).join('') + key.slice(2),
  'UTF-16': [...key].join('\0'),
};

/** Whether a part of the key of 16 letters and digits can still be read. */
function revealsKey(shown: string): boolean {
  return containsKey(shown, key);
}

describe('the key of an upstream in its reply', () => {
  it('P3 is redacted in any spelling, and JSON keeps its length', () => {
    for (const [name, spelled] of Object.entries(spellings)) {
      const body = `{"error":{"message":"No such key: ${spelled}, ${spelled}","n":[1,2]}}`;
      const shown = filterReply([body]);
      assert.equal(revealsKey(body), true, name);
      assert.equal(revealsKey(shown), false, `${name}: ${shown}`);
      assert.equal(shown.length, body.length, name);
      if (name !== 'UTF-16') assert.doesNotThrow(() => JSON.parse(shown), `${name}: ${shown}`);
    }
    const codes = filterReply([`{"key":[${[...Buffer.from(key)]}]}`]);
    assert.deepEqual(new Set((JSON.parse(codes) as { key: number[] }).key), new Set([11, 111]));
    assert.equal(filterReply([`"${key}"`]), `"${'*'.repeat(key.length)}"`);
  });

  it('P3 is found in headers, wherever it begins', () => {
    const part = key.replaceAll(/\W|_/g, '').slice(5, 21);
    for (const spelled of [...Object.values(spellings), part])
      for (let before = 0; before < 20; before++)
        assert.equal(revealsKey(`x-echo: ${'a'.repeat(before)} ${spelled}`), true, spelled);
    assert.equal(revealsKey(`x-echo: ${'other words '.repeat(100)}`), false);
  });

  it('P3 is redacted for any split of the bytes', () => {
    for (const spelled of [key, base64(`Bearer ${key}`), spellings.JSON ?? '', spellings.HTML ?? '']) {
      const body = `{"echo":"${spelled}"}`;
      const filtered = filterReply([body]);
      for (let at = 0; at <= body.length; at++)
        assert.equal(filterReply([body.slice(0, at), body.slice(at)]), filtered, `cut at ${at}`);
      assert.equal(filterReply([...body]), filtered);
    }
  });

  it('P3 is redacted if it is spread over the events of a stream', () => {
    const type = 'text/event-stream';
    const chat = (content: string) =>
      `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content } }], model: 'm' })}\n\n`;
    const writers: readonly ((piece: string) => string)[] = [
      chat,
      (piece) =>
        `event: content_block_delta\ndata: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"${piece}"}}\n\n`,
      (piece) => `data: {"type":"response.output_text.delta","output_index":0,"delta":"${piece}"}\r\n\r\n`,
      (piece) => `data: ${piece}\n\n`,
    ];
    for (const write of writers)
      for (const spelled of [key, base64(key)])
        for (const size of [1, 2, 3, 5, 8, 15]) {
          const pieces = spelled.match(new RegExp(`.{1,${size}}`, 'g')) ?? [];
          const events = ['Your key is ', ...pieces, ', is it not?'].map(write);
          const together = (stream: string) => {
            const values = [...stream.matchAll(/(?:"(?:content|text|delta)":"|^data: (?!\{))([^"\n]*)/gm)];
            return values.map(([, value]) => value).join('');
          };
          assert.equal(revealsKey(together(events.join(''))), true);
          for (const chunks of [events, [events.join('')]]) {
            const shown = filterReply(chunks, { type });
            assert.equal(revealsKey(together(shown)), false, `${size}: ${together(shown)}`);
            assert.equal(shown.length, events.join('').length);
          }
        }
    // Two choices that are written alternately.
    const other = (index: number, content: string) =>
      `data: {"choices":[{"index":${index},"delta":{"content":"${content}"}}]}\n\n`;
    const shown = filterReply(
      [...key].flatMap((letter) => [other(0, letter), other(1, 'x')]),
      { type },
    );
    assert.equal(
      revealsKey([...shown.matchAll(/"index":0.*?"content":"(.)"/g)].map(([, letter]) => letter).join('')),
      false,
    );
  });

  it('T3 P3 is redacted if it is spread over the parts of a reply, also if the index of a part follows its text', () => {
    const type = 'text/event-stream';
    const events = (values: readonly object[]) => values.map((value) => `data: ${JSON.stringify(value)}\n\n`);
    const pieces = key.match(/.{1,4}/g) ?? [];
    const parts: readonly ((text: string, index: number) => object)[] = [
      (text, index) => ({ type: 'content_block_delta', index, delta: { type: 'text_delta', text } }),
      (text, index) => ({ type: 'response.output_text.delta', output_index: 0, content_index: index, text }),
      (text, index) => ({ type: 'response.output_text.delta', output_index: index, content_index: 0, text }),
      (text, index) => ({ choices: [{ delta: { text }, index }] }),
    ];
    const joinedText = (stream: string) =>
      [...stream.matchAll(/"text":"([^"]*)/g)].map(([, text]) => text).join('');
    for (const part of parts) {
      const stream = filterReply(events(pieces.map(part)), { type });
      assert.equal(revealsKey(joinedText(stream)), false, stream);
      const filtered = filterReply([JSON.stringify(pieces.map(part))]);
      assert.equal(revealsKey(joinedText(filtered)), false, filtered);
    }
    const candidate = (text: string, index: number) => ({
      candidates: [{ content: { parts: [{ text }] }, index }],
    });
    const call = (text: string, index: number) => ({
      choices: [{ index: 0, delta: { tool_calls: [{ function: { arguments: text }, index }] } }],
    });
    for (const written of [candidate, call]) {
      const stream = filterReply(events(pieces.flatMap((text) => [written(text, 0), written('xyzw', 1)])), {
        type,
      });
      const first = [...stream.matchAll(/"(?:text|arguments)":"([^"]*)"[^\n]*"index":0[^\n\d]*$/gm)];
      assert.equal(first.length, pieces.length);
      assert.equal(revealsKey(first.map(([, text]) => text).join('')), false, stream);
    }
  });

  it('is redacted without changing or delaying other bytes', () => {
    const filter = createKeyFilter(key, { status: 200, type: 'text/event-stream' });
    for (const word of ['Some', ' words', ' sk', '-pro', 'j is a beginning', ' of many'])
      for (const event of [`data: {"choices":[{"delta":{"content":"${word}"},"finish_reason":null}]}\n\n`])
        assert.equal(text(filter?.write(Buffer.from(event)) ?? Buffer.alloc(0)), event);
    fc.assert(
      fc.property(
        fc.oneof(fc.string(), fc.uint8Array({ maxLength: 3_000 }).map(text), fc.json()),
        fc.array(fc.nat(3_000), { maxLength: 5 }),
        fc.constantFrom('text/event-stream', 'application/json'),
        (body, places, type) => {
          const bytes = Buffer.from(body).toString('latin1');
          const ends = [...places.map((place) => place % (bytes.length + 1)), bytes.length].sort(
            (a, b) => a - b,
          );
          assert.equal(
            filterReply(
              ends.map((end, i) => bytes.slice(ends[i - 1] ?? 0, end)),
              { type },
            ),
            bytes,
          );
        },
      ),
    );
  });

  it('is not redacted in model text if it is a placeholder for a server without keys', () => {
    for (const placeholder of ['ollama', 'lm-studio', 'not-needed'])
      assert.equal(createKeyFilter(placeholder, { status: 200, type: 'application/json' }), undefined);
    assert.ok(createKeyFilter('secret-key-1', { status: 200, type: 'application/json' }));
    assert.equal(
      filterReply(['{"error":"no key lm-studio"}'], { status: 401, of: 'lm-studio' }).includes('studio'),
      false,
    );
    assert.equal(text(hideKeys(Buffer.from('{"error":"ab12"}'), ['ab12'])), '{"error":"****"}');
  });

  it('T3 P3 is redacted in compressed text without a content-encoding header', () => {
    const body = `{"error":"${key}"}`;
    for (const compress of [gzipSync, deflateSync, zstdCompressSync]) {
      const bytes = compress(body).toString('latin1');
      for (const type of ['application/json', 'text/event-stream', 'application/problem+json', ''])
        assert.match(filterReply([bytes.slice(0, 9), bytes.slice(9)], { type }), /^\*+$/, type);
      if (!bytes.includes(key)) assert.equal(filterReply([bytes], { type: 'video/mp4' }), bytes);
    }
  });

  it('is held back up to a limit, and then partly redacted', () => {
    const type = 'text/event-stream';
    const event = (content: string) => `data: {"a":"${content}"}\n\n`;
    const filler = 'data: {"b":"0"}\n\n'.repeat(100);
    const filter = createKeyFilter(key, { status: 200, type });
    let fed = 0;
    let output = '';
    for (const piece of [
      event(key.slice(0, 14)),
      ...Array.from({ length: 100 }, () => filler),
      event(key.slice(14)),
    ]) {
      fed += piece.length;
      output += text(filter?.write(Buffer.from(piece)) ?? Buffer.alloc(0));
      assert.ok(fed - output.length < 80_000);
    }
    assert.doesNotMatch(output, /9QxT4/);
  });

  it('is searched for in linear time', () => {
    const names = (count: number) =>
      Buffer.from(
        JSON.stringify(
          Object.fromEntries(Array.from({ length: count }, (_, i) => [`name${i}`, `${key.slice(0, 14)}`])),
        ),
      );
    assertLinear(names, (bytes) => void hideKeys(bytes, [key]));
  });
});
