import { isObject, type JsonObject } from '../../base/json.ts';
import { forbidden } from '../../http/publicAddress.ts';
import { decodeTask } from '../../wire/apis/taskRecord/decode.ts';
import type { TaskSnapshot } from '../../wire/apis/taskRecord/snapshot.ts';
import { isMissingStatus, isQueuedStatus, isUnknownStatus } from '../../wire/apis/taskRecord/statusWords.ts';
import type { TaskFormat } from '../upstreams/upstream.ts';
import { missingCode } from './missingTasks.ts';
import { taskForms } from './taskForms.ts';
import type { TaskIdentity, TaskStatus } from './taskIdentity.ts';

/** A task that an upstream makes. */
export interface RemoteTask extends TaskIdentity {
  /** The format of the request that made it, and of the upstream's record. */
  readonly format: TaskFormat;
  /** The beginning of the prompt. */
  readonly prompt: string;
  /** The id of the task that it goes on from. */
  readonly earlierId?: string;
  /** The upstream's own id; absent when its answer was lost. */
  readonly upstreamId?: string;
  readonly status: TaskStatus;
  readonly finishedAt?: number;
  readonly told: ToldState;
  /** By the place of the result. */
  readonly kept: KeptResults;
}

/** What an upstream told of a task last. */
export interface ToldState {
  /** Percent. */
  readonly progress: number;
  readonly startedAt?: number;
  /** Why it failed. */
  readonly failure?: ToldFailure;
  /** The upstream's own record, in which results that were data are marks. */
  readonly record?: JsonObject;
  readonly results: readonly ToldResult[];
}

export interface ToldFailure {
  readonly code: string;
  readonly message: string;
}

/** A result as the upstream's record names it. */
export interface ToldResult {
  /** Its address; absent where the upstream gives its bytes on a route, or gave them in the record. */
  readonly url?: string;
  readonly mimeType?: string;
  /** When the address ends, in milliseconds since 1970. */
  readonly expiresAt?: number;
  /** Set while the gateway cannot fetch it and its address needs no key: callers get that address. */
  readonly isDirect?: boolean;
}

/** A result in the folder of results. */
export interface KeptResult {
  readonly file: string;
  readonly bytes: number;
  readonly mimeType: string;
  /** SHA-256 of its bytes. */
  readonly digest: string;
}

export type KeptResults = Readonly<Record<number, KeptResult>>;

/** The state that follows from a record, and the data in it that is to be kept beside it. */
export interface Told {
  readonly status: TaskStatus;
  readonly finishedAt?: number;
  readonly told: ToldState;
  /** Results that the record held as data, by their place. */
  readonly inline: ReadonlyMap<number, { readonly mimeType: string; readonly bytes: Buffer }>;
}

/** How long results of native video synthesis can be downloaded, in milliseconds. */
const synthesisLifetimeMs = 24 * 60 * 60 * 1000;

/** A record of text may be long; its results are few. */
export const maxResults = 16;

/** Whether a record is of a task: it names its id, which an error in place of a record does not. */
export function tellsOf(
  record: JsonObject,
  { format, upstreamId }: Pick<RemoteTask, 'format' | 'upstreamId'>,
): boolean {
  return upstreamId !== undefined && taskForms[format].idIn(record) === upstreamId;
}

/**
 * Reads what an upstream's record of a task says.
 *
 * @param before the task as it was known
 * @param origins the upstream's own, the first of which is the base of relative addresses
 * @param settled decides on a status that nobody knows, by the records before
 * @returns undefined when the record says that there is none
 */
export function readTold(
  record: JsonObject,
  before: Pick<RemoteTask, 'format' | 'createdAt' | 'told'>,
  now: number,
  origins: readonly string[] = [],
  settled: (snapshot: TaskSnapshot) => TaskSnapshot = (snapshot) => snapshot,
): Told | undefined {
  const form = taskForms[before.format];
  const [origin] = origins;
  const snapshot = settled(decodeTask(record, origin === undefined ? {} : { baseUrl: origin }));
  const { rawStatus = '' } = snapshot;
  if (isUnknownStatus(rawStatus) || isMissingStatus(rawStatus)) return undefined;
  const status = statusOf(snapshot);
  const isFinal = finalStatuses.has(status);
  const at = snapshot.finishedAt?.getTime() ?? now;
  const finishedAt = Math.max(before.createdAt, Math.min(at, now));
  const startedAt = before.told.startedAt ?? (status === 'queued' ? undefined : now);
  const lifetime = before.format === 'videoSynthesis' ? finishedAt + synthesisLifetimeMs : undefined;
  const { results: found, inline } = resultsOf(
    snapshot,
    form.givesContent && status === 'completed',
    lifetime,
  );
  const results = found.map((result) =>
    isOutOfReach(result, origins) ? { ...result, isDirect: true } : result,
  );
  return {
    status,
    ...(isFinal && { finishedAt }),
    inline,
    told: {
      progress: Math.round(snapshot.progress ?? before.told.progress),
      ...(startedAt !== undefined && { startedAt: Math.min(startedAt, isFinal ? finishedAt : now) }),
      ...(status === 'failed' && { failure: failureOf(snapshot) }),
      record: withMarks(record, inline) as JsonObject,
      results,
    },
  };
}

export const finalStatuses: ReadonlySet<TaskStatus> = new Set(['completed', 'failed', 'cancelled']);

/** Whether nothing more can be learned of a task. What its upstream does not have any more may come back. */
export function hasEnded({ status, told }: Pick<RemoteTask, 'status' | 'told'>): boolean {
  return finalStatuses.has(status) && told.failure?.code !== missingCode;
}

