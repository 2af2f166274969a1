import { randomUUID } from 'node:crypto';
import { open, rm } from 'node:fs/promises';
import { pause, systemClock } from '../../base/node/clock.ts';
import { renameWithRetry } from '../../storage/renameWithRetry.ts';
import { asStorageError } from '../../storage/storageError.ts';

const writeBytes = 256 * 1024;

/**
 * Writes a file beside its place, and puts it there when all of it is on the disk: what is there before stays until
 * then, and for good when writing fails or is cancelled.
 *
 * @throws the reason of the signal when it is aborted
 * @throws {StorageError} when it cannot be written; what `chunks` throws as it is
 */
export async function replaceFile(
  path: string,
  chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  signal: AbortSignal,
): Promise<void> {
  const draft = `${path}.${randomUUID()}.part`;
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
    let waiting: Uint8Array[] = [];
    let size = 0;
    for await (const chunk of chunks) {
      signal.throwIfAborted();
      waiting.push(chunk);
      size += chunk.length;
      if (size < writeBytes) continue;
      await file.writeFile(Buffer.concat(waiting));
      waiting = [];
      size = 0;
    }
    await file.writeFile(Buffer.concat(waiting));
    await file.sync();
  } finally {
    await file.close();
  }
}
