import assert from 'node:assert/strict';
import fc from 'fast-check';
import { parseJson } from '../../../src/base/json.ts';
import type { FormatDecoder } from '../../../src/wire/stream/decodedReply.ts';
import { decodeWith, type Reading, type StreamFixture, streamFixtures } from './streamFixtures.ts';

export interface RecordedFormat {
  /** The folder of the recordings below test/fixtures/streams. */
  readonly name: string;
  /** A reader for one reply. */
  readonly reader: () => FormatDecoder;
  /** Matches the end of a stream of this format. */
  readonly endMark: RegExp;
}

/** Tests that each recording of a format is decoded to the expected events, for any split of its bytes. */
export function describeRecordings({ name, reader, endMark }: RecordedFormat): void {
  const fixtures = streamFixtures(name);
  const read = (...pieces: readonly Uint8Array[]) => decodeWith(reader(), ...pieces);

  for (const { name, bytes, expected } of fixtures) {
    describe(name, () => {
      it('is decoded to the expected events', () => assert.deepEqual(read(bytes), expected));

      it('P8 is decoded to the same events when it is split in two anywhere, or into bytes', () => {
        for (let at = 0; at <= bytes.length; at++) {
          assertSame(read(bytes.subarray(0, at), bytes.subarray(at)), expected, `split at ${at}`);
        }
        assertSame(read(...[...bytes].map((byte) => Uint8Array.of(byte))), expected);
      });

      it('P7 F51 is complete only after its end mark when it is cut anywhere, and keeps the content before the cut', () => {
        for (let at = 0; at < bytes.length; at++) {
          const cut = bytes.subarray(0, at);
          assertCutReply(read(cut), cut.toString(), expected, endMark);
        }
      });
    });
  }

  it('P8 are decoded to the same events for any split', () => {
    const anyPieces = fc.tuple(fc.constantFrom(...fixtures), fc.array(fc.nat(), { maxLength: 12 }));
    fc.assert(
      fc.property(anyPieces, ([{ bytes, expected }, offsets]) => {
        assertSame(read(...splitAt(bytes, offsets)), expected);
      }),
      { numRuns: 1000 },
    );
  });
}

/** Compares as text first, because thousands of comparisons dominate the time of these tests. */
function assertSame(actual: Reading, expected: Reading, message?: string): void {
  if (JSON.stringify(actual) !== JSON.stringify(expected)) assert.deepEqual(actual, expected, message);
}

function splitAt(bytes: Buffer, offsets: readonly number[]): readonly Buffer[] {
  const within = offsets.map((offset) => offset % (bytes.length + 1)).toSorted((a, b) => a - b);
  const ends = [...within, bytes.length];
  return ends.map((end, at) => bytes.subarray(ends[at - 1] ?? 0, end));
}

/** The content before the cut is reported, and only an end mark makes the reply complete. */
function assertCutReply(
  cut: Reading,
  text: string,
  { events }: Pick<StreamFixture['expected'], 'events'>,
  endMark: RegExp,
): void {
  const differing = cut.events.filter((event, at) => JSON.stringify(event) !== JSON.stringify(events[at]));
  assert.deepEqual(differing, [], `cut after ${text.length}`);
  if (cut.end.kind !== 'complete' && cut.end.kind !== 'truncated') return;
  const isComplete = endMark.test(text) || parseJson(text) !== undefined;
  assert.ok(isComplete, `complete after ${text.length} without an end mark`);
}
