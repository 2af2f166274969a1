/** Why a database cannot be written. */
export type WriteProblem = 'full' | 'over-quota' | 'read-only-disk' | 'unwritable' | 'disk-error';

/** Why a database can only be read: a later version wrote it, or the disk prevents writing. */
export type ReadOnlyCause = 'newer' | WriteProblem;

/**
 * Why a database cannot be read or written. `busy`: another process holds a lock for longer than the timeout, or a
 * resource is exhausted for now. `io`: the disk reports an error. `other`: the database rejects the statement or
 * its values, so repeating it also fails.
 */
export type StorageErrorKind = 'full' | 'read-only' | 'busy' | 'damaged' | 'io' | 'other';

/** A failed read or write. The stored data is unchanged. */
export class StorageError extends Error {
  override readonly name = 'StorageError';
  readonly kind: StorageErrorKind;
  /** Why the database is read-only, if it was opened for reading. */
  readonly readOnly: ReadOnlyCause | undefined;

  constructor(
    kind: StorageErrorKind,
    message: string,
    { readOnly, ...options }: ErrorOptions & { readonly readOnly?: ReadOnlyCause } = {},
  ) {
    super(message, options);
    this.kind = kind;
    this.readOnly = readOnly;
  }
}

/**
 * Parses JSON text that the extension stored itself.
 *
 * @throws {StorageError} of kind `damaged` if it is not JSON
 */
export function parseStored<Stored>(json: string): Stored {
  try {
    return JSON.parse(json) as Stored;
  } catch (error) {
    throw new StorageError('damaged', 'A stored value cannot be read.', { cause: error });
  }
}

/** Kinds by SQLite's primary result codes (https://sqlite.org/rescode.html). */
const kindsByResult: ReadonlyMap<number, StorageErrorKind> = new Map([
  [3, 'read-only'],
  [5, 'busy'],
  [6, 'busy'],
  // Out of memory, and interrupted.
  [7, 'busy'],
  [9, 'busy'],
  [8, 'read-only'],
  [10, 'io'],
  [11, 'damaged'],
  [13, 'full'],
  [14, 'read-only'],
  [15, 'busy'],
  [26, 'damaged'],
]);

/** SQLITE_IOERR_SHORT_READ: the file is shorter than the size in its header. */
const shortReadCode = 522;

/** Kinds by the error codes of the file system. */
const kindsByCode: ReadonlyMap<string, StorageErrorKind> = new Map([
  ['EACCES', 'read-only'],
  ['EAGAIN', 'busy'],
  ['EEXIST', 'read-only'],
  ['EIO', 'io'],
  ['EMFILE', 'busy'],
  ['ENFILE', 'busy'],
  ['ENOENT', 'read-only'],
  ['ENOTDIR', 'read-only'],
  ['EPERM', 'read-only'],
  ['EROFS', 'read-only'],
  ['EBUSY', 'busy'],
  ['EDQUOT', 'full'],
  ['ENOSPC', 'full'],
  ['ESTALE', 'io'],
  ['ETIMEDOUT', 'io'],
]);

/**
 * Translates an error of SQLite or of the file system.
 *
 * @returns a `StorageError`, or the error itself if it has another origin
 */
export function toStorageError(error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof StorageError) return error;
  const { code, errcode, syscall } = error as { code?: unknown; errcode?: unknown; syscall?: unknown };
  if (code === 'ERR_SQLITE_ERROR' && typeof errcode === 'number') {
    const kind = errcode === shortReadCode ? 'damaged' : kindsByResult.get(errcode & 0xff);
    return new StorageError(kind ?? 'other', error.message, { cause: error });
  }
  if (typeof code !== 'string' || syscall === undefined) return error;
  return new StorageError(kindsByCode.get(code) ?? 'other', error.message, { cause: error });
}

/** Whether the same write may succeed later. A write that the database rejects must not block later writes. */
export function isRetryable(error: unknown): error is StorageError {
  return error instanceof StorageError && error.kind !== 'other';
}

/** Whether the error has the kind `busy`, also if it is not translated yet. */
export function isBusy(error: unknown): boolean {
  const failure = toStorageError(error);
  return failure instanceof StorageError && failure.kind === 'busy';
}

/**
 * Runs `act`.
 *
 * @throws {StorageError} for errors of the database or the file system; other errors unchanged
 */
export function withStorageErrors<Result>(act: () => Result): Result {
  try {
    return act();
  } catch (error) {
    throw toStorageError(error);
  }
}
