import { isCount, isObject, type JsonObject, nonEmptyString } from '../base/json.ts';
import type { ReplyHeaders } from '../base/replyHeaders.ts';

// Lists of models and of tasks have many envelopes, and many ways to mark their pages.

/** The query of a request for one page of a list. */
export type PageQuery = Readonly<Record<string, string>>;

/** A list ends after this many pages in a row without new elements. */
const maxEmptyPages = 3;

/** The most pages of one list, in case it never ends. */
const maxPages = 100;

/**
 * Reads the pages of a list one after another: until its last page, a query that repeats, or some pages in a row
 * without new elements.
 *
 * @param count the number of elements that the caller has from the previous pages
 */
export async function* followPages<Page extends { readonly next?: PageQuery | undefined }>(
  readPage: (query: PageQuery) => Promise<Page>,
  count: () => number,
): AsyncGenerator<Page> {
  const queries = new Set<string>();
  let emptyPages = 0;
  let query: PageQuery | undefined = {};
  while (query && queries.size < maxPages && !queries.has(JSON.stringify(query))) {
    queries.add(JSON.stringify(query));
    const before = count();
    const page: Page = await readPage(query);
    yield page;
    emptyPages = count() > before ? 0 : emptyPages + 1;
    query = emptyPages < maxEmptyPages ? page.next : undefined;
  }
}

/** The elements of a page, and the object with its page marks: the members that lead to the next page. */
export interface FoundList {
  readonly elements: readonly unknown[];
  readonly envelope: JsonObject;
}

/** How to find the elements of a list. */
export interface ListForm {
  /** The members that contain a list, the most usual first. */
  readonly keys: readonly string[];
  /** The `keys` whose name describes the elements. These members may contain an object of elements by their ids. */
  readonly ownKeys: readonly string[];
  /** Whether an object is an element, for lists in members with another `name`. */
  readonly isElement: (object: JsonObject, name: string) => boolean;
}

const wrappers = ['data', 'output', 'result', 'response', 'body', 'resp', 'payload', 'page'];
const maxDepth = 8;

/** Finds the list in a reply, within any number of envelopes. */
export function findList(reply: unknown, form: ListForm): FoundList | undefined {
  return findInEnvelopes(reply, form, 0) ?? findInOtherMember(reply, form, 0);
}

function findInEnvelopes(reply: unknown, form: ListForm, depth: number): FoundList | undefined {
  if (Array.isArray(reply)) return { elements: reply, envelope: {} };
  if (!isObject(reply) || depth > maxDepth) return undefined;
  const { keys, ownKeys } = form;
  for (const key of keys) {
    const elements = reply[key];
    if (Array.isArray(elements)) return { elements, envelope: reply };
  }
  for (const inner of [...new Set([...wrappers, ...keys])].map((key) => reply[key])) {
    const found = isObject(inner) ? findInEnvelopes(inner, form, depth + 1) : undefined;
    if (found) return { ...found, envelope: { ...reply, ...found.envelope } };
  }
  for (const elements of ownKeys.map((key) => reply[key]).filter(isObject)) {
    const elementsWithIds = Object.entries(elements).map(
      ([id, element]) => isObject(element) && { id, ...element },
    );
    if (elementsWithIds.length > 0 && elementsWithIds.every(Boolean))
      return { elements: elementsWithIds, envelope: reply };
  }
  return keys.some((key) => reply[key] === null) ? { elements: [], envelope: reply } : undefined;
}

function findElements(value: unknown, name: string, { isElement }: ListForm): readonly unknown[] {
  return Array.isArray(value) && value.every((each) => isObject(each) && isElement(each, name)) ? value : [];
}

/** The lists in members with other names, such as `asyncInvokeSummaries`, or one for each group. */
function findInOtherMember(reply: unknown, form: ListForm, depth: number): FoundList | undefined {
  if (!isObject(reply) || depth > maxDepth) return undefined;
  const lists = Object.keys(reply).flatMap((name) => findElements(reply[name], name, form));
  if (lists.length > 0) return { elements: lists, envelope: reply };
  for (const inner of wrappers.map((key) => reply[key])) {
    const found = findInOtherMember(inner, form, depth + 1);
    if (found) return { ...found, envelope: { ...reply, ...found.envelope } };
  }
  return undefined;
}

/** The data of a page's elements that the query for the next page needs. */
interface ListedElements {
  readonly count: number;
  readonly lastId?: string | undefined;
}

