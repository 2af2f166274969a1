import { modelFields } from '../../wire/apis/models/modelFields.ts';
import type { ModelList } from '../../wire/apis/models/modelList.ts';
import { invalidField, type Query, wholeNumber } from '../http/query.ts';
import type { ListedModel } from '../upstreams/upstream.ts';

/** A model as the gateway serves it. */
export interface ServedModel extends ListedModel {
  /** The methods of content generation that it supports. */
  readonly methods: readonly string[];
  /** The name of its upstream; absent where it is an alias. */
  readonly upstream?: string;
  /** The models that answer for an alias, each as `name/id`. */
  readonly aliasOf?: readonly string[];
  /** Whether its upstream could not be asked since it listed the model. */
  readonly isStale: boolean;
}

/** How one API format describes models. */
export interface ModelFormat {
  /** The group of routes in whose format errors are answered. */
  readonly group: string;
  describe(model: ServedModel): object;
  /**
   * A list of models, or one page of it where the format has pages.
   *
   * @throws {HttpError} 400 when the query asks for no valid page
   */
  list(models: readonly ServedModel[], query: Query): object;
}

export const plainModels: ModelFormat = {
  group: 'models',
  describe: plain,
  list: (models) => ({ object: 'list', data: models.map(plain) }) satisfies ModelList,
};

export const messagesModels: ModelFormat = { group: 'messages', describe: ofMessages, list: messagesPage };

export const generationModels: ModelFormat = {
  group: 'contentGeneration',
  describe: ofGeneration,
  list: generationPage,
};

/** What this gateway tells of a model in every format. */
function ownFields({ upstream, aliasOf, isStale }: ServedModel) {
  return {
    ...(upstream !== undefined && { upstream }),
    ...(aliasOf && { alias_of: aliasOf }),
    ...(isStale && { stale: true }),
  };
}

/** With all that the upstream tells of the model. */
function plain(model: ServedModel): ModelList['data'][number] {
  const { id, owner, created, entry } = model;
  const known = { object: 'model' as const, created: created ?? 0, owned_by: owner, ...modelFields(model) };
  return { ...entry, id, ...known, ...ownFields(model) };
}

/**
 * With all that the upstream tells where it lists its models in this format, too. An unknown time is the
 * beginning of 1970, as at the provider.
 */
function ofMessages(model: ServedModel) {
  const { id, name, created = 0, entry } = model;
  const time = new Date(created * 1000);
  const created_at = (Number.isNaN(time.getTime()) ? new Date(0) : time).toISOString();
  const told = entry?.type === 'model' ? entry : undefined;
  return { created_at, ...told, type: 'model' as const, id, display_name: name ?? id, ...ownFields(model) };
}

/** With all that the upstream tells where it lists its models in this format, too. */
function ofGeneration(model: ServedModel) {
  const { id, name, owner, methods, entry } = model;
  const told = Array.isArray(entry?.supportedGenerationMethods) ? entry : undefined;
  return {
    version: '1',
    description: owner === '' ? '' : `A model of ${owner}.`,
    supportedGenerationMethods: methods,
    ...told,
    name: `models/${id}`,
    baseModelId: id,
    displayName: name ?? id,
    ...ownFields(model),
  };
}

/** The most models on a page, whatever the query asks for. */
const maxPageSize = 1_000;

function messagesPage(models: readonly ServedModel[], { limit, after_id, before_id }: Query) {
  const count = pageSize('limit', limit, 20);
  const after = after_id === undefined ? 0 : placeOf(models, 'after_id', after_id) + 1;
  const end = before_id === undefined ? after + count : placeOf(models, 'before_id', before_id);
  const start = before_id === undefined ? after : Math.max(after, end - count);
  const data = models.slice(start, end).map(ofMessages);
  return {
    data,
    has_more: before_id === undefined ? end < models.length : start > after,
    first_id: data[0]?.id ?? null,
    last_id: data.at(-1)?.id ?? null,
  };
}

/** The page token is the id of the last model on the page before. */
function generationPage(models: readonly ServedModel[], { pageSize: size, pageToken: token }: Query) {
  const count = pageSize('pageSize', size === '0' ? undefined : size, 50);
  const before = typeof token === 'string' ? Buffer.from(token, 'base64url').toString() : token;
  const start = token === undefined || token === '' ? 0 : placeOf(models, 'pageToken', before) + 1;
  const page = models.slice(start, start + count);
  const last = start + count < models.length ? page.at(-1) : undefined;
  return {
    models: page.map(ofGeneration),
    ...(last && { nextPageToken: Buffer.from(last.id).toString('base64url') }),
  };
}

function pageSize(field: string, value: Query[string], defaultSize: number): number {
  return Math.min(maxPageSize, wholeNumber(field, value, 'a whole number from 1 up') ?? defaultSize);
}

function placeOf(models: readonly ListedModel[], field: string, sought: Query[string]): number {
  const place = models.findIndex(({ id }) => id === sought);
  if (place < 0) throw invalidField(field, 'one that an earlier page of this list gave');
  return place;
}
