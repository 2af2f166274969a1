import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { errorMessage } from '../../../base/errors.ts';
import { type Explanation, explain } from '../../../wire/explanations/explanation.ts';

/** A file to import. Zip files need random access, so all sources support it. */
export interface ByteSource {
  readonly size: number;
  /** Reads the bytes from `start` to `end`, exclusive; by default all bytes. */
  read(start?: number, end?: number): AsyncIterable<Uint8Array>;
}

/** A file in a zip file or folder. An import does not write to the path in its name. */
export interface MemberFile {
  /** Its path in the zip file or folder, with slashes. */
  readonly name: string;
  /** Its declared unpacked size; `read` throws if this is wrong for a zip file. */
  readonly size: number;
  /** @throws SourceError if it is damaged or cannot be read further */
  read(): AsyncIterable<Uint8Array>;
}

const chunkBytes = 256 * 1024;

/** @throws the system's error if the file does not exist, or cannot be read */
export async function openFile(path: string): Promise<ByteSource> {
  const { size } = await stat(path);
  return {
    size,
    async *read(start = 0, end = size) {
      if (end <= start) return;
      yield* createReadStream(path, { start, end: end - 1, highWaterMark: chunkBytes });
    },
  };
}

/** Reads all bytes of a stream into memory. */
export async function readAllBytes(source: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of source) chunks.push(chunk);
  return Buffer.concat(chunks);
}

/** An error that ends an import in the middle: the file cannot be read further. */
export class SourceError extends Error {
  readonly explanation: Explanation;

  constructor(explanation: Explanation, options?: ErrorOptions) {
    super(explanation.id, options);
    this.explanation = explanation;
  }
}

/**
 * Reads the bytes of a source until the signal is aborted. Errors of the source become a `SourceError`.
 *
 * @throws the reason of the signal when it is aborted
 */
export async function* guardBytes(
  bytes: AsyncIterable<Uint8Array>,
  signal: AbortSignal | undefined,
): AsyncGenerator<Uint8Array, void, undefined> {
  signal?.throwIfAborted();
  try {
    for await (const chunk of bytes) {
      signal?.throwIfAborted();
      yield chunk;
    }
  } catch (thrown) {
    signal?.throwIfAborted();
    if (thrown instanceof SourceError) throw thrown;
    throw new SourceError(explain('import-unreadable', { cause: errorMessage(thrown) }), { cause: thrown });
  }
}
