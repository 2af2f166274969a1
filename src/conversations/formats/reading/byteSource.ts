import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';

/** A file to import. A zip file is read in any order, so all of them can be. */
export interface ByteSource {
  readonly size: number;
  /** The bytes from `start` up to but not including `end`; all of them without. */
  read(start?: number, end?: number): AsyncIterable<Uint8Array>;
}

/** A file in a zip file or in a folder. Nothing is ever written where its name says. */
export interface MemberFile {
  /** Its path in there, with slashes. */
  readonly name: string;
  /** Its size unpacked, as is told; `read` ends in an error if that is not true of a zip file. */
  readonly size: number;
  /** @throws SourceError where it is damaged or cannot be read on */
  read(): AsyncIterable<Uint8Array>;
}

const chunkBytes = 256 * 1024;

/**
 * A file on this machine.
 *
 * @throws the system's error where there is none, or it cannot be read
 */
export async function fileSource(path: string): Promise<ByteSource> {
  const { size } = await stat(path);
  return {
    size,
    async *read(start = 0, end = size) {
      if (end <= start) return;
      yield* createReadStream(path, { start, end: end - 1, highWaterMark: chunkBytes });
    },
  };
}

/** Bytes in memory. */
export function memorySource(bytes: Uint8Array): ByteSource {
  return {
    size: bytes.length,
    async *read(start = 0, end = bytes.length) {
      for (let at = start; at < end; at += chunkBytes) {
        yield bytes.subarray(at, Math.min(end, at + chunkBytes));
      }
    },
  };
}

/** All bytes of a stream, for what is known to be small enough. */
export async function allBytes(source: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of source) chunks.push(chunk);
  return Buffer.concat(chunks);
}