/**
 * The query for the next page; undefined after the last one. Only the query part of an address is used, so that a
 * list cannot redirect the credential to another host. After a page without elements, only a token or an address
 * counts.
 *
 * @param headers the headers of the reply
 */
export function findNextPage(
  { envelope }: Pick<FoundList, 'envelope'>,
  listed: ListedElements,
  headers: ReplyHeaders = {},
): PageQuery | undefined {
  const marks = mergeInnerMarks(envelope);
  const more = readHasMore(marks);
  if (more === false) return undefined;
  const query = findByToken(marks) ?? findByAddress(marks);
  if (query || listed.count === 0) return query;
  return (
    findByNumber(marks, more) ??
    findByOffset(marks, listed.count, more) ??
    (more === true ? findByLastId(marks, listed) : undefined) ??
    findByHeader(headers)
  );
}

/** Names of objects next to or around the list that contain its page marks. */
const markContainer =
  /^(?:(?:response_?)?meta(?:_?data)?|pag(?:e|er|ing|ination)|(?:page|result|list)_?info|cursors?|_?links)$/i;
const maxMarkDepth = 3;

/** The envelope merged with the marks of the objects in it. Its own marks take precedence. */
function mergeInnerMarks(envelope: JsonObject, depth = 0): JsonObject {
  const inner =
    depth === maxMarkDepth
      ? []
      : Object.entries(envelope).flatMap(([key, value]) =>
          isObject(value) && markContainer.test(key) ? [value] : [],
        );
  const marks = inner.map((each) => mergeInnerMarks(each, depth + 1)).toReversed();
  const own = Object.entries(envelope).filter(
    ([key, value]) => !(markContainer.test(key) && isObject(value)),
  );
  return Object.fromEntries([...marks.flatMap((each) => Object.entries(each)), ...own]);
}

function readHasMore(marks: JsonObject): boolean | undefined {
  const flags = Object.entries(marks).map(([name, value]) => {
    const flag = readFlag(value);
    if (flag === undefined) return undefined;
    if (/^(?:has_?(?:more|next)(?:_?page)?|more|next)$/i.test(name)) return flag;
    return /^(?:is_?)?(?:last|end|last_?page)$/i.test(name) ? !flag : undefined;
  });
  return flags.find((flag) => flag !== undefined);
}

/** The members that contain a token of the next page, each with its query parameter. */
const tokens: readonly (readonly [sentAs: string, ...names: string[]])[] = [
  ['pageToken', 'nextPageToken'],
  ['page_token', 'next_page_token'],
  ['cursor', 'next_cursor', 'nextCursor', 'cursor', 'end_cursor', 'endCursor'],
  ['nextToken', 'nextToken'],
  ['next_token', 'next_token'],
  ['continuationToken', 'continuationToken', 'nextContinuationToken'],
  ['continuation_token', 'continuation_token'],
  ['marker', 'nextMarker', 'next_marker', 'NextMarker'],
  ['after', 'after'],
  ['page', 'next_page', 'nextPage'],
  ['offset', 'next_offset', 'nextOffset'],
];

function findByToken(marks: JsonObject): PageQuery | undefined {
  for (const [sentAs, ...names] of tokens) {
    const token = names.map((name) => readToken(marks[name])).find((each) => each !== undefined);
    if (token !== undefined) return isAddress(token) ? readQuery(token) : { [sentAs]: token };
  }
  return undefined;
}

/** Longer tokens do not fit into an address. */
const maxTokenLength = 4096;

/** Some gateways write a word or a number if there is no further page. */
function readToken(value: unknown): string | undefined {
  if (Number.isSafeInteger(value) && (value as number) > 0) return String(value);
  const token = nonEmptyString(value);
  return token !== undefined &&
    token.length <= maxTokenLength &&
    !/^(?:\s*|null|nil|none|undefined|false|0|-1)$/i.test(token)
    ? token
    : undefined;
}

const addressNames = /^(?:@odata\.)?next_?(?:page_?)?(?:link|url|uri|href)$/i;
/** Members of an object that describes the next page. Each is sent by its own name. */
const pageNames = /^(?:page|after|offset|skip|start|limit|page_?(?:token|size|no|num|number))$/i;

