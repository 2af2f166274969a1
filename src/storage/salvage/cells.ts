import type { Pages } from './pages.ts';

export type Value = null | number | bigint | string | Uint8Array;

/** A row of a table, or an entry of an index. The last value of an entry is the rowid of its row. */
export interface Cell {
  /** Absent for an entry of an index. */
  readonly rowid?: bigint;
  readonly values: readonly Value[];
}

export interface Node {
  readonly kind: 'table' | 'index';
  /** The readable cells. */
  readonly cells: readonly Cell[];
  readonly children: readonly number[];
  /** Whether all its cells are readable. */
  readonly isIntact: boolean;
}

const kinds: Readonly<Record<number, { readonly kind: Node['kind']; readonly isLeaf: boolean }>> = {
  2: { kind: 'index', isLeaf: false },
  5: { kind: 'table', isLeaf: false },
  10: { kind: 'index', isLeaf: true },
  13: { kind: 'table', isLeaf: true },
};

const firstPageHeaderBytes = 100;
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/**
 * Reads a page as a node of a B-tree (https://sqlite.org/fileformat2.html#b_tree_pages).
 *
 * @returns undefined if the page is missing or is not such a node
 */
export function readNode(pages: Pages, pageNumber: number): Node | undefined {
  const page = pages.readPage(pageNumber);
  const start = pageNumber === 1 ? firstPageHeaderBytes : 0;
  const type = page && kinds[page[start] ?? 0];
  if (!type) return undefined;
  const pointers = start + (type.isLeaf ? 8 : 12);
  const count = page.readUInt16BE(start + 3);
  if (pointers + 2 * count > pages.usableSize) return undefined;
  const cells: Cell[] = [];
  const children: number[] = type.isLeaf ? [] : [page.readUInt32BE(start + 8)];
  for (let index = 0; index < count; index++) {
    const at = page.readUInt16BE(pointers + 2 * index);
    if (at < pointers + 2 * count || at + 4 > pages.usableSize) continue;
    if (!type.isLeaf) children.push(page.readUInt32BE(at));
    try {
      const cell = readCell(pages, page, at, type.kind, type.isLeaf);
      if (cell) cells.push(cell);
    } catch {
      // The bytes of this cell are damaged; the other cells can be read.
    }
  }
  const hasCells = type.isLeaf || type.kind === 'index';
  const isIntact = children.length === (type.isLeaf ? 0 : count + 1) && (!hasCells || cells.length === count);
  return { kind: type.kind, cells, children, isIntact };
}

function readCell(
  pages: Pages,
  page: Buffer,
  at: number,
  kind: Node['kind'],
  isLeaf: boolean,
): Cell | undefined {
  // An inner node of a table does not contain rows.
  if (kind === 'table' && !isLeaf) return undefined;
  const reader = new VarintReader(page, isLeaf ? at : at + 4);
  const length = Number(reader.read());
  const rowid = kind === 'table' ? BigInt.asIntN(64, reader.read()) : undefined;
  const payload = readPayload(pages, page, reader.at, length, kind);
  return { ...(rowid !== undefined && { rowid }), values: readRecord(payload) };
}

/**
 * Joins the parts of a cell's payload (https://sqlite.org/fileformat2.html#cell_payload_overflow_pages).
 *
 * @throws {RangeError} if a part is missing
 */
function readPayload(pages: Pages, page: Buffer, at: number, length: number, kind: Node['kind']): Buffer {
  const usable = pages.usableSize;
  const maxLocal = kind === 'table' ? usable - 35 : Math.floor(((usable - 12) * 64) / 255) - 23;
  const minLocal = Math.floor(((usable - 12) * 32) / 255) - 23;
  const fittingLocal = minLocal + ((length - minLocal) % (usable - 4));
  const local = length <= maxLocal ? length : fittingLocal <= maxLocal ? fittingLocal : minLocal;
  if (at + local > usable) throw new RangeError('the cell extends beyond its page');
  const parts = [page.subarray(at, at + local)];
  let missing = length - local;
  let next = missing > 0 ? page.readUInt32BE(at + local) : 0;
  for (const seen = new Set<number>(); missing > 0; ) {
    const more = pages.readPage(next);
    if (!more || seen.has(next)) throw new RangeError('the chain of pages is broken');
    seen.add(next);
    parts.push(more.subarray(4, Math.min(usable, 4 + missing)));
    missing -= usable - 4;
    next = more.readUInt32BE(0);
  }
  if (parts.length > 1 && next !== 0) throw new RangeError('the chain of pages has no end');
  return parts.length === 1 ? (parts[0] as Buffer) : Buffer.concat(parts);
}

/**
 * Reads a record (https://sqlite.org/fileformat2.html#record_format).
 *
 * @throws {RangeError} if the payload is not a complete record
 */
function readRecord(payload: Buffer): readonly Value[] {
  const header = new VarintReader(payload, 0);
  const body = Number(header.read());
  const values: Value[] = [];
  let at = body;
  while (header.at < body) {
    const type = Number(header.read());
    const length = findValueLength(type);
    if (at + length > payload.length) throw new RangeError('the record is truncated');
    values.push(readValue(payload.subarray(at, at + length), type));
    at += length;
  }
  if (header.at !== body || at !== payload.length) throw new RangeError('this is not a record');
  return values;
}

const valueLengths = [0, 1, 2, 3, 4, 6, 8, 8, 0, 0];

function findValueLength(type: number): number {
  const length = type >= 12 ? (type - 12) >> 1 : valueLengths[type];
  if (length === undefined) throw new RangeError('the type is unknown');
  return length;
}

function readValue(bytes: Buffer, type: number): Value {
  if (type === 0) return null;
  if (type === 6) return bytes.readBigInt64BE(0);
  if (type === 7) return bytes.readDoubleBE(0);
  if (type >= 8 && type <= 9) return type - 8;
  if (type < 6) return bytes.readIntBE(0, bytes.length);
  return type % 2 === 0 ? new Uint8Array(bytes) : utf8.decode(bytes);
}

/** Reads SQLite's variable-length integers of one to nine bytes, one after another. */
class VarintReader {
  readonly #bytes: Buffer;
  at: number;

  constructor(bytes: Buffer, at: number) {
    this.#bytes = bytes;
    this.at = at;
  }

  read(): bigint {
    let value = 0n;
    for (let count = 1; ; count++) {
      const byte = this.#bytes.readUInt8(this.at++);
      if (count === 9) return (value << 8n) | BigInt(byte);
      value = (value << 7n) | BigInt(byte & 0x7f);
      if (byte < 0x80) return value;
    }
  }
}
