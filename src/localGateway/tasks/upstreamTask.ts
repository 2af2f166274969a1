import { isObject, type JsonObject } from '../../base/json.ts';
import { findForbiddenReason } from '../../http/publicAddress.ts';
import { decodeTask } from '../../wire/apis/taskRecord/decodeTask.ts';
import type { TaskSnapshot } from '../../wire/apis/taskRecord/snapshot.ts';
import { isMissingStatus, isQueuedStatus, isUnknownStatus } from '../../wire/apis/taskRecord/statusWords.ts';
import type { ServedTaskStatus, TaskFailure } from '../../wire/apis/taskRecord/taskRecordFormat.ts';
import { type TaskFormat, taskRecordFormats } from '../../wire/apis/taskRecordFormats.ts';

/** The failure code of a task that its upstream no longer has. */
export const missingCode = 'upstream_task_missing';

/** The members that every stored task has. Times are in milliseconds since 1970. */
export interface TaskIdentity {
  readonly id: string;
  readonly upstream: string;
  /** The model ID that the caller sent. */
  readonly model: string;
  /** X-Request-Id of the request that created it. */
  readonly requestId: string;
  readonly createdAt: number;
  /** The name of the credential that created it; absent for the user's own. */
  readonly owner?: string;
}

/** A task at an upstream. */
export interface UpstreamTask extends TaskIdentity {
  /** The format of the request that created it, and of the upstream's record. */
  readonly format: TaskFormat;
  /** The beginning of the prompt. */
  readonly prompt: string;
  /** The ID of the task that it continues. */
  readonly earlierId?: string;
  /** The upstream's own ID; absent if its reply was lost. */
  readonly upstreamId?: string;
  /** The name of the upstream's key that made it; absent if the upstream had only one. */
  readonly keyName?: string;
  readonly status: ServedTaskStatus;
  readonly finishedAt?: number;
  readonly report: TaskReport;
  /** By the index of the result. */
  readonly storedResults: StoredResultsByIndex;
}

/** The last state of a task that its upstream reported. */
export interface TaskReport {
  /** Percent. */
  readonly progress: number;
  readonly startedAt?: number;
  /** Why it failed. */
  readonly failure?: TaskFailure;
  /** Its cost in US dollars, if the record reports the cost or proves that the task never began. */
  readonly costUsd?: number;
  /** The upstream's own record. Marks replace results that were data. */
  readonly record?: JsonObject;
  readonly results: readonly ReportedResult[];
}

/** A result in the upstream's record. */
export interface ReportedResult {
  /** Its address; absent if the upstream serves its bytes on a route, or sent them in the record. */
  readonly url?: string;
  readonly mimeType?: string;
  /** When the address expires, in milliseconds since 1970. */
  readonly expiresAt?: number;
  /** Whether callers get its own address, because the gateway cannot fetch it and the address does not need a key. */
  readonly isDirect?: boolean;
}

/** A result in the folder of results. */
export interface StoredResult {
  readonly file: string;
  readonly bytes: number;
  readonly mimeType: string;
  /** SHA-256 of its bytes. */
  readonly digest: string;
}

export type StoredResultsByIndex = Readonly<Record<number, StoredResult>>;

/** The state that a record reports, and the data in it that is stored separately. */
interface ReportedState {
  readonly status: ServedTaskStatus;
  readonly finishedAt?: number;
  readonly report: TaskReport;
  /** Results that the record contained as data, by their index. */
  readonly inline: ReadonlyMap<number, { readonly mimeType: string; readonly bytes: Buffer }>;
}

/** The most results of a task. Further results are ignored. */
export const maxResults = 16;

/** Whether a record describes a task. Such a record has the task's ID, but an error does not. */
export function isRecordOf(
  record: JsonObject,
  { format, upstreamId }: Pick<UpstreamTask, 'format' | 'upstreamId'>,
): boolean {
  return upstreamId !== undefined && taskRecordFormats[format].readId(record) === upstreamId;
}

/**
 * Reads the state in an upstream's record of a task.
 *
 * @param before the stored task
 * @param origins the upstream's own origins; the first one is the base of relative addresses
 * @param settle interprets an unknown status with the help of earlier records
 * @returns undefined if the record reports that the task does not exist
 */
