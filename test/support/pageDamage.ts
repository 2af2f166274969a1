import { createHash } from 'node:crypto';
import { closeSync, openSync, truncateSync, writeSync } from 'node:fs';

export const pageSize = 4_096;

/** One kind of damage to a page of a file. */
export type Damage = (bytes: Buffer, page: number) => Buffer;

export const damages: Readonly<Record<string, Damage>> = {
  'zero bytes': (bytes, page) => replacePage(bytes, page, Buffer.alloc(pageSize)),
  'random bytes': (bytes, page) => replacePage(bytes, page, createNoise(pageSize, String(page))),
  ones: (bytes, page) => replacePage(bytes, page, Buffer.alloc(pageSize, 0xff)),
  'the next page': (bytes, page) => {
    const next = (page + 1) * pageSize >= bytes.length ? 0 : page + 1;
    const swapped = replacePage(bytes, page, readPage(bytes, next));
    return replacePage(swapped, next, readPage(bytes, page));
  },
  'another file': (bytes, page) => replacePage(bytes, page, Buffer.alloc(pageSize, 'All work and no play. ')),
};

export function readPage(bytes: Buffer, page: number): Buffer {
  return Buffer.from(bytes.subarray(page * pageSize, (page + 1) * pageSize));
}

/** Overwrites a file that may be open, without replacing it. */
export function overwrite(path: string, bytes: Buffer): void {
  const descriptor = openSync(path, 'r+');
  try {
    writeSync(descriptor, bytes, 0, bytes.length, 0);
  } finally {
    closeSync(descriptor);
  }
  truncateSync(path, bytes.length);
}

/** Creates bytes that do not repeat, the same for the same seed. */
export function createNoise(length: number, seed: string): Buffer {
  const parts: Buffer[] = [];
  for (let n = 0; n * 32 < length; n++) parts.push(createHash('sha256').update(`${seed} ${n}`).digest());
  return Buffer.concat(parts).subarray(0, length);
}

function replacePage(bytes: Buffer, page: number, content: Buffer): Buffer {
  const changed = Buffer.from(bytes);
  content.copy(changed, page * pageSize);
  return changed;
}
