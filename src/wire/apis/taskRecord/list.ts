import { isObject, type JsonObject, nonEmptyString } from '../../../base/json.ts';
import { decodeTask, type TaskReply } from './decode.ts';
import type { TaskSnapshot } from './snapshot.ts';
import { withNormalNames } from './spelling.ts';

/** The query of a request for a list of tasks. */
export type TaskQuery = Readonly<Record<string, string>>;

/** One page of a list of tasks, the newest first. */
export interface TaskPage {
  readonly tasks: readonly TaskSnapshot[];
  /** The query for the next page, besides the limit; absent on the last page. */
  readonly next?: TaskQuery;
}

const listKeys = [
  ...['data', 'items', 'tasks', 'results', 'videos', 'generations', 'list', 'records', 'rows', 'jobs'],
  ...['interactions', 'operations', 'predictions', 'task_list', 'taskList', 'job_list', 'jobList', 'entries'],
];
const wrappers = ['data', 'output', 'result', 'response', 'body', 'resp', 'payload', 'page'];
const maxDepth = 8;

/**
 * Reads one page of a task list in any known envelope.
 *
 * @param link the Link header of the reply
 * @returns undefined when this is no task list
 */
export function decodeTaskList(reply: unknown, context: TaskReply = {}, link = ''): TaskPage | undefined {
  const found = findList(withNormalNames(reply));
  if (!found) return undefined;
  const { elements, envelope } = found;
  const tasks = elements.filter(isObject).map((element) => decodeTask(element, context));
  const next = nextPage(envelope, tasks) ?? linked(/<([^<>]+)>\s*;[^,<]*\brel="?next"?/i.exec(link)?.[1]);
  return { tasks, ...(next && tasks.length > 0 && { next }) };
}

interface FoundList {
  readonly elements: readonly unknown[];
  /** The object that says which page this is. */
  readonly envelope: JsonObject;
}

function findList(reply: unknown, depth = 0): FoundList | undefined {
  if (Array.isArray(reply)) return { elements: reply, envelope: {} };
  if (!isObject(reply) || depth > maxDepth) return undefined;
  for (const key of listKeys) {
    const elements = reply[key];
    if (Array.isArray(elements)) return { elements, envelope: reply };
  }
  for (const inner of wrappers.map((key) => reply[key])) {
    const found = isObject(inner) ? findList(inner, depth + 1) : undefined;
    if (found) return { ...found, envelope: { ...reply, ...found.envelope } };
  }
  return listKeys.some((key) => reply[key] === null) ? { elements: [], envelope: reply } : undefined;
}

function nextPage(envelope: JsonObject, tasks: readonly TaskSnapshot[]): TaskQuery | undefined {
  const more = asFlag(envelope.has_more ?? envelope.hasMore);
  if (more === false) return undefined;
  return (
    byToken(envelope) ??
    byAddress(envelope) ??
    byNumber(envelope) ??
    byOffset(envelope, tasks.length) ??
    (more === true ? byLastId(envelope, tasks) : undefined)
  );
}

function byToken(envelope: JsonObject): TaskQuery | undefined {
  const pageToken = nonEmptyString(envelope.nextPageToken ?? envelope.next_page_token);
  if (pageToken) return { pageToken };
  const cursor = nonEmptyString(envelope.next_cursor ?? envelope.nextCursor ?? envelope.cursor);
  return cursor ? { cursor } : undefined;
}

function byAddress({ next, links }: JsonObject): TaskQuery | undefined {
  const text = nonEmptyString(next) ?? (isObject(links) ? nonEmptyString(links.next) : undefined);
  if (text === undefined) return undefined;
  return /^(https?:|[/?])/.test(text) ? linked(text) : { cursor: text };
}

/** Only the query of an address counts, so a list cannot lead a request elsewhere. */
function linked(address: string | undefined): TaskQuery | undefined {
  if (address === undefined || !URL.canParse(address, 'https://list.invalid')) return undefined;
  const query = Object.fromEntries(new URL(address, 'https://list.invalid').searchParams);
  return Object.keys(query).length > 0 ? query : undefined;
}

const numberings = [
  { page: 'page_no', size: 'page_size' },
  { page: 'page_num', size: 'page_size' },
  { page: 'pageNum', size: 'pageSize' },
  { page: 'page', size: 'size' },
  { page: 'page', size: 'page_size' },
] as const;

function byNumber(envelope: JsonObject): TaskQuery | undefined {
  for (const { page, size } of numberings) {
    const at = count(envelope[page]);
    const length = count(envelope[size]);
    if (at === undefined || length === undefined) continue;
    const pages = count(envelope.total_page) ?? Math.ceil((count(envelope.total) ?? 0) / Math.max(length, 1));
    return at < pages ? { [page]: String(at + 1), [size]: String(length) } : undefined;
  }
  return undefined;
}

function byOffset(envelope: JsonObject, length: number): TaskQuery | undefined {
  const offset = count(envelope.offset);
  if (offset === undefined) return undefined;
  const after = offset + length;
  const total = count(envelope.total ?? envelope.count);
  return asFlag(envelope.has_more ?? envelope.hasMore) === true || (total !== undefined && after < total)
    ? { offset: String(after) }
    : undefined;
}

function byLastId(envelope: JsonObject, tasks: readonly TaskSnapshot[]): TaskQuery | undefined {
  const after = nonEmptyString(envelope.last_id ?? envelope.lastId) ?? tasks.at(-1)?.id;
  return after === undefined ? undefined : { after };
}

/** Some gateways write numbers and flags as strings. */
function count(value: unknown): number | undefined {
  const number = typeof value === 'string' && /^\d{1,15}$/.test(value) ? Number(value) : value;
  return Number.isSafeInteger(number) && (number as number) >= 0 ? (number as number) : undefined;
}

function asFlag(value: unknown): boolean | undefined {
  if (typeof value === 'boolean') return value;
  return value === 'true' || value === 'false' ? value === 'true' : undefined;
}
