/** The beginning of a file, and all of its bytes, including the beginning. */
interface FileStart {
  readonly head: Buffer;
  readonly bytes: AsyncGenerator<Buffer, void, undefined>;
}

const byteOrderMark = Buffer.from([0xef, 0xbb, 0xbf]);

/**
 * Reads the first `length` bytes of a file, or all bytes of a shorter file. `bytes` throws read errors at their
 * position.
 */
export async function readFileStart(source: AsyncIterable<Uint8Array>, length: number): Promise<FileStart> {
  const iterator = source[Symbol.asyncIterator]();
  const chunks: Buffer[] = [];
  let size = 0;
  let failure: Promise<never> | undefined;
  while (size < length && !failure) {
    const { value, done } = await iterator.next().catch((thrown: unknown) => {
      failure = Promise.reject(thrown);
      failure.catch(() => {});
      return { value: undefined, done: true as const };
    });
    if (done) break;
    chunks.push(toBuffer(value));
    size += value.length;
  }
  const head = Buffer.concat(chunks);
  const rest = failure ? createFailingIterator(failure) : iterator;
  return { head: head.subarray(0, length), bytes: prependHead(head, rest) };
}

/**
 * Converts a text in UTF-16 to UTF-8; a text in UTF-8 remains as it is. Spaces replace a byte order mark, so that
 * byte positions do not change.
 */
export async function convertToUtf8(source: AsyncIterable<Uint8Array>): Promise<AsyncGenerator<Buffer>> {
  const { head, bytes } = await readFileStart(source, 4);
  const encoding = detectUtf16(head);
  if (encoding) return decodeText(bytes, encoding);
  return head.subarray(0, 3).equals(byteOrderMark) ? blankOutMark(bytes) : bytes;
}

/** Does not copy the bytes. */
function toBuffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

function createFailingIterator(failure: Promise<never>): AsyncIterator<Uint8Array> {
  return { next: () => failure };
}

async function* prependHead(head: Buffer, rest: AsyncIterator<Uint8Array>): AsyncGenerator<Buffer> {
  try {
    if (head.length > 0) yield head;
    for (let next = await rest.next(); !next.done; next = await rest.next()) yield toBuffer(next.value);
  } finally {
    await rest.return?.();
  }
}

/**
 * JSON and Markdown begin with an ASCII character, so a zero byte next to it indicates UTF-16 even without a
 * mark.
 */
function detectUtf16(head: Buffer): 'utf-16le' | 'utf-16be' | undefined {
  const [first, second] = head;
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  if (first === 0xfe && second === 0xff) return 'utf-16be';
  if (head.length < 4 || (first === 0) === (second === 0)) return undefined;
  return first === 0 ? 'utf-16be' : 'utf-16le';
}

async function* decodeText(bytes: AsyncIterable<Buffer>, encoding: string): AsyncGenerator<Buffer> {
  const decoder = new TextDecoder(encoding);
  for await (const chunk of bytes) yield Buffer.from(decoder.decode(chunk, { stream: true }));
  yield Buffer.from(decoder.decode());
}

async function* blankOutMark(bytes: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let isFirst = true;
  for await (const chunk of bytes) {
    yield isFirst ? Buffer.concat([Buffer.from('   '), chunk.subarray(byteOrderMark.length)]) : chunk;
    isFirst = false;
  }
}
