import { isObject, type JsonObject, nonEmptyString, scalarText } from '../../base/json.ts';
import { decodeModelEntries, findNextModelPage, maxModels } from '../../wire/apis/models/modelList.ts';
import type { PageQuery } from '../../wire/listPages.ts';
import { messagesVersion } from './endpoint.ts';
import type { ListedModel } from './upstream.ts';

/** How an upstream lists its models. */
export interface ModelListing {
  /** The path of the first page of each of its lists, with the query. */
  readonly paths: readonly string[];
  readonly headers?: Readonly<Record<string, string>>;
  /** Reads the query for the next page; undefined on the last page. `findNextModelPage` is used if absent. */
  readNext?(page: JsonObject): PageQuery | undefined;
  /** Converts a page to a known form; the page itself is used if absent. */
  normalize?(page: unknown): unknown;
}

/** Creates the listing of an upstream that lists models like the OpenAI API. */
export function createPlainListing(path: string): ModelListing {
  return { paths: [path] };
}

/** Creates the listing of an upstream whose pages report whether there are more, like the messages API. */
export function createMessagesListing(path: string): ModelListing {
  return {
    paths: [`${path}?limit=1000`],
    headers: { 'anthropic-version': messagesVersion },
    readNext({ has_more, last_id }) {
      const last = nonEmptyString(last_id);
      return has_more === true && last !== undefined ? { after_id: last } : undefined;
    },
  };
}

/** Creates the listing of an upstream whose pages have a token for the next page, like the content generation API. */
export function createGenerationListing(path: string): ModelListing {
  return { paths: [`${path}?pageSize=1000`], readNext: readNextToken };
}

/** Creates the listing of the models of some publishers on the cloud platform. The IDs begin with the publisher. */
export function createPublisherListing(publishers: readonly string[]): ModelListing {
  return {
    paths: publishers.map((publisher) => `/v1beta1/publishers/${publisher}/models?pageSize=100`),
    readNext: readNextToken,
    normalize(page) {
      if (!isObject(page)) return undefined;
      const { publisherModels } = page;
      return Array.isArray(publisherModels) ? publisherModels.map(normalizePublisherModel) : undefined;
    },
  };
}

/** Changes the ID `publishers/x/models/y` to `x/y`. */
function normalizePublisherModel(element: unknown): unknown {
  if (!isObject(element)) return element;
  const [, publisher, model] = /^publishers\/([^/]+)\/models\/(.+)$/.exec(scalarText(element.name)) ?? [];
  return model === undefined ? element : { displayName: model, ...element, id: `${publisher}/${model}` };
}

function readNextToken({ nextPageToken }: JsonObject): PageQuery | undefined {
  const pageToken = nonEmptyString(nextPageToken);
  return pageToken === undefined ? undefined : { pageToken };
}

/** The most pages of one list that are read, because a list may be endless. */
const maxPages = 100;

/**
 * Reads all lists of an upstream to their ends. Repeated IDs are listed once.
 *
 * @returns undefined if a page is not a model list
 */
export async function readModels(
  { paths, readNext = findNextModelPage, normalize = (page) => page }: ModelListing,
  readPage: (path: string) => Promise<unknown>,
): Promise<readonly ListedModel[] | undefined> {
  const models = new Map<string, ListedModel>();
  for (const first of paths) {
    const readPaths = new Set<string>();
    let path: string | undefined = first;
    while (
      path !== undefined &&
      !readPaths.has(path) &&
      readPaths.size < maxPages &&
      models.size < maxModels
    ) {
      readPaths.add(path);
      const page = await readPage(path);
      const entries = decodeModelEntries(normalize(page));
      if (!entries) return undefined;
      for (const { model, entry } of entries) {
        if (!models.has(model.id)) models.set(model.id, { ...model, entry });
      }
      const nextQuery = isObject(page) ? readNext(page) : undefined;
      path = nextQuery && `${first}${first.includes('?') ? '&' : '?'}${new URLSearchParams(nextQuery)}`;
    }
  }
  return [...models.values()];
}
