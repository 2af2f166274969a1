import { writeModelFields } from '../../wire/apis/models/modelFields.ts';
import type { ModelList } from '../../wire/apis/models/modelList.ts';
import { invalidFieldError, type Query, readPositiveInteger } from '../http/query.ts';
import type { ListedModel } from '../upstreams/upstream.ts';

/** A model as the gateway serves it. */
export interface ServedModel extends ListedModel {
  /** The methods of content generation that it supports. */
  readonly methods: readonly string[];
  /** The name of its upstream; absent for an alias. */
  readonly upstream?: string;
  /** The models of an alias, each as `name/id`. */
  readonly aliasOf?: readonly string[];
  /** Whether its upstream failed since it listed the model. */
  readonly isStale: boolean;
}

/** The description of models in one API format. */
export interface ModelFormat {
  /** The group of routes, which determines the format of errors. */
  readonly group: string;
  describe(model: ServedModel): object;
  /**
   * Writes a list of models, or one page of it if the format has pages.
   *
   * @throws {HttpError} 400 if the query does not specify a valid page
   */
  list(models: readonly ServedModel[], query: Query): object;
}

export const plainModels: ModelFormat = {
  group: 'models',
  describe: describePlain,
  list: (models) => ({ object: 'list', data: models.map(describePlain) }) satisfies ModelList,
};

export const messagesModels: ModelFormat = {
  group: 'messages',
  describe: describeForMessages,
  list: createMessagesPage,
};

export const generationModels: ModelFormat = {
  group: 'contentGeneration',
  describe: describeForGeneration,
  list: createGenerationPage,
};

/** Creates the gateway's own members of a model, which every format has. */
function createOwnFields({ upstream, aliasOf, isStale }: ServedModel) {
  return {
    ...(upstream !== undefined && { upstream }),
    ...(aliasOf && { alias_of: aliasOf }),
    ...(isStale && { stale: true }),
  };
}

/** Describes a model in the format of the OpenAI API, with all members of the upstream's list entry. */
function describePlain(model: ServedModel): ModelList['data'][number] {
  const { id, owner, created, entry } = model;
  const standardFields = {
    object: 'model' as const,
    created: created ?? 0,
    owned_by: owner,
    ...writeModelFields(model),
  };
  const listedParameters: unknown = entry?.supported_parameters;
  const { supported_parameters: own = [] } = standardFields;
  const supportedParameters = Array.isArray(listedParameters) && {
    supported_parameters: [...new Set([...listedParameters, ...own])],
  };
  return { ...entry, id, ...standardFields, ...supportedParameters, ...createOwnFields(model) };
}

/**
 * Describes a model in the format of the messages API, with all members of the upstream's list entry if the entry
 * has this format. An unknown time is the beginning of 1970, as at the provider.
 */
function describeForMessages(model: ServedModel) {
  const { id, name, created = 0, entry } = model;
  const time = new Date(created * 1000);
  const created_at = (Number.isNaN(time.getTime()) ? new Date(0) : time).toISOString();
  const sameFormatEntry = entry?.type === 'model' ? entry : undefined;
  return {
    created_at,
    ...sameFormatEntry,
    type: 'model' as const,
    id,
    display_name: name ?? id,
    ...createOwnFields(model),
  };
}

/**
 * Describes a model in the format of content generation, with all members of the upstream's list entry if the entry
 * has this format.
 */
function describeForGeneration(model: ServedModel) {
  const { id, name, owner, methods, entry } = model;
  const sameFormatEntry = Array.isArray(entry?.supportedGenerationMethods) ? entry : undefined;
  return {
    version: '1',
    description: owner === '' ? '' : `A model of ${owner}.`,
    supportedGenerationMethods: methods,
    ...sameFormatEntry,
    name: `models/${id}`,
    baseModelId: id,
    displayName: name ?? id,
    ...createOwnFields(model),
  };
}

/** The most models per page, even if the query requests more. */
const maxPageSize = 1_000;

function createMessagesPage(models: readonly ServedModel[], { limit, after_id, before_id }: Query) {
  const count = readPageSize('limit', limit, 20);
  const after = after_id === undefined ? 0 : requireIndex(models, 'after_id', after_id) + 1;
  const end = before_id === undefined ? after + count : requireIndex(models, 'before_id', before_id);
  const start = before_id === undefined ? after : Math.max(after, end - count);
  const data = models.slice(start, end).map(describeForMessages);
  return {
    data,
    has_more: before_id === undefined ? end < models.length : start > after,
    first_id: data[0]?.id ?? null,
    last_id: data.at(-1)?.id ?? null,
  };
}

/** Creates a page. Its token is the ID of the last model of the previous page. */
function createGenerationPage(models: readonly ServedModel[], { pageSize: size, pageToken: token }: Query) {
  const count = readPageSize('pageSize', size === '0' ? undefined : size, 50);
  const before = typeof token === 'string' ? Buffer.from(token, 'base64url').toString() : token;
  const start = token === undefined || token === '' ? 0 : requireIndex(models, 'pageToken', before) + 1;
  const page = models.slice(start, start + count);
  const last = start + count < models.length ? page.at(-1) : undefined;
  return {
    models: page.map(describeForGeneration),
    ...(last && { nextPageToken: Buffer.from(last.id).toString('base64url') }),
  };
}

function readPageSize(field: string, value: Query[string], defaultSize: number): number {
  return Math.min(maxPageSize, readPositiveInteger(field, value, 'a whole number from 1 up') ?? defaultSize);
}

function requireIndex(models: readonly ListedModel[], field: string, expectedId: Query[string]): number {
  const index = models.findIndex(({ id }) => id === expectedId);
  if (index < 0) throw invalidFieldError(field, 'a value from an earlier page of this list');
  return index;
}
