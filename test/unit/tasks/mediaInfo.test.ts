import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { isCompleteMp4, readAudioCodec, readMediaInfo } from '../../../src/tasks/results/mediaInfo.ts';
import { createBox, createTinyClip } from '../../support/downloadServers.ts';

const demo = new URL('../../../media/demo/', import.meta.url);

describe('the sound of a video', () => {
  let folder: string;

  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'media-'));
  });

  after(() => rmSync(folder, { recursive: true }));

  const facts = (bytes: Uint8Array) => {
    const path = join(folder, 'file');
    writeFileSync(path, bytes);
    return readMediaInfo(path);
  };

  const codecs: readonly (readonly [title: string, entry: Buffer, codec: string])[] = [
    ['AAC', soundEntry('mp4a', esds(0x40, Buffer.of(0x12, 0x10))), 'mp4a.40.2'],
    ['HE-AAC', soundEntry('mp4a', esds(0x40, Buffer.of(0x2b, 0x92))), 'mp4a.40.5'],
    ['xHE-AAC with an escaped type', soundEntry('mp4a', esds(0x40, Buffer.of(0xf9, 0x40))), 'mp4a.40.42'],
    ['MP3 in MP4', soundEntry('mp4a', esds(0x6b, Buffer.alloc(0))), 'mp4a.6b'],
    ['a descriptor with long lengths', soundEntry('mp4a', esds(0x40, Buffer.of(0x12, 0x10), 4)), 'mp4a.40.2'],
    [
      'a descriptor with all optional fields',
      soundEntry('mp4a', esds(0x40, Buffer.of(0x12, 0x10), 1, 0xe0)),
      'mp4a.40.2',
    ],
    ['no descriptor', soundEntry('mp4a', Buffer.alloc(0)), 'mp4a'],
    ['Opus', soundEntry('Opus', createBox('dOps', Buffer.alloc(11))), 'opus'],
    ['AC-3', soundEntry('ac-3', Buffer.alloc(3)), 'ac-3'],
    ['FLAC', soundEntry('fLaC', Buffer.alloc(3)), 'flac'],
    ['MP3 without a descriptor', soundEntry('.mp3', Buffer.alloc(3)), 'mp3'],
  ];
  for (const [title, entry, codec] of codecs) {
    it(`is ${codec} for ${title}`, async () => {
      const movie = createMovie(track('vide', soundEntry('avc1', Buffer.alloc(0))), track('soun', entry));
      assert.deepEqual(await facts(movie), { kind: 'video', mimeType: 'video/mp4', audioCodec: codec });
    });
  }

  it('is mp4a.40.2 for QuickTime', async () => {
    const entry = soundEntry('mp4a', createBox('wave', createBox('frma'), esds(0x40, Buffer.of(0x12, 0x10))));
    const movie = createMovie(track('vide', soundEntry('avc1', Buffer.alloc(0))), track('soun', entry));
    movie.write('qt  ', 8);
    const mimeType = 'video/quicktime';
    assert.deepEqual(await facts(movie), { kind: 'video', mimeType, audioCodec: 'mp4a.40.2' });
  });

  it('is found if the moov box follows an mdat box with a 64-bit size', async () => {
    const [head, movie] = splitMovie(createMovie(track('soun', soundEntry('Opus', Buffer.alloc(0)))));
    const long = Buffer.alloc(16);
    long.writeUInt32BE(1);
    long.write('mdat', 4);
    long.writeBigUInt64BE(1016n, 8);
    const file = Buffer.concat([head, long, Buffer.alloc(1000), movie]);
    assert.equal((await facts(file))?.audioCodec, 'opus');
  });

  it('is undefined if there is none', async () => {
    for (const movie of [
      createMovie(track('vide', soundEntry('avc1', Buffer.alloc(0)))),
      createMovie(),
      createTinyClip(),
      createMovie(track('soun', soundEntry('\0\0\0\0', Buffer.alloc(0)))),
    ]) {
      assert.deepEqual(await facts(movie), { kind: 'video', mimeType: 'video/mp4' });
    }
    assert.equal(await facts(Buffer.from('<html>')), undefined);
    assert.equal(await facts(Buffer.alloc(0)), undefined);
  });

  for (const [name, sound] of [
    ['landscape', { audioCodec: 'mp4a.40.2' }],
    ['portrait', {}],
    ['square', {}],
  ] as const) {
    it(`of the demo clip ${name} is read, and the clip is complete`, async () => {
      const path = new URL(`${name}.mp4`, demo);
      const file = await open(path);
      assert.ok(await isCompleteMp4(file));
      await file.close();
      assert.deepEqual(await readMediaInfo(fileURLToPath(path)), {
        kind: 'video',
        mimeType: 'video/mp4',
        ...sound,
      });
    });
  }

  it('is undefined or a valid codec name for a hostile file', async () => {
    const sound = createMovie(
      track('vide', Buffer.alloc(0)),
      track('soun', soundEntry('mp4a', esds(0x40, Buffer.of(0x12, 0x10)))),
    );
    const bytes = fc.oneof(
      fc
        .uint8Array({ maxLength: 400 })
        .map((tail) => Buffer.concat([createBox('ftyp', Buffer.from('isom')), tail])),
      fc
        .array(fc.tuple(fc.nat(sound.length - 1), fc.nat(255)), { minLength: 1, maxLength: 8 })
        .map((changes) => {
          const changed = Buffer.from(sound);
          for (const [at, value] of changes) changed[at] = value;
          return changed;
        }),
      fc.nat(sound.length).map((length) => sound.subarray(0, length)),
    );
    await fc.assert(
      fc.asyncProperty(bytes, async (file) => {
        const codec = (await facts(file))?.audioCodec;
        assert.ok(codec === undefined || /^[\w.-]{1,20}$/.test(codec), codec);
      }),
      { numRuns: 200 },
    );
  });

  describe('of a huge hostile file', () => {
    const type = createBox('ftyp', Buffer.from('isom'));
    const boxes = Buffer.alloc(800_000, Buffer.from('\0\0\0\x08free', 'latin1'));

    it('is not reached, because the completeness check stops after 20,000 boxes', async () => {
      const { found, reads } = await reading(isCompleteMp4, Buffer.concat([type, boxes, createMovie()]));
      assert.equal(found, false);
      assert.ok(reads.length <= 20_001, `${reads.length} reads`);
    });

    it('is searched for in at most 20,000 boxes inside the moov box', async () => {
      const { found, reads } = await reading(readAudioCodec, Buffer.concat([type, createBox('moov', boxes)]));
      assert.equal(found, undefined);
      assert.ok(reads.length <= 20_001, `${reads.length} reads`);
    });

    it('is searched for with little reading in a moov box of a gigabyte', async () => {
      const head = Buffer.from('\x40\0\0\0moov\x3f\xff\xff\xf8free', 'latin1');
      const { found, reads } = await reading(
        readAudioCodec,
        Buffer.concat([type, head]),
        type.length + 2 ** 30,
      );
      assert.equal(found, undefined);
      assert.ok(sum(reads) < 1000, `${sum(reads)} bytes`);
    });

    it('is not searched for in nested moov boxes', async () => {
      const nested = Buffer.alloc(160_000);
      for (let at = 0; at < nested.length; at += 8) {
        nested.writeUInt32BE(nested.length - at, at);
        nested.write('moov', at + 4, 'latin1');
      }
      const { found, reads } = await reading(readAudioCodec, Buffer.concat([type, nested]));
      assert.equal(found, undefined);
      assert.ok(reads.length < 20, `${reads.length} reads`);
    });

    /** The result of `find` in a file that is extended to `size` bytes, and the requested length of each read. */
    async function reading<T>(
      find: (file: FileHandle) => Promise<T>,
      content: Buffer,
      size = content.length,
    ) {
      const path = join(folder, 'endless');
      writeFileSync(path, content);
      truncateSync(path, size);
      const file = await open(path);
      const read = file.read.bind(file) as (...args: unknown[]) => unknown;
      const reads: number[] = [];
      Object.assign(file, {
        read: (buffer: Buffer, offset: number, length: number, position: number) => {
          reads.push(length);
          return read(buffer, offset, length, position);
        },
      });
      try {
        return { found: await find(file), reads };
      } finally {
        await file.close();
      }
    }
  });
});

