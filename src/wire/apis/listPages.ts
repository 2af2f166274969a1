import { isObject, type JsonObject, nonEmptyString } from '../../base/json.ts';

// Lists of models and of tasks come in many envelopes, and in pages with many kinds of marks.

/** The query of a request for one page of a list. */
export type PageQuery = Readonly<Record<string, string>>;

/** The elements of a page with the object that says which page this is. */
export interface FoundList {
  readonly elements: readonly unknown[];
  readonly envelope: JsonObject;
}

const wrappers = ['data', 'output', 'result', 'response', 'body', 'resp', 'payload', 'page'];
const maxDepth = 8;

/**
 * Finds the list in a reply, within any number of envelopes.
 *
 * @param keys the members that hold a list, the most usual first
 */
export function findList(reply: unknown, keys: readonly string[], depth = 0): FoundList | undefined {
  if (Array.isArray(reply)) return { elements: reply, envelope: {} };
  if (!isObject(reply) || depth > maxDepth) return undefined;
  for (const key of keys) {
    const elements = reply[key];
    if (Array.isArray(elements)) return { elements, envelope: reply };
  }
  for (const inner of wrappers.map((key) => reply[key])) {
    const found = isObject(inner) ? findList(inner, keys, depth + 1) : undefined;
    if (found) return { ...found, envelope: { ...reply, ...found.envelope } };
  }
  return keys.some((key) => reply[key] === null) ? { elements: [], envelope: reply } : undefined;
}

/** The elements of a page, as far as they lead to the next one. */
export interface ListedElements {
  readonly count: number;
  readonly lastId?: string | undefined;
}

/**
 * The query for the next page; undefined after the last one. Only the query of an address counts: a list cannot lead
 * a request with the credential elsewhere.
 *
 * @param link the Link header of the reply
 */
export function nextPage(
  { envelope }: Pick<FoundList, 'envelope'>,
  listed: ListedElements,
  link = '',
): PageQuery | undefined {
  const marks = withInnerMarks(envelope);
  const more = hasMore(marks);
  if (more === false) return undefined;
  return (
    byToken(marks) ??
    byAddress(marks) ??
    byNumber(marks, more) ??
    byOffset(marks, listed.count, more) ??
    (more === true ? byLastId(marks, listed) : undefined) ??
    linked(/<([^<>]{1,4096})>\s{0,9};[^,<>]{0,200}\brel="?next"?/i.exec(link)?.[1])
  );
}

/** Objects beside or around the list that hold the marks of its pages. */
const markKeys = [
  ...['meta', 'metadata', 'pagination', 'paging', 'page_info', 'pageInfo', 'pager', 'page', 'cursors'],
  ...['links', '_links'],
];
const maxMarkDepth = 3;

/** The envelope with the marks of the objects in it; its own come first. */
function withInnerMarks(envelope: JsonObject, depth = 0): JsonObject {
  const inner = depth === maxMarkDepth ? [] : markKeys.map((key) => envelope[key]).filter(isObject);
  const marks = inner.map((each) => withInnerMarks(each, depth + 1)).toReversed();
  const own = Object.entries(envelope).filter(([key, value]) => !(markKeys.includes(key) && isObject(value)));
  return Object.assign({}, ...marks, Object.fromEntries(own));
}

function hasMore(marks: JsonObject): boolean | undefined {
  return ['has_more', 'hasMore', 'has_next', 'hasNext', 'has_next_page', 'hasNextPage']
    .map((name) => asFlag(marks[name]))
    .find((flag) => flag !== undefined);
}

/** The members that hold a token of the next page, each with the name by which it is sent. */
const tokens: readonly (readonly [sentAs: string, ...names: string[]])[] = [
  ['pageToken', 'nextPageToken', 'next_page_token'],
  ['cursor', 'next_cursor', 'nextCursor', 'cursor', 'end_cursor', 'endCursor'],
  ['nextToken', 'nextToken'],
  ['next_token', 'next_token'],
  ['continuationToken', 'continuationToken', 'nextContinuationToken'],
  ['continuation_token', 'continuation_token'],
  ['after', 'after'],
  ['page', 'next_page', 'nextPage'],
  ['offset', 'next_offset', 'nextOffset'],
];