/** How long a task that its upstream does not have is asked for without a caller, in milliseconds. */
const missingAskedMs = 24 * 60 * 60 * 1000;
/** The first pause before a task is followed, and the bounds of later ones, which grow with its age. */
const firstPauseMs = 5_000;
const minPauseMs = 15_000;
const maxPauseMs = 5 * 60_000;
const minDirectPauseMs = 60 * 60_000;

/**
 * When the gateway reads a task again, or fetches its results, without a caller, in milliseconds since 1970;
 * undefined when there is nothing more to learn or to fetch.
 */
export function followedAt(
  { status, told, kept, upstreamId, createdAt, finishedAt }: RemoteTask,
  now: number,
): number | undefined {
  if (upstreamId === undefined) return undefined;
  const age = Math.max(0, now - createdAt);
  const pause = age < minPauseMs ? firstPauseMs : Math.max(minPauseMs, Math.min(maxPauseMs, age / 8));
  const next = now + Math.round(pause);
  if (!finalStatuses.has(status)) return next;
  if (told.failure?.code === missingCode) return now - (finishedAt ?? 0) < missingAskedMs ? next : undefined;
  if (status !== 'completed') return undefined;
  const missing = told.results.filter(
    ({ expiresAt = Number.POSITIVE_INFINITY }, index) => !kept[index] && now < expiresAt,
  );
  if (missing.length === 0) return undefined;
  // What could not be fetched is tried again more and more rarely.
  return missing.every(({ isDirect }) => isDirect) ? now + Math.max(minDirectPauseMs, age / 2) : next;
}

function statusOf({ status, failedAs, rawStatus }: TaskSnapshot): TaskStatus {
  if (status === 'failed') return failedAs === 'cancelled' ? 'cancelled' : 'failed';
  if (status === 'completed') return 'completed';
  return rawStatus !== undefined && isQueuedStatus(rawStatus) ? 'queued' : 'running';
}

function failureOf({ error, failedAs, rawStatus = 'failed' }: TaskSnapshot): ToldFailure {
  const waits = failedAs === 'needs-attention' ? 'It waits for input that it cannot get here.' : undefined;
  const message = error?.message ?? waits ?? `The upstream tells no reason (${rawStatus.slice(0, 100)}).`;
  return { code: (error?.code ?? rawStatus).slice(0, 200), message: message.slice(0, 4_000) };
}

function resultsOf(
  { results, expiresAt }: TaskSnapshot,
  givesContent: boolean,
  lifetime: number | undefined,
): { readonly results: readonly ToldResult[]; readonly inline: Told['inline'] } {
  const inline = new Map<number, { readonly mimeType: string; readonly bytes: Buffer }>();
  const told = results
    .filter(isSomething)
    .slice(0, maxResults)
    .map(({ url, mimeType, ...result }, index): ToldResult => {
      const [, type, data] = /^data:([^;,]+);base64,(.*)$/s.exec(url) ?? [];
      if (type !== undefined && data !== undefined) {
        inline.set(index, { mimeType: type, bytes: Buffer.from(data, 'base64') });
        return { mimeType: type };
      }
      const until = result.expiresAt?.getTime() ?? expiresAt?.getTime() ?? lifetime;
      return { url, ...(mimeType && { mimeType }), ...(until !== undefined && { expiresAt: until }) };
    });
  if (told.length > 0 || !givesContent) return { results: told, inline };
  const until = expiresAt?.getTime();
  return { results: [until === undefined ? {} : { expiresAt: until }], inline };
}

/** Whether the upstream itself serves an address, where its key may be sent. */
export function isAtUpstream(url: URL, origins: readonly string[] = []): boolean {
  return origins.includes(url.origin) && url.username === '' && url.password === '';
}

/** Whether the gateway may not fetch a result from its address. */
function isOutOfReach({ url }: ToldResult, origins: readonly string[]): boolean {
  if (url === undefined) return false;
  if (!URL.canParse(url)) return true;
  const address = new URL(url);
  return !isAtUpstream(address, origins) && forbidden(address) !== undefined;
}

/** Data without a byte is no result. */
function isSomething({ url }: { readonly url: string }): boolean {
  return !/^data:[^,]*,\s*$/.test(url);
}

/** In place of data that is kept in the folder of results. */
export interface ResultMark {
  readonly kept_result: number;
  /** The member that held the data. */
  readonly kept_member: string;
}

export function isMark(value: unknown): value is ResultMark & JsonObject {
  return isObject(value) && typeof value.kept_result === 'number' && typeof value.kept_member === 'string';
}

/** Shorter data stays where it is. */
const minMarkedCharacters = 256;

function withMarks(value: unknown, inline: Told['inline']): unknown {
  if (inline.size === 0) return value;
  const places = new Map([...inline].map(([index, { bytes }]) => [bytes.toString('base64'), index]));
  return mapObjects(value, (object) => {
    for (const [kept_member, data] of Object.entries(object)) {
      if (typeof data !== 'string' || data.length < minMarkedCharacters) continue;
      const kept_result = places.get(data) ?? places.get(Buffer.from(data, 'base64').toString('base64'));
      if (kept_result === undefined) continue;
      const { [kept_member]: _, ...rest } = object;
      return { ...rest, kept_result, kept_member };
    }
    return object;
  });
}

/** No record nests deeper; deeper values stay unchanged. */
const maxDepth = 64;

/** Replaces objects in a value, the outer ones first. */
export function mapObjects(value: unknown, change: (object: JsonObject) => JsonObject, depth = 0): unknown {
  if (depth > maxDepth) return value;
  if (Array.isArray(value)) return value.map((each) => mapObjects(each, change, depth + 1));
  if (!isObject(value)) return value;
  const entries = Object.entries(change(value));
  return Object.fromEntries(entries.map(([key, each]) => [key, mapObjects(each, change, depth + 1)]));
}
