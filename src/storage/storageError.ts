/**
 * What stands in the way of a database. `busy`: another process holds it for longer than anybody waits. `io`: the
 * disk itself reports an error.
 */
export type StorageErrorKind = 'full' | 'read-only' | 'busy' | 'damaged' | 'io' | 'other';

/** Something that could not be read or written; whatever was there before is untouched. */
export class StorageError extends Error {
  override readonly name = 'StorageError';
  readonly kind: StorageErrorKind;

  constructor(kind: StorageErrorKind, message: string, options?: ErrorOptions) {
    super(message, options);
    this.kind = kind;
  }
}

/** By SQLite's primary result codes (https://sqlite.org/rescode.html). */
const kindsByResult: ReadonlyMap<number, StorageErrorKind> = new Map([
  [3, 'read-only'],
  [5, 'busy'],
  [6, 'busy'],
  [8, 'read-only'],
  [10, 'io'],
  [11, 'damaged'],
  [13, 'full'],
  [14, 'read-only'],
  [15, 'busy'],
  [26, 'damaged'],
]);

/** A file that is shorter than what it says of itself. */
const SHORT_READ = 522;

/** By the codes of the file system's errors. */
const kindsByCode: ReadonlyMap<string, StorageErrorKind> = new Map([
  ['EACCES', 'read-only'],
  ['EEXIST', 'read-only'],
  ['EIO', 'io'],
  ['ENOENT', 'read-only'],
  ['ENOTDIR', 'read-only'],
  ['EPERM', 'read-only'],
  ['EROFS', 'read-only'],
  ['EBUSY', 'busy'],
  ['EDQUOT', 'full'],
  ['ENOSPC', 'full'],
]);

/** Says what an error of SQLite or of the file system means; any other error comes back as it is. */
export function asStorageError(error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof StorageError) return error;
  const { code, errcode, syscall } = error as { code?: unknown; errcode?: unknown; syscall?: unknown };
  if (code === 'ERR_SQLITE_ERROR' && typeof errcode === 'number') {
    const kind = errcode === SHORT_READ ? 'damaged' : kindsByResult.get(errcode & 0xff);
    return new StorageError(kind ?? 'other', error.message, { cause: error });
  }
  if (typeof code !== 'string' || syscall === undefined) return error;
  return new StorageError(kindsByCode.get(code) ?? 'other', error.message, { cause: error });
}

/** Runs `act`; what goes wrong in the database or in the file system is thrown as a `StorageError`. */
export function guarded<Result>(act: () => Result): Result {
  try {
    return act();
  } catch (error) {
    throw asStorageError(error);
  }
}
