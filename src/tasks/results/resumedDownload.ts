import { type FileHandle, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { MediaType } from '../../base/mediaType.ts';
import { type Clock, pause } from '../../base/node/clock.ts';
import type { GatewayClient } from '../../client/gatewayClient.ts';
import type { Downloaded, DownloadTarget } from '../../client/types.ts';
import { findVideoRoute } from '../../wire/apis/videoRoutes.ts';
import { explain } from '../../wire/explanations/explanation.ts';
import { GatewayError } from '../../wire/failures/gatewayError.ts';
import type { LedgerResult, Task } from '../record/task.ts';
import { ResultProblem } from '../record/taskProblem.ts';
import { isCompleteMp4, readMediaType } from './mediaInfo.ts';
import { buildRecipe, findSavedResult, hashFile, type SavedResult, saveFile } from './resultFile.ts';
import { buildResultName } from './resultName.ts';
import { type FreeSpace, ResultPart } from './resultPart.ts';

export type ResultClient = Pick<GatewayClient, 'download' | 'readTask'>;

/** Options for the download of one result. */
interface ResultDownloadOptions {
  readonly task: Task;
  readonly result: LedgerResult;
  /** The body of the request that created the task, for the recipe. */
  readonly request: object | undefined;
  /** Undefined if the task's gateway is no longer known. */
  readonly client: ResultClient | undefined;
  readonly folder: string;
  readonly freeSpace: FreeSpace;
  readonly clock: Clock;
  /** Aborting it stops the download. The received part is stored, so that the download can be resumed. */
  readonly signal: AbortSignal;
  /** Whether this window still has the claim on the download. */
  readonly isOwner: () => boolean;
  readonly onProgress: (received: number, total: number | undefined) => void;
  /** Called with the new address if the old one has expired. */
  readonly onFreshLink: (link: FreshLink) => void;
}

type FreshLink = Pick<LedgerResult, 'url' | 'expiresAt'>;

/** The largest result. */
const maxBytes = 4 * 1024 ** 3;
/** After this many new bytes, the number of tries starts again. */
const progressBytes = 1024 * 1024;
/** With pauses, the tries take 90 s. */
const maxTries = 8;

/** For a file that is not ready. With pauses of up to 30 s, the tries take about ten minutes. */
const maxTriesUnready = 24;
const firstPauseMs = 1000;
const maxPauseMs = 30_000;
const maxHintMs = 600_000;

/** A file may be missing or incomplete for this long after the end of its task (F75). */
const youngMs = 60_000;
const notReadyStatuses = new Set([400, 404, 409]);

/** The number of base64 characters that are decoded at once. Four characters encode three bytes. */
const pieceLength = 1024 * 1024;

const base64Pattern = /^[\w+/-]+={0,2}$/;

/**
 * Downloads and saves a result. It resumes an earlier download and retries after temporary failures. If the
 * address has expired, it requests a new one from the gateway, once.
 *
 * @throws {GatewayError} or {ResultProblem}, or an error of the file system
 */
export async function downloadResult(options: ResultDownloadOptions): Promise<SavedResult> {
  const { task, result, folder } = options;
  const name = buildResultName(task, result.index);
  await mkdir(folder, { recursive: true });
  const existing = await findSavedResult(folder, name);
  if (existing) return existing;
  const part = new ResultPart(folder, join(folder, `${name}.part`), options);
  try {
    const source = await downloadInto(part, options);
    return await saveResult(part, name, source, options);
  } catch (error) {
    // Report the original error, not an error of `suspend`.
    await part.suspend().catch(() => {});
    throw error;
  }
}

/** Whether the record itself contains the result. */
export function isInline(url: string): boolean {
  return url.startsWith('data:');
}

/** @returns the source for the recipe */
async function downloadInto(
  part: ResultPart,
  options: ResultDownloadOptions,
  isRenewed = false,
): Promise<string> {
  const { result, signal } = options;
  if (isInline(result.url)) {
    await writeInline(result.url, part, signal);
    return 'inline';
  }
  try {
    const { source } = await downloadWithRetry(part, options);
    return source;
  } catch (error) {
    if (isRenewed || !hasExpired(error, options)) throw error;
    const link = await readFreshLink(options);
    if (!link || link.url === result.url) throw toExpiredError(error);
    if (!isInline(link.url)) options.onFreshLink(link);
    return downloadInto(part, { ...options, result: { ...result, ...link } }, true);
  }
}

async function downloadWithRetry(part: ResultPart, options: ResultDownloadOptions): Promise<Downloaded> {
  const { task, result, client, clock, signal, onProgress } = options;
  if (!client) {
    throw new ResultProblem(explain('result-gateway-not-connected'));
  }
  const credential = findVideoRoute(task.route)?.route.credential ?? 'bearer';
  for (let tries = 1, reached = 0; ; tries++) {
    try {
      const from = await part.readResumePoint();
      const options = { signal, maxBytes, onProgress, credential, ...(from && { from }) } as const;
      return await client.download(result.url, part, options);
    } catch (error) {
      if (part.size >= reached + progressBytes) tries = 1;
      reached = Math.max(reached, part.size);
      const waitMs = GatewayError.is(error) ? computePauseMs(error, tries, isYoung(options)) : undefined;
      if (waitMs === undefined) throw error;
      await part.suspend();
      await pause(clock, waitMs, signal);
      signal.throwIfAborted();
    }
  }
}

/**
 * Writes the content of a `data:` address into `target`, piece by piece.
 *
 * @throws {ResultProblem} if it is not base64
 */
async function writeInline(url: string, target: DownloadTarget, signal: AbortSignal): Promise<void> {
  const [prefix, mimeType = ''] = /^data:([^;,]{0,100})(?:;[^;,]{0,100}){0,5};base64,/i.exec(url) ?? [];
  const length = url.length - (prefix?.length ?? 0);
  if (prefix === undefined || length === 0) throw createUnreadableError();
  await target.begin({ from: 0, mimeType: mimeType.toLowerCase() });
  for (let at = prefix.length; at < url.length; at += pieceLength) {
    signal.throwIfAborted();
    const piece = url.slice(at, at + pieceLength);
    if (!base64Pattern.test(piece)) throw createUnreadableError();
    await target.write(Buffer.from(piece, 'base64'));
  }
}

function createUnreadableError(): ResultProblem {
  return new ResultProblem(explain('result-unreadable'));
}

/** Computes the milliseconds before the next try; undefined if another try is useless. */
function computePauseMs(error: GatewayError, tries: number, isYoungTask: boolean): number | undefined {
  const { reason, status, retryAfterMs = 0 } = error;
  const isUnready =
    reason === 'not-ready' || (isYoungTask && status !== undefined && notReadyStatuses.has(status));
  const canRetry = isUnready ? tries < maxTriesUnready : tries < maxTries && isTemporary(error);
  if (!canRetry || retryAfterMs > maxHintMs) return undefined;
  return Math.max(retryAfterMs, Math.min(firstPauseMs * 2 ** (tries - 1), maxPauseMs));
}

/** Network failures that may be temporary. */
const temporaryReasons =
  /^(dns|refused|reset|cut|connect-timeout|first-byte-timeout|idle-timeout|no-data-timeout)$/;

function isTemporary({ kind, reason }: GatewayError): boolean {
  if (kind === 'unreachable') return reason === undefined || temporaryReasons.test(reason);
  return kind === 'server' || kind === 'rate-limited';
}

function isYoung({ task: { endedAt }, clock }: ResultDownloadOptions): boolean {
  return endedAt !== undefined && Math.abs(clock.now() - endedAt) < youngMs;
}

/** Whether a new address may help. A gateway on this machine has a new address after each start. */
function hasExpired(error: unknown, { result: { expiresAt }, clock }: ResultDownloadOptions): boolean {
  if (!GatewayError.is(error) || error.kind === 'authentication') return false;
  const { status = 0, reason } = error;
  if (status === 403 || status === 404 || status === 410 || reason === 'forbidden-address') return true;
  return status >= 400 && status < 500 && expiresAt !== undefined && expiresAt < clock.now();
}

async function readFreshLink({
  task,
  result,
  client,
  signal,
}: ResultDownloadOptions): Promise<FreshLink | undefined> {
  if (!client || task.taskId === undefined) return undefined;
  try {
    const { results } = await client.readTask(task.taskId, { signal });
    const fresh = results[result.index];
    return fresh && { url: fresh.url, expiresAt: fresh.expiresAt?.getTime() };
  } catch {
    // Report why the download failed, not why there is no new address.
    return undefined;
  }
}

function toExpiredError(error: unknown): unknown {
  if (!GatewayError.is(error) || error.status === undefined) return error;
  return new ResultProblem(explain('result-link-expired', { status: error.status }));
}

async function saveResult(
  part: ResultPart,
  name: string,
  source: string,
  options: ResultDownloadOptions,
): Promise<SavedResult> {
  const { task, result, request, folder, clock } = options;
  const { mimeType, extension } = await part.finish(checkContent);
  const sha256 = await hashFile(part.path);
  const saved = { mimeType, bytes: part.size, sha256 };
  const recipe = buildRecipe(task, request, { ...saved, index: result.index, source }, clock.now());
  const path = await saveFile(part.path, { folder, name, extension, recipe, clock });
  return { ...saved, path };
}

/** Accepts only a complete video, picture or sound, before it gets such a file name (F88). */
async function checkContent(file: FileHandle, size: number, total: number | undefined): Promise<MediaType> {
  if (size === 0) throw new ResultProblem(explain('result-empty'));
  if (total !== undefined && size !== total) {
    throw new ResultProblem(explain('result-wrong-size', { size, announcedSize: total }));
  }
  const type = await readMediaType(file);
  if (!type) {
    throw new ResultProblem(explain('result-not-media'));
  }
  // Without a length, a truncated body looks complete.
  if (total === undefined && type.extension === 'mp4' && !(await isCompleteMp4(file))) {
    throw new ResultProblem(explain('result-unfinished'));
  }
  return type;
}
