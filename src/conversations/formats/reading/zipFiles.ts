import { Readable } from 'node:stream';
import { type Entry, fromRandomAccessReaderPromise, getFileNameLowLevel, RandomAccessReader } from 'yauzl';
import { errorMessage } from '../../../base/errors.ts';
import { explain } from '../../../wire/explanations/explanation.ts';
import { type ByteSource, type MemberFile, readAllBytes, SourceError } from './byteSource.ts';

const utf8Flag = 0x800;
const defaultMaxFiles = 500_000;
const blockBytes = 256 * 1024;

/** The maximum ratio of unpacked to packed size: text compresses to a tenth, and a zip bomb to a thousandth. */
const maxRatio = 200;
/** A small zip file may unpack to this size at any ratio. */
const alwaysAllowedBytes = 64 * 1024 * 1024;

/**
 * Lists the files of a zip file. Reading one of the files may throw the same errors.
 *
 * @throws {SourceError} if the zip file is damaged, has more than `maxFiles`, or unpacks to far more than its size
 */
export async function readZipFiles(
  source: ByteSource,
  maxFiles = defaultMaxFiles,
): Promise<readonly MemberFile[]> {
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
      const name = readName(entry);
      const open = () => zip.openReadStreamPromise(entry);
      files.push({ name, size: entry.uncompressedSize, read: () => unpackEntry(name, entry, open, budget) });
    }
    return files;
  } catch (thrown) {
    throw toSourceError(thrown);
  }
}

/** Names are untrusted and may contain path traversal: they are only shown and compared. */
function readName(entry: Entry): string {
  const raw: unknown = entry.fileName;
  const flags = entry.generalPurposeBitFlag | utf8Flag;
  return Buffer.isBuffer(raw) ? getFileNameLowLevel(flags, raw, entry.extraFields, false) : String(raw);
}

async function* unpackEntry(
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
    throw toSourceError(thrown);
  }
}

function toSourceError(thrown: unknown): SourceError {
  if (thrown instanceof SourceError) return thrown;
  return new SourceError(explain('import-archive-damaged', { cause: errorMessage(thrown) }), {
    cause: thrown,
  });
}

/** Random access to a source; small adjacent reads share one block. */
class SourceReader extends RandomAccessReader {
  readonly #source: ByteSource;
  #blockStart = 0;
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
    this.#readBytes(position, length).then(
      (bytes) => callback(null, bytes.copy(buffer, offset)),
      (thrown: unknown) => callback(toSourceError(thrown)),
    );
  }

  async #readBytes(position: number, length: number): Promise<Buffer> {
    const isInBlock =
      position >= this.#blockStart && position + length <= this.#blockStart + this.#block.length;
    if (!isInBlock) {
      const end = Math.min(this.#source.size, position + Math.max(length, blockBytes));
      this.#block = end > position ? await readAllBytes(this.#source.read(position, end)) : Buffer.alloc(0);
      this.#blockStart = position;
    }
    return this.#block.subarray(position - this.#blockStart, position - this.#blockStart + length);
  }
}