function findByAddress(marks: JsonObject): PageQuery | undefined {
  const { next } = marks;
  const linkedPage = Object.values(marks).filter(Array.isArray).flat().find(isNextLink);
  const { href, url, link, cursor, token, ...others } = isObject(next) ? next : (linkedPage ?? {});
  const address = Object.entries(marks).find(([name]) => addressNames.test(name))?.[1];
  const text = [next, address, href, url, link, cursor, token]
    .map(readToken)
    .find((each) => each !== undefined);
  if (text === undefined) {
    const fields = Object.entries(others).flatMap(([name, value]) => {
      const token = pageNames.test(name) ? readToken(value) : undefined;
      return token === undefined ? [] : [[name, token] as const];
    });
    return fields.length > 0 ? Object.fromEntries(fields) : undefined;
  }
  if (isAddress(text)) return readQuery(text);
  return typeof next === 'number' ? { page: text } : { cursor: text };
}

function isNextLink(link: unknown): link is JsonObject {
  return isObject(link) && link.rel === 'next';
}

function isAddress(text: string): boolean {
  return /^(https?:|[/?])/.test(text);
}

function readQuery(address: string | undefined): PageQuery | undefined {
  if (address === undefined || !URL.canParse(address, 'https://list.invalid')) return undefined;
  const query = Object.fromEntries(new URL(address, 'https://list.invalid').searchParams);
  return Object.keys(query).length > 0 ? query : undefined;
}

/** The header Link, with the parameters in any order, and GitLab's X-Next-Page. */
function findByHeader(headers: ReplyHeaders): PageQuery | undefined {
  const link = [headers.link ?? []].flat().join(', ');
  const [, address] = /<([^<>]{1,4096})>[^<>]{0,200}?;\s{0,9}rel=(?:"next"|next\b)/i.exec(link) ?? [];
  const page = readToken([headers['x-next-page'] ?? []].flat()[0]);
  return readQuery(address) ?? (page === undefined ? undefined : { page });
}

/** The members for the page number and for the page size, each with its query parameter. */
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

function findByNumber(marks: JsonObject, more: boolean | undefined): PageQuery | undefined {
  for (const [page, size, sentPage = page, sentSize = size] of numberings) {
    const at = readCount(marks[page]);
    const length = readCount(marks[size]);
    if (at === undefined || length === undefined) continue;
    const pages = readPageCount(marks) ?? Math.ceil((readTotal(marks) ?? 0) / Math.max(length, 1));
    return at < pages || more ? { [sentPage]: String(at + 1), [sentSize]: String(length) } : undefined;
  }
  // Spring counts pages from 0.
  const pageFromZero = readCount(marks.number);
  if (pageFromZero !== undefined && (more || pageFromZero + 1 < (readPageCount(marks) ?? 0)))
    return { page: String(pageFromZero + 1) };
  const at = readCount(marks.page ?? marks.current_page ?? marks.currentPage);
  return at !== undefined && (more || at < (readPageCount(marks) ?? 0))
    ? { page: String(at + 1) }
    : undefined;
}

function readPageCount(marks: JsonObject): number | undefined {
  return ['total_page', 'total_pages', 'totalPages', 'last_page', 'page_count', 'pageCount', 'pages']
    .map((name) => readCount(marks[name]))
    .find((pages) => pages !== undefined);
}

function readTotal(marks: JsonObject): number | undefined {
  return ['total', 'total_count', 'totalCount', 'total_items', 'totalItems', 'totalElements']
    .map((name) => readCount(marks[name]))
    .find((total) => total !== undefined);
}

function findByOffset(marks: JsonObject, length: number, more: boolean | undefined): PageQuery | undefined {
  const name = ['offset', 'skip', 'start'].find((each) => readCount(marks[each]) !== undefined);
  if (name === undefined) return undefined;
  const after = (readCount(marks[name]) ?? 0) + length;
  const total = readTotal(marks) ?? readCount(marks.count);
  return more === true || (total !== undefined && after < total) ? { [name]: String(after) } : undefined;
}

/** Anthropic also reports the first element, and has no `object` member. */
function findByLastId(marks: JsonObject, { lastId }: ListedElements): PageQuery | undefined {
  const after = readToken(marks.last_id ?? marks.lastId) ?? lastId;
  if (after === undefined) return undefined;
  const isAnthropic = marks.first_id !== undefined && marks.object === undefined;
  return { [isAnthropic ? 'after_id' : 'after']: after };
}

/** Some gateways write numbers and flags as strings. */
function readCount(value: unknown): number | undefined {
  const number = typeof value === 'string' && /^\d{1,15}$/.test(value) ? Number(value) : value;
  return isCount(number) ? number : undefined;
}

function readFlag(value: unknown): boolean | undefined {
  if (typeof value === 'boolean') return value;
  return value === 'true' || value === 'false' ? value === 'true' : undefined;
}
