import { randomUUID } from 'node:crypto';
import { open, readdir, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pause, systemClock } from '../../base/node/clock.ts';
import { renameWithRetry } from '../../storage/renameWithRetry.ts';
import { asStorageError } from '../../storage/sqlite/storageError.ts';

const writeBytes = 256 * 1024;
/** What is written this often is taken for none that was left. */
const writeMs = 10_000;

/**
 * Writes a file beside its place, and puts it there when all of it is on the disk: what is there before stays until
 * then, and for good when writing fails or is cancelled. What an export left beside it whose window ended in the
 * middle goes.
 *
 * @throws the reason of the signal when it is aborted
 * @throws {StorageError} when it cannot be written; what `chunks` throws as it is
 */
export async function replaceFile(
  path: string,
  chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  signal: AbortSignal,
): Promise<void> {
  const draft = join(dirname(path), draftName());
  try {
    await writeDraft(draft, chunks, signal);
    signal.throwIfAborted();
    await renameWithRetry(draft, path, (ms) => pause(systemClock, ms));
  } catch (error) {
    await rm(draft, { force: true }).catch(() => undefined);
    throw asStorageError(error);
  }
}

async function writeDraft(
  draft: string,
  chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  signal: AbortSignal,
): Promise<void> {
  const file = await open(draft, 'wx');
  try {
    await removeLeftDrafts(draft);
    let waiting: Uint8Array[] = [];
    let size = 0;
    let writtenAt = performance.now();
    for await (const chunk of chunks) {
      signal.throwIfAborted();
      waiting.push(chunk);
      size += chunk.length;
      if (size < writeBytes && performance.now() - writtenAt < writeMs) continue;
      await file.writeFile(Buffer.concat(waiting));
      waiting = [];
      size = 0;
      writtenAt = performance.now();
    }
    await file.writeFile(Buffer.concat(waiting));
    await file.sync();
  } finally {
    await file.close();
  }
}

const draft = /^\.model-gateway-[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}\.part$/;

/** An export that lives writes far more often. */
const leftMs = 60_000;

/** The name of a file that is written before it takes its place. */
function draftName(): string {
  return `.model-gateway-${randomUUID()}.part`;
}

/**
 * Removes the drafts beside a new one that programs left which ended in the middle. The clock of the file system
 * says which these are: a server has one of its own. Drafts that cannot be removed stay.
 */
async function removeLeftDrafts(newDraft: string): Promise<void> {
  const folder = dirname(newDraft);
  const now = await changedAt(newDraft);
  const names = await readdir(folder).catch(() => []);
  for (const path of names.filter((name) => draft.test(name)).map((name) => join(folder, name))) {
    if (now - (await changedAt(path)) > leftMs) await rm(path, { force: true }).catch(() => undefined);
  }
}

/** In milliseconds since 1970; infinite where there is no such file. */
async function changedAt(path: string): Promise<number> {
  return stat(path).then(
    ({ mtimeMs }) => mtimeMs,
    () => Number.POSITIVE_INFINITY,
  );
}
