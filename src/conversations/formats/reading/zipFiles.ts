import { Readable } from 'node:stream';
import { type Entry, fromRandomAccessReaderPromise, getFileNameLowLevel, RandomAccessReader } from 'yauzl';
import { errorMessage } from '../../../base/errors.ts';
import { explain } from '../../../wire/explanations/explanation.ts';
import { allBytes, type ByteSource, type MemberFile } from './byteSource.ts';
import { SourceError } from './sourceError.ts';

const utf8Flag = 0x800;
const fileLimit = 500_000;
const blockBytes = 256 * 1024;

/** The maximum ratio of unpacked to packed size: text compresses to a tenth, and a zip bomb to a thousandth. */
const maxRatio = 200;
const alwaysAllowedBytes = 64 * 1024 * 1024;

/**
 * The files of a zip file, by its directory.
 *
 * @throws SourceError if it is damaged, has more than `maxFiles`, or unpacks to far more than its size; `read`
 *   does, too
 */
export async function zippedFiles(source: ByteSource, maxFiles = fileLimit): Promise<readonly MemberFile[]> {
  try {
    const reader = new SourceReader(source);
    const zip = await fromRandomAccessReaderPromise(reader, source.size, {
      autoClose: false,
      decodeStrings: false,
    });
    const budget = { left: alwaysAllowedBytes + maxRatio * source.size };
    const files: MemberFile[] = [];
    for await (const entry of zip.eachEntry()) {
      if (files.length >= maxFiles) throw new SourceError(explain('import-archive-too-large'));
      const name = nameOf(entry);
      const open = () => zip.openReadStreamPromise(entry);
      files.push({ name, size: entry.uncompressedSize, read: () => unpacked(name, entry, open, budget) });
    }
    return files;
  } catch (thrown) {
    throw asSourceError(thrown);
  }
}

/** Names are untrusted and may contain path traversal: they are only shown and compared. */
function nameOf(entry: Entry): string {
  const raw: unknown = entry.fileName;
  const flags = entry.generalPurposeBitFlag | utf8Flag;
  return Buffer.isBuffer(raw) ? getFileNameLowLevel(flags, raw, entry.extraFields, false) : String(raw);
}

async function* unpacked(
  name: string,
  entry: Entry,
  open: () => Promise<Readable>,
  budget: { left: number },
): AsyncGenerator<Uint8Array> {
  if (entry.isEncrypted()) throw new SourceError(explain('import-archive-encrypted', { member: name }));
  try {
    for await (const chunk of await open()) {
      budget.left -= chunk.length;
      if (budget.left < 0) throw new SourceError(explain('import-archive-too-large'));
      yield chunk;
    }
  } catch (thrown) {
    throw asSourceError(thrown);
  }
}

function asSourceError(thrown: unknown): SourceError {
  if (thrown instanceof SourceError) return thrown;
  return new SourceError(explain('import-archive-damaged', { cause: errorMessage(thrown) }), {
    cause: thrown,
  });
}

/** Random access to a source; small adjacent reads share one block. */
class SourceReader extends RandomAccessReader {
  readonly #source: ByteSource;
  #blockAt = 0;
  #block: Buffer = Buffer.alloc(0);

  constructor(source: ByteSource) {
    super();
    this.#source = source;
  }

  override _readStreamForRange(start: number, end: number): Readable {
    return Readable.from(this.#source.read(start, end), { objectMode: false });
  }

  override read(
    buffer: Buffer,
    offset: number,
    length: number,
    position: number,
    callback: (error: Error | null, bytesRead?: number) => void,
  ): void {
    this.#bytes(position, length).then(
      (bytes) => callback(null, bytes.copy(buffer, offset)),
      (thrown: unknown) => callback(asSourceError(thrown)),
    );
  }

  async #bytes(position: number, length: number): Promise<Buffer> {
    const isInBlock = position >= this.#blockAt && position + length <= this.#blockAt + this.#block.length;
    if (!isInBlock) {
      const end = Math.min(this.#source.size, position + Math.max(length, blockBytes));
      this.#block = end > position ? await allBytes(this.#source.read(position, end)) : Buffer.alloc(0);
      this.#blockAt = position;
    }
    return this.#block.subarray(position - this.#blockAt, position - this.#blockAt + length);
  }
}