export function readReportedState(
  record: JsonObject,
  before: Pick<UpstreamTask, 'format' | 'createdAt' | 'report'>,
  now: number,
  origins: readonly string[] = [],
  settle: (snapshot: TaskSnapshot) => TaskSnapshot = (snapshot) => snapshot,
): ReportedState | undefined {
  const format = taskRecordFormats[before.format];
  const [origin] = origins;
  const snapshot = settle(decodeTask(record, origin === undefined ? {} : { baseUrl: origin }));
  const { rawStatus = '' } = snapshot;
  if (isUnknownStatus(rawStatus) || isMissingStatus(rawStatus)) return undefined;
  const status = readStatus(snapshot);
  const isFinal = finalStatuses.has(status);
  const at = snapshot.finishedAt?.getTime() ?? now;
  const finishedAt = Math.max(before.createdAt, Math.min(at, now));
  const startedAt = before.report.startedAt ?? (status === 'queued' ? undefined : now);
  const lifetime = format.resultLifetimeMs === undefined ? undefined : finishedAt + format.resultLifetimeMs;
  const { results: reportedResults, inline } = readResults(
    snapshot,
    format.hasContentRoute && status === 'completed',
    lifetime,
    format.contentAddress,
  );
  const results = reportedResults.map((result) =>
    isOutOfReach(result, origins) ? { ...result, isDirect: true } : result,
  );
  return {
    status,
    ...(isFinal && { finishedAt }),
    inline,
    report: {
      progress: Math.round(snapshot.progress ?? before.report.progress),
      ...(startedAt !== undefined && { startedAt: Math.min(startedAt, isFinal ? finishedAt : now) }),
      ...(status === 'failed' && { failure: createFailure(snapshot, format.readFailureCode?.(record)) }),
      record: insertMarks(record, inline) as JsonObject,
      results,
    },
  };
}

export const finalStatuses: ReadonlySet<ServedTaskStatus> = new Set(['completed', 'failed', 'cancelled']);

/** Whether the state of a task is final. A task that its upstream did not find may be found again. */
export function isSettledTask({ status, report }: Pick<UpstreamTask, 'status' | 'report'>): boolean {
  return finalStatuses.has(status) && report.failure?.code !== missingCode;
}

/** How long the gateway itself polls a task that its upstream does not find, in milliseconds. */
const missingReadMs = 24 * 60 * 60 * 1000;
/** The pause before a new task is polled, and the bounds of later pauses, which grow with the age of the task. */
const firstPauseMs = 5_000;
const minPauseMs = 15_000;
const maxPauseMs = 5 * 60_000;
/** The shortest pause if callers get the own addresses of all missing results. */
const minDirectPauseMs = 60 * 60_000;

/**
 * Computes when the gateway itself reads a task again or fetches its results, in milliseconds since 1970; undefined
 * if everything was read and fetched.
 */
export function computeNextPollAt(
  { status, report, storedResults, upstreamId, createdAt, finishedAt }: UpstreamTask,
  now: number,
): number | undefined {
  if (upstreamId === undefined) return undefined;
  const age = Math.max(0, now - createdAt);
  const pause = age < minPauseMs ? firstPauseMs : Math.max(minPauseMs, Math.min(maxPauseMs, age / 8));
  const next = now + Math.round(pause);
  if (!finalStatuses.has(status)) return next;
  if (report.failure?.code === missingCode) return now - (finishedAt ?? 0) < missingReadMs ? next : undefined;
  if (status !== 'completed') return undefined;
  const missing = report.results.filter(
    ({ expiresAt = Number.POSITIVE_INFINITY }, index) => !storedResults[index] && now < expiresAt,
  );
  if (missing.length === 0) return undefined;
  // Failed fetches are retried less and less often.
  return missing.every(({ isDirect }) => isDirect) ? now + Math.max(minDirectPauseMs, age / 2) : next;
}

function readStatus({ status, failedAs, rawStatus }: TaskSnapshot): ServedTaskStatus {
  if (status === 'failed') return failedAs === 'cancelled' ? 'cancelled' : 'failed';
  if (status === 'completed') return 'completed';
  return rawStatus !== undefined && isQueuedStatus(rawStatus) ? 'queued' : 'running';
}