function createMovie(...tracks: readonly Buffer[]): Buffer {
  return Buffer.concat([
    createBox('ftyp', Buffer.from('isom\0\0\0\0')),
    createBox('moov', createBox('mvhd', Buffer.alloc(100)), ...tracks),
  ]);
}

function splitMovie(movie: Buffer): readonly [head: Buffer, movie: Buffer] {
  return [movie.subarray(0, 16), movie.subarray(16)];
}

function track(handler: string, entry: Buffer): Buffer {
  const count = Buffer.of(0, 0, 0, 0, 0, 0, 0, 1);
  const hdlr = createBox('hdlr', Buffer.alloc(8), Buffer.from(handler), Buffer.alloc(13));
  return createBox(
    'trak',
    createBox('mdia', hdlr, createBox('minf', createBox('stbl', createBox('stsd', count, entry)))),
  );
}

function soundEntry(type: string, extra: Buffer): Buffer {
  return createBox(type, Buffer.alloc(28), extra);
}

/** An elementary stream descriptor; `lengthBytes` is how many bytes each of its lengths is written in. */
function esds(objectType: number, specific: Buffer, lengthBytes = 1, flags = 0): Buffer {
  const descriptor = (tag: number, ...content: readonly Buffer[]) => {
    const body = Buffer.concat(content);
    return Buffer.concat([Buffer.of(tag, ...Array(lengthBytes - 1).fill(0x80), body.length), body]);
  };
  const optional = flags === 0 ? Buffer.alloc(0) : Buffer.from('\0\x07\x03url\0\x09', 'latin1');
  const decoder = descriptor(0x04, Buffer.of(objectType), Buffer.alloc(12), descriptor(0x05, specific));
  return createBox('esds', Buffer.alloc(4), descriptor(0x03, Buffer.of(0, 1, flags), optional, decoder));
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((all, number) => all + number, 0);
}
