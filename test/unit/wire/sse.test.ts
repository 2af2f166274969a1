import assert from 'node:assert/strict';
import { dropFieldNames, SseReader } from '../../../src/wire/stream/sse.ts';

function read(...pieces: readonly string[]): readonly string[] {
  const seen: string[] = [];
  const reader = new SseReader(({ event, data }) =>
    seen.push(event === undefined ? data : `${event}|${data}`),
  );
  for (const piece of pieces) reader.read(piece);
  return seen;
}

describe('in server-sent events,', () => {
  // The cases of the web platform's event stream tests.
  const vectors: readonly (readonly [title: string, stream: string, events: readonly string[]])[] = [
    ['F42 one leading byte order mark is not data', '\uFEFFdata:1\n\ndata:2\n\n', ['1', '2']],
    ['F42 a second byte order mark invalidates only its own line', '\uFEFF\uFEFFdata:1\n\ndata:2\n\n', ['2']],
    [
      'F42 a later byte order mark invalidates only its own line',
      'data:1\n\n\uFEFFdata:2\n\ndata:3\n\n',
      ['1', '3'],
    ],
    ['F44 comments are skipped', 'data:1\n:x\n:\ndata:2\n:y\n\n', ['1\n2']],
    [
      'a line without a colon is a field without a value',
      'data\n\ndata\ndata\n\ndata:x\n\n',
      ['', '\n', 'x'],
    ],
    [
      'one space after the colon is removed, a second one is kept',
      'data:x\n\ndata: x\n\ndata:  x\n\n',
      ['x', 'x', ' x'],
    ],
    ['field names are exact', 'Data:1\ndata\u0000:2\n data:3\ndata :4\ndata:5\n\n', ['5']],
    ['F43 any line end ends a line', 'data:1\r\rdata:2\r\n\r\ndata:3\n\ndata:4\r\n\n', ['1', '2', '3', '4']],
    ['F45 data lines of one event are joined', 'data:1\ndata:2\ndata:\n\n', ['1\n2\n']],
    ['an empty event name is ignored', 'event:\ndata:1\n\nevent:a\ndata:2\n\ndata:3\n\n', ['1', 'a|2', '3']],
    ['ids and retry times are not data', 'id:1\n\nid:a\u0000b\nretry:3x\nretry:5\ndata:1\n\n', ['1']],
    ['F59 NUL is normal data', 'data:\u0000\n\n', ['\u0000']],
    ['F46 an event without its blank line waits', 'data:1\n\ndata:2\n', ['1']],
  ];
  for (const [title, stream, events] of vectors) {
    it(title, () => {
      assert.deepEqual(read(stream), events);
      assert.deepEqual(read(...stream), events);
    });
  }

  it('a last event without a blank line is returned by a flush', () => {
    const seen: string[] = [];
    const reader = new SseReader(({ data }) => seen.push(data));
    reader.read('data:1\n\ndata:2');
    reader.flush();
    assert.deepEqual(seen, ['1', '2']);
  });

  it('F54 an event of 8 MiB is read in time from many pieces', () => {
    let seen = 0;
    const reader = new SseReader(({ data }) => {
      seen = data.length;
    });
    reader.read('data:');
    for (let piece = 0; piece < 8 * 1024; piece++) reader.read('x'.repeat(1024));
    reader.read('\n\n');
    assert.equal(seen, 8 * 1024 * 1024);
    assert.equal(reader.hasOverflowed, false);
  });

  it('a field name that a relay wrote twice is removed once', () => {
    assert.equal(dropFieldNames('data: data:{"a":1}'), '{"a":1}');
    assert.equal(dropFieldNames('{"data:":1}'), '{"data:":1}');
  });
});