function createFailure(
  { error, failedAs, rawStatus = 'failed' }: TaskSnapshot,
  code = error?.code ?? rawStatus,
): TaskFailure {
  const inputProblem =
    failedAs === 'needs-attention' ? 'The task waits for input, which this gateway cannot send.' : undefined;
  const message =
    error?.message ?? inputProblem ?? `The upstream did not report a reason (${rawStatus.slice(0, 100)}).`;
  return { code: code.slice(0, 200), message: message.slice(0, 4_000) };
}

function readResults(
  { results, expiresAt }: TaskSnapshot,
  hasContentRoute: boolean,
  lifetime: number | undefined,
  contentAddress: RegExp | undefined,
): { readonly results: readonly ReportedResult[]; readonly inline: ReportedState['inline'] } {
  const inline = new Map<number, { readonly mimeType: string; readonly bytes: Buffer }>();
  const reportedResults = results
    .filter(hasContent)
    .slice(0, maxResults)
    .map(({ url, mimeType, ...result }, index): ReportedResult => {
      const [, type, data] = /^data:([^;,]+);base64,(.*)$/s.exec(url) ?? [];
      if (type !== undefined && data !== undefined) {
        inline.set(index, { mimeType: type, bytes: Buffer.from(data, 'base64') });
        return { mimeType: type };
      }
      const until = result.expiresAt?.getTime() ?? expiresAt?.getTime() ?? lifetime;
      const isContent = URL.canParse(url) && contentAddress?.test(new URL(url).pathname);
      return {
        ...(!isContent && { url }),
        ...(mimeType && { mimeType }),
        ...(until !== undefined && { expiresAt: until }),
      };
    });
  if (reportedResults.length > 0 || !hasContentRoute) return { results: reportedResults, inline };
  const until = expiresAt?.getTime();
  return { results: [until === undefined ? {} : { expiresAt: until }], inline };
}

/** Whether an address is at the upstream itself, so that the key may be sent to it. */
export function isAtUpstream(url: URL, origins: readonly string[] = []): boolean {
  return origins.includes(url.origin) && url.username === '' && url.password === '';
}

/** Whether the gateway may not fetch a result from its address. */
function isOutOfReach({ url }: ReportedResult, origins: readonly string[]): boolean {
  if (url === undefined) return false;
  if (!URL.canParse(url)) return true;
  const address = new URL(url);
  return !isAtUpstream(address, origins) && findForbiddenReason(address) !== undefined;
}

function hasContent({ url }: { readonly url: string }): boolean {
  return !/^data:[^,]*,\s*$/.test(url);
}

/** The mark in a stored record that replaces the data of a result. The data is in the folder of results. */
interface ResultMark {
  readonly kept_result: number;
  /** The member that contained the data. */
  readonly kept_member: string;
}

export function isResultMark(value: unknown): value is ResultMark & JsonObject {
  return isObject(value) && typeof value.kept_result === 'number' && typeof value.kept_member === 'string';
}

/** Shorter data stays in the record. */
const minMarkedCharacters = 256;

/** Replaces data in a record by marks. */
function insertMarks(value: unknown, inline: ReportedState['inline']): unknown {
  if (inline.size === 0) return value;
  const indexes = new Map([...inline].map(([index, { bytes }]) => [bytes.toString('base64'), index]));
  return mapObjects(value, (object) => {
    for (const [kept_member, data] of Object.entries(object)) {
      if (typeof data !== 'string' || data.length < minMarkedCharacters) continue;
      const kept_result = indexes.get(data) ?? indexes.get(Buffer.from(data, 'base64').toString('base64'));
      if (kept_result === undefined) continue;
      const { [kept_member]: _, ...rest } = object;
      return { ...rest, kept_result, kept_member };
    }
    return object;
  });
}

/** Deeper values of a record are not changed. */
const maxDepth = 64;

/** Replaces the objects in a value, from the outside in. */
export function mapObjects(value: unknown, change: (object: JsonObject) => JsonObject, depth = 0): unknown {
  if (depth > maxDepth) return value;
  if (Array.isArray(value)) return value.map((each) => mapObjects(each, change, depth + 1));
  if (!isObject(value)) return value;
  const entries = Object.entries(change(value));
  return Object.fromEntries(entries.map(([key, each]) => [key, mapObjects(each, change, depth + 1)]));
}
