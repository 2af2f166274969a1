import { createHash, randomUUID } from 'node:crypto';
import { copyFile, type FileHandle, open, readdir, readFile, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { errorCode } from '../../base/errors.ts';
import { isObject, nonEmptyString } from '../../base/json.ts';
import { type Clock, pause } from '../../base/node/clock.ts';
import { renameWithRetry } from '../../storage/renameWithRetry.ts';
import type { Task } from '../record/task.ts';

/** A saved result. */
export interface SavedResult {
  readonly path: string;
  readonly mimeType: string;
  readonly bytes: number;
  /** Hexadecimal. */
  readonly sha256: string;
}

interface SaveOptions {
  readonly folder: string;
  /** Without the extension. */
  readonly name: string;
  /** Without the dot. */
  readonly extension: string;
  /** The content of `<file>.json` next to the file. */
  readonly recipe: string;
  readonly clock: Clock;
}

const maxNames = 1000;

/** The size of the buffer for reading a file, which may be very large. */
const pieceBytes = 256 * 1024;

/**
 * Renames a finished part to its final name and writes its recipe next to it. Existing files are not overwritten.
 * The recipe is written first, so a file with a recipe is complete.
 *
 * @returns the path of the file
 * @throws errors of the file system
 */
export async function saveFile(part: string, options: SaveOptions): Promise<string> {
  const path = await reservePath(options);
  try {
    await writeDurably(`${path}.json`, options.recipe, options.clock);
    await renameWithRetry(part, path, (ms) => pause(options.clock, ms));
  } catch (error) {
    await removeWithRecipe(path);
    throw error;
  }
  await syncFolder(options.folder);
  return path;
}

/**
 * Finds a result that a window saved, but did not record before the window died. If there is none, deletes the
 * incomplete files of such a window.
 */
export async function findSavedResult(folder: string, name: string): Promise<SavedResult | undefined> {
  const candidates = (await readdir(folder))
    .filter((file) => file.startsWith(`${name}.`) || file.startsWith(`${name} (`))
    .filter((file) => !/\.part(\.json)?$/.test(file))
    .map((file) => join(folder, file));
  for (const recipe of candidates.filter((path) => path.endsWith('.json'))) {
    const saved = await readSavedResult(recipe);
    if (saved) return saved;
  }
  for (const path of candidates) {
    if (path.endsWith('.tmp') || (await readSize(path)) === 0) await removeWithRecipe(path);
  }
  return undefined;
}

/**
 * Copies a saved file to `destination`. An existing file is replaced only after the copy is complete.
 *
 * @throws errors of the file system
 */
export async function saveCopy(path: string, destination: string): Promise<void> {
  const copy = join(dirname(destination), `${randomUUID()}.tmp`);
  try {
    await copyFile(path, copy);
    await renameWithRetry(copy, destination);
  } catch (error) {
    await rm(copy, { force: true });
    throw error;
  }
}

/** Computes the SHA-256 of a file in hexadecimal. */
export async function hashFile(path: string): Promise<string> {
  const hash = createHash('sha256');
  const piece = Buffer.alloc(pieceBytes);
  const file = await open(path);
  await useAndClose(file, async () => {
    for (;;) {
      const { bytesRead } = await file.read(piece, 0, pieceBytes);
      if (bytesRead === 0) return;
      hash.update(piece.subarray(0, bytesRead));
    }
  });
  return hash.digest('hex');
}

async function readSavedResult(recipe: string): Promise<SavedResult | undefined> {
  try {
    const facts: unknown = JSON.parse(await readFile(recipe, 'utf8'));
    const path = recipe.slice(0, -'.json'.length);
    const bytes = await readSize(path);
    if (!isObject(facts) || bytes === undefined || facts.bytes !== bytes) return undefined;
    const sha256 = nonEmptyString(facts.sha256);
    const mimeType = nonEmptyString(facts.mimeType);
    return sha256 && mimeType ? { path, mimeType, bytes, sha256 } : undefined;
  } catch {
    return undefined;
  }
}

async function readSize(path: string): Promise<number | undefined> {
  return stat(path).then(
    ({ size }) => size,
    () => undefined,
  );
}

async function removeWithRecipe(path: string): Promise<void> {
  await Promise.all([rm(path, { force: true }), rm(`${path}.json`, { force: true })]);
}

/** Reserves the first free name with an empty file. */
async function reservePath({ folder, name, extension }: SaveOptions): Promise<string> {
  for (let number = 1; number <= maxNames; number++) {
    const path = join(folder, `${name}${number === 1 ? '' : ` (${number})`}.${extension}`);
    const hasRecipe = (await readSize(`${path}.json`)) !== undefined;
    if (!hasRecipe && (await createEmptyFile(path))) return path;
  }
  throw Object.assign(new Error('every name is taken'), { code: 'EEXIST' });
}

async function createEmptyFile(path: string): Promise<boolean> {
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
    await useAndClose(file, async () => {
      await file.writeFile(text);
      await file.sync();
    });
    await renameWithRetry(temporary, path, (ms) => pause(clock, ms));
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}

/** Makes new file names survive a power failure, if the system supports it. */
async function syncFolder(folder: string): Promise<void> {
  try {
    const handle = await open(folder, 'r');
    await useAndClose(handle, () => handle.sync());
  } catch {
    // The file itself is already on the disk.
  }
}

async function useAndClose(file: FileHandle, action: () => Promise<void>): Promise<void> {
  try {
    await action();
  } finally {
    await file.close();
  }
}

/** A saved result, as its recipe describes it. */
interface RecipeResult extends Omit<SavedResult, 'path'> {
  readonly index: number;
  /** Origin and path of its address, or `inline`. */
  readonly source: string;
}

/** In characters. Longer text without spaces is data, not readable text. */
const maxDataLength = 1024;

/**
 * Builds the recipe of a saved result as JSON text, for a file next to it. The recipe contains the values that are
 * needed to create the result again. It omits the queries of addresses, which may be secrets, and the pictures in
 * the request.
 */
export function buildRecipe(
  task: Task,
  request: object | undefined,
  saved: RecipeResult,
  savedAt: number,
): string {
  const { model, route, gateway, taskId, requestId, prompt, submittedAt, acceptedAt, endedAt } = task;
  const recipe = {
    model,
    route,
    gateway,
    taskId,
    requestId,
    ...(request === undefined ? { prompt: prompt || undefined } : { request }),
    submittedAt: formatTime(submittedAt),
    acceptedAt: formatTime(acceptedAt),
    endedAt: formatTime(endedAt),
    savedAt: formatTime(savedAt),
    result: saved.index,
    source: saved.source,
    mimeType: saved.mimeType,
    bytes: saved.bytes,
    sha256: saved.sha256,
  };
  return `${JSON.stringify(recipe, (_, value: unknown) => (typeof value === 'string' ? shortenText(value) : value), 2)}\n`;
}

function formatTime(ms: number | undefined): string | undefined {
  return ms === undefined ? undefined : new Date(ms).toISOString();
}

function shortenText(text: string): string {
  const dataPrefix = /^data:[^,]{0,100},/.exec(text)?.[0] ?? (/^[\w+/-]+={0,2}$/.test(text) ? '' : undefined);
  if (dataPrefix !== undefined && text.length > maxDataLength) {
    return `${dataPrefix}(${text.length - dataPrefix.length} characters left out)`;
  }
  if (!/^https?:\/\/\S+$/i.test(text) || !URL.canParse(text)) return text;
  const { origin, pathname, search, hash, username, password } = new URL(text);
  return search || hash || username || password ? origin + pathname : text;
}
