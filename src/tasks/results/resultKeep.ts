import { createHash, randomUUID } from 'node:crypto';
import { copyFile, type FileHandle, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { errorCode } from '../../base/errors.ts';
import { isObject, nonEmptyString } from '../../base/json.ts';
import { type Clock, pause } from '../../base/node/clock.ts';
import { renameWithRetry } from '../../storage/renameWithRetry.ts';

/** A saved result. */
export interface KeptFile {
  readonly path: string;
  readonly mimeType: string;
  readonly bytes: number;
  /** Hexadecimal. */
  readonly sha256: string;
}

export interface KeepOptions {
  readonly folder: string;
  /** Without the extension. */
  readonly name: string;
  /** Without the dot. */
  readonly extension: string;
  /** The content of `<file>.json` beside the file. */
  readonly recipe: string;
  readonly clock: Clock;
}

const maxNames = 1000;

/** Pieces are read into the same buffer, since a result may be as large as a disk. */
const pieceBytes = 256 * 1024;

/**
 * Gives a finished part its final name, with its recipe beside it. Nothing is overwritten. The recipe is
 * written first: a file that has one is complete.
 *
 * @returns the path of the file
 * @throws errors of the file system
 */
export async function keepFile(part: string, keeping: KeepOptions): Promise<string> {
  const path = await reserve(keeping);
  try {
    await writeDurably(`${path}.json`, keeping.recipe, keeping.clock);
    await renameWithRetry(part, path, (ms) => pause(keeping.clock, ms));
  } catch (error) {
    await removeWithRecipe(path);
    throw error;
  }
  await syncFolder(keeping.folder);
  return path;
}

/**
 * Finds a result that a window saved before it died and could not record that. Without one, deletes what such
 * a window left incomplete.
 */
export async function findKept(folder: string, name: string): Promise<KeptFile | undefined> {
  const ours = (await readdir(folder))
    .filter((file) => file.startsWith(`${name}.`) || file.startsWith(`${name} (`))
    .filter((file) => !/\.part(\.json)?$/.test(file))
    .map((file) => join(folder, file));
  for (const recipe of ours.filter((path) => path.endsWith('.json'))) {
    const kept = await readKept(recipe);
    if (kept) return kept;
  }
  for (const path of ours) {
    if (path.endsWith('.tmp') || (await sizeOf(path)) === 0) await removeWithRecipe(path);
  }
  return undefined;
}

/**
 * Copies a saved file to `destination`, which is replaced only when the copy is complete.
 *
 * @throws errors of the file system
 */
export async function saveCopy(path: string, destination: string): Promise<void> {
  const copy = join(dirname(destination), `${randomUUID()}.tmp`);
  try {
    await copyFile(path, copy);
    await rename(copy, destination);
  } catch (error) {
    await rm(copy, { force: true });
    throw error;
  }
}

/** The SHA-256 of a file in hexadecimal. */
export async function hashOf(path: string): Promise<string> {
  const hash = createHash('sha256');
  const piece = Buffer.alloc(pieceBytes);
  const file = await open(path);
  await closing(file, async () => {
    for (;;) {
      const { bytesRead } = await file.read(piece, 0, pieceBytes);
      if (bytesRead === 0) return;
      hash.update(piece.subarray(0, bytesRead));
    }
  });
  return hash.digest('hex');
}

async function readKept(recipe: string): Promise<KeptFile | undefined> {
  try {
    const facts: unknown = JSON.parse(await readFile(recipe, 'utf8'));
    const path = recipe.slice(0, -'.json'.length);
    const bytes = await sizeOf(path);
    if (!isObject(facts) || bytes === undefined || facts.bytes !== bytes) return undefined;
    const sha256 = nonEmptyString(facts.sha256);
    const mimeType = nonEmptyString(facts.mimeType);
    return sha256 && mimeType ? { path, mimeType, bytes, sha256 } : undefined;
  } catch {
    return undefined;
  }
}

async function sizeOf(path: string): Promise<number | undefined> {
  return stat(path).then(
    ({ size }) => size,
    () => undefined,
  );
}

async function removeWithRecipe(path: string): Promise<void> {
  await Promise.all([rm(path, { force: true }), rm(`${path}.json`, { force: true })]);
}

/** Reserves the first free name with an empty file. */
async function reserve({ folder, name, extension }: KeepOptions): Promise<string> {
  for (let number = 1; number <= maxNames; number++) {
    const path = join(folder, `${name}${number === 1 ? '' : ` (${number})`}.${extension}`);
    const described = (await sizeOf(`${path}.json`)) !== undefined;
    if (!described && (await claim(path))) return path;
  }
  throw Object.assign(new Error('every name is taken'), { code: 'EEXIST' });
}

async function claim(path: string): Promise<boolean> {
  try {
    await (await open(path, 'wx')).close();
    return true;
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return false;
    throw error;
  }
}

async function writeDurably(path: string, text: string, clock: Clock): Promise<void> {
  const temporary = `${path}.${randomUUID()}.tmp`;
  try {
    const file = await open(temporary, 'wx');
    await closing(file, async () => {
      await file.writeFile(text);
      await file.sync();
    });
    await renameWithRetry(temporary, path, (ms) => pause(clock, ms));
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}

/** Makes new names survive a power failure. Some systems do not offer that. */
async function syncFolder(folder: string): Promise<void> {
  try {
    const handle = await open(folder, 'r');
    await closing(handle, () => handle.sync());
  } catch {
    // The file itself is on the disk all the same.
  }
}

async function closing(file: FileHandle, action: () => Promise<void>): Promise<void> {
  try {
    await action();
  } finally {
    await file.close();
  }
}
