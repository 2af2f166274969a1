import assert from 'node:assert/strict';
import fc from 'fast-check';
import { parseJson } from '../../../src/base/json.ts';
import type { FormatDecoder } from '../../../src/wire/stream/reply.ts';
import { decodeWith, type Reading, type StreamFixture, streamFixtures } from './streamFixtures.ts';

export interface RecordedFormat {
  /** The folder of the recordings below test/fixtures/streams. */
  readonly name: string;
  /** A reader for one reply. */
  readonly reader: () => FormatDecoder;
  /** What the end of a stream of this format looks like. */
  readonly endMark: RegExp;
}

/** Describes what every recording of a format must mean, however its bytes are cut. */
export function describeRecordings({ name, reader, endMark }: RecordedFormat): void {
  const fixtures = streamFixtures(name);
  const read = (...pieces: readonly Uint8Array[]) => decodeWith(reader(), ...pieces);

  for (const { name, bytes, expected } of fixtures) {
    describe(name, () => {
      it('means what was recorded', () => assert.deepEqual(read(bytes), expected));

      it('P8 means the same split in two anywhere, and byte by byte', () => {
        for (let at = 0; at <= bytes.length; at++) {
          assertSame(read(bytes.subarray(0, at), bytes.subarray(at)), expected, `split at ${at}`);
        }
        assertSame(read(...[...bytes].map((byte) => Uint8Array.of(byte))), expected);
      });

      it('P7 F51 cut anywhere, is never complete before its end mark and loses nothing that came', () => {
        for (let at = 0; at < bytes.length; at++) {
          const cut = bytes.subarray(0, at);
          assertHonest(read(cut), cut.toString(), expected, endMark);
        }
      });
    });
  }

  it('P8 means the same in any pieces', () => {
    const anyPieces = fc.tuple(fc.constantFrom(...fixtures), fc.array(fc.nat(), { maxLength: 12 }));
    fc.assert(
      fc.property(anyPieces, ([{ bytes, expected }, offsets]) => {
        assertSame(read(...piecesOf(bytes, offsets)), expected);
      }),
      { numRuns: 1000 },
    );
  });
}

/** Compares as text first: thousands of times, that is what these tests cost. */
function assertSame(actual: Reading, expected: Reading, message?: string): void {
  if (JSON.stringify(actual) !== JSON.stringify(expected)) assert.deepEqual(actual, expected, message);
}

function piecesOf(bytes: Buffer, offsets: readonly number[]): readonly Buffer[] {
  const within = offsets.map((offset) => offset % (bytes.length + 1)).toSorted((a, b) => a - b);
  const ends = [...within, bytes.length];
  return ends.map((end, at) => bytes.subarray(ends[at - 1] ?? 0, end));
}

/** Whatever was cut off, what came before it is told, and only an end mark makes it complete. */
function assertHonest(
  cut: Reading,
  text: string,
  { events }: Pick<StreamFixture['expected'], 'events'>,
  endMark: RegExp,
): void {
  const told = cut.events.filter((event, at) => JSON.stringify(event) !== JSON.stringify(events[at]));
  assert.deepEqual(told, [], `cut after ${text.length}`);
  if (cut.end.kind !== 'complete' && cut.end.kind !== 'truncated') return;
  const whole = endMark.test(text) || parseJson(text) !== undefined;
  assert.ok(whole, `complete after ${text.length} without an end mark`);
}
