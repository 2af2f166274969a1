import { isObject, type JsonObject, nonEmptyString } from '../../base/json.ts';
import { decodeModelEntries, maxModels, nextModelPage } from '../../wire/apis/models/modelList.ts';
import type { PageQuery } from '../../wire/listPages.ts';
import { messagesVersion } from './formatEndpoints.ts';
import type { ListedModel } from './upstream.ts';

/** How an upstream lists its models. */
export interface ModelListing {
  /** The first page of each of its lists, with the query. */
  readonly paths: readonly string[];
  readonly headers?: Readonly<Record<string, string>>;
  /** The query that leads to the next page; undefined on the last page. By default as the page tells it. */
  next?(page: JsonObject): PageQuery | undefined;
  /** The page in a form that is known; the page itself where absent. */
  known?(page: unknown): unknown;
}

/** One list, as of the OpenAI API. */
export function plainList(path: string): ModelListing {
  return { paths: [path] };
}

/** Pages that say whether there are more, as of the messages API. */
export function messagesPages(path: string): ModelListing {
  return {
    paths: [`${path}?limit=1000`],
    headers: { 'anthropic-version': messagesVersion },
    next({ has_more, last_id }) {
      const last = nonEmptyString(last_id);
      return has_more === true && last !== undefined ? { after_id: last } : undefined;
    },
  };
}

/** Pages with a token of the next one, as of the content generation API. */
export function generationPages(path: string): ModelListing {
  return { paths: [`${path}?pageSize=1000`], next: nextToken };
}

/** The models of each publisher on the cloud platform. Their ids begin with the publisher. */
export function publisherPages(version: string, publishers: readonly string[]): ModelListing {
  return {
    paths: publishers.map((publisher) => `${version}/publishers/${publisher}/models?pageSize=100`),
    next: nextToken,
    known(page) {
      if (!isObject(page)) return undefined;
      const { publisherModels } = page;
      return Array.isArray(publisherModels) ? publisherModels.map(withPublisher) : undefined;
    },
  };
}

/** `publishers/x/models/y` is y of x. */
function withPublisher(element: unknown): unknown {
  if (!isObject(element)) return element;
  const [, publisher, model] = /^publishers\/([^/]+)\/models\/(.+)$/.exec(String(element.name)) ?? [];
  return model === undefined ? element : { displayName: model, ...element, id: `${publisher}/${model}` };
}

function nextToken({ nextPageToken }: JsonObject): PageQuery | undefined {
  const pageToken = nonEmptyString(nextPageToken);
  return pageToken === undefined ? undefined : { pageToken };
}

/** More pages are an upstream that never ends. */
const maxPages = 100;

/**
 * Reads all lists of an upstream to their ends. Repeated ids count once.
 *
 * @param ask reads one page
 * @returns undefined when a page is no model list
 */
export async function readModels(
  { paths, next = nextModelPage, known = (page) => page }: ModelListing,
  ask: (path: string) => Promise<unknown>,
): Promise<readonly ListedModel[] | undefined> {
  const models = new Map<string, ListedModel>();
  for (const first of paths) {
    const asked = new Set<string>();
    let path: string | undefined = first;
    while (path !== undefined && !asked.has(path) && asked.size < maxPages && models.size < maxModels) {
      asked.add(path);
      const page = await ask(path);
      const entries = decodeModelEntries(known(page));
      if (!entries) return undefined;
      for (const { model, entry } of entries) {
        if (!models.has(model.id)) models.set(model.id, { ...model, entry });
      }
      const more = isObject(page) ? next(page) : undefined;
      path = more && `${first}${first.includes('?') ? '&' : '?'}${new URLSearchParams(more)}`;
    }
  }
  return [...models.values()];
}