function byToken(marks: JsonObject): PageQuery | undefined {
  for (const [sentAs, ...names] of tokens) {
    const token = names.map((name) => tokenOf(marks[name])).find((each) => each !== undefined);
    if (token !== undefined) return isAddress(token) ? linked(token) : { [sentAs]: token };
  }
  return undefined;
}

/** Longer tokens fit into no address. */
const maxTokenLength = 4096;

function tokenOf(value: unknown): string | undefined {
  if (Number.isSafeInteger(value) && (value as number) > 0) return String(value);
  const token = nonEmptyString(value);
  return token !== undefined && token.length <= maxTokenLength ? token : undefined;
}

function byAddress({ next }: JsonObject): PageQuery | undefined {
  const { href, url, cursor } = isObject(next) ? next : {};
  const text = tokenOf(next) ?? tokenOf(href) ?? tokenOf(url) ?? tokenOf(cursor);
  if (text === undefined) return undefined;
  if (isAddress(text)) return linked(text);
  return typeof next === 'number' ? { page: text } : { cursor: text };
}

function isAddress(text: string): boolean {
  return /^(https?:|[/?])/.test(text);
}

function linked(address: string | undefined): PageQuery | undefined {
  if (address === undefined || !URL.canParse(address, 'https://list.invalid')) return undefined;
  const query = Object.fromEntries(new URL(address, 'https://list.invalid').searchParams);
  return Object.keys(query).length > 0 ? query : undefined;
}

/** The members for the number of a page and for its length, each with the name by which it is sent. */
const numberings: readonly (readonly [page: string, size: string, sentPage?: string, sentSize?: string])[] = [
  ['page_no', 'page_size'],
  ['page_num', 'page_size'],
  ['pageNum', 'pageSize'],
  ['pageNo', 'pageSize'],
  ['pageNumber', 'pageSize'],
  ['page', 'size'],
  ['page', 'page_size'],
  ['page', 'pageSize'],
  ['page', 'per_page'],
  ['page', 'limit'],
  ['current_page', 'per_page', 'page', 'per_page'],
  ['current', 'size'],
];

function byNumber(marks: JsonObject, more: boolean | undefined): PageQuery | undefined {
  for (const [page, size, sentPage = page, sentSize = size] of numberings) {
    const at = count(marks[page]);
    const length = count(marks[size]);
    if (at === undefined || length === undefined) continue;
    const pages = pageCount(marks) ?? Math.ceil((count(marks.total) ?? 0) / Math.max(length, 1));
    return at < pages || more ? { [sentPage]: String(at + 1), [sentSize]: String(length) } : undefined;
  }
  const at = count(marks.page ?? marks.current_page ?? marks.currentPage);
  return at !== undefined && at < (pageCount(marks) ?? 0) ? { page: String(at + 1) } : undefined;
}

function pageCount(marks: JsonObject): number | undefined {
  return ['total_page', 'total_pages', 'totalPages', 'last_page', 'page_count', 'pageCount', 'pages']
    .map((name) => count(marks[name]))
    .find((pages) => pages !== undefined);
}

function byOffset(marks: JsonObject, length: number, more: boolean | undefined): PageQuery | undefined {
  const offset = count(marks.offset);
  if (offset === undefined) return undefined;
  const after = offset + length;
  const total = count(marks.total ?? marks.count);
  return more === true || (total !== undefined && after < total) ? { offset: String(after) } : undefined;
}

/** Anthropic names the first element too, and no kind of object. */
function byLastId(marks: JsonObject, { lastId }: ListedElements): PageQuery | undefined {
  const after = tokenOf(marks.last_id ?? marks.lastId) ?? lastId;
  if (after === undefined) return undefined;
  const isAnthropic = marks.first_id !== undefined && marks.object === undefined;
  return { [isAnthropic ? 'after_id' : 'after']: after };
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
