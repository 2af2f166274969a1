import { isObject, type JsonObject, nonEmptyString } from '../../../base/json.ts';
import type { ReplyHeaders } from '../../../base/replyHeaders.ts';
import { truncate } from '../../../base/truncate.ts';
import { type FoundList, findList, findNextPage, type ListForm, type PageQuery } from '../../listPages.ts';
import { isUnrelatedMember, normalizeNames } from '../taskRecord/memberNames.ts';
import {
  decodeAbilities,
  decodeLimits,
  decodePrefixSupport,
  type ModelAbility,
  type TokenLimits,
} from './modelFacts.ts';
import type { ModelUse } from './modelUse.ts';
import { readReportedUses } from './reportedUses.ts';
import { decodeTokenPrice, type TokenPrice } from './tokenPrice.ts';

/** A model that the account may use. Values that the list does not report are absent. */
export interface Model extends TokenLimits {
  /** The exact id, to be sent unchanged as the request field `model`. */
  readonly id: string;
  /** The upstream or the owner, for grouping; empty if the list reports neither. */
  readonly owner: string;
  /** A display name, if the list has one in addition to the id. */
  readonly name?: string;
  /** Seconds since 1970. */
  readonly created?: number;
  /** The price of a request, if the list reports it. */
  readonly price?: ModelPrice;
  readonly tokenPrice?: TokenPrice;
  /** The uses that the list reports. `findModelUses` determines the actual uses. */
  readonly uses?: readonly ModelUse[];
  readonly abilities?: readonly ModelAbility[];
  /** Whether the model continues a reply that ends the conversation. */
  readonly acceptsPrefix?: boolean;
  /** Whether requests may contain `prompt_cache_key`. */
  readonly acceptsCacheKey?: true;
  /** The models behind an alias: the first twenty. */
  readonly aliasOf?: readonly string[];
}

/** Prices in US dollars, without token prices: tasks are not billed by tokens. */
export interface ModelPrice {
  readonly perRequest?: number;
  /** For each picture in the prompt, in addition to its tokens or instead of them. */
  readonly perPicture?: number;
  /** For each second of the result. */
  readonly perSecond?: number;
}

/** A model list as gateways write it. */
export interface ModelList {
  readonly object: 'list';
  readonly data: readonly {
    readonly id: string;
    readonly object: 'model';
    readonly created: number;
    readonly owned_by: string;
  }[];
}

/** The most models of one list, more than any account uses. */
export const maxModels = 10_000;
/** In characters. Models with longer ids are skipped, because ids are parts of addresses. Longer names are cut. */
const maxIdLength = 1024;
const maxNameLength = 256;

/**
 * Reads a model list of any known format: OpenAI and OpenRouter `{data:[{id}]}`, Anthropic
 * `{data:[{id,display_name,created_at}]}`, Gemini `{models:[{name:'models/x'}]}`, a bare array, an array of ids,
 * lists by provider, and any of these in further envelopes or with names that begin with a capital.
 *
 * Elements without an id are skipped, repeated ids count once, and names that are too long are cut. Only the first
 * 10,000 models are read; `countOmittedModels` counts the rest.
 *
 * @returns the models in the gateway's order, empty also for a list written as null; undefined if this is not a
 * model list, or if no element can be read
 */
export function decodeModelList(reply: unknown): readonly Model[] | undefined {
  return decodeModelEntries(reply)?.map(({ model }) => model);
}

/** A model with its list element. */
interface ModelEntry {
  readonly model: Model;
  readonly entry: JsonObject;
}

/** Like `decodeModelList`, with the elements of the list. */
export function decodeModelEntries(reply: unknown): readonly ModelEntry[] | undefined {
  const elements = findModels(reply)?.elements;
  if (!elements) return undefined;
  const models = new Map<string, ModelEntry>();
  for (const element of elements) {
    const entry = typeof element === 'string' ? { id: element } : element;
    if (!isObject(entry)) continue;
    const model = decodeModel(entry);
    if (model && !models.has(model.id)) models.set(model.id, { model, entry });
    if (models.size === maxModels) break;
  }
  const isUnread = models.size === 0 && elements.some((element) => element !== null);
  return isUnread ? undefined : [...models.values()];
}

/** The query for the next page of a list; undefined after its last page. */
export function findNextModelPage(reply: unknown, headers?: ReplyHeaders): PageQuery | undefined {
  const found = findModels(reply);
  const last = found?.elements.at(-1);
  const lastId = isObject(last) ? readId(last) : undefined;
  return found && findNextPage(found, { count: found.elements.length, lastId }, headers);
}

/** The number of elements of a list that `decodeModelList` does not read. */
export function countOmittedModels(reply: unknown): number {
  return Math.max(0, (findModels(reply)?.elements.length ?? 0) - maxModels);
}

const ownKeys = ['models', 'model_list', 'modelList', 'model_ids', 'modelIds'];
const listForm: ListForm = {
  keys: ['data', ...ownKeys, 'items', 'list', 'result', 'results', 'records', 'rows', 'entries'],
  ownKeys,
  isElement: (object, name) => /model|^(value|content)$/i.test(name) && decodeModel(object) !== undefined,
};

/** Finds the list of models. Member names are normalized only if no element has an id otherwise. */
function findModels(reply: unknown): FoundList | undefined {
  const found = findList(reply, listForm);
  const inner = found && findProviderModels(found.elements);
  if (inner) return { ...found, elements: inner };
  if (found && (found.elements.length === 0 || found.elements.some(hasId))) return found;
  const normalized = normalizeNames(reply);
  // Normalization would change the ids in an object of models by their ids.
  const other = normalized === reply ? undefined : findList(normalized, { ...listForm, ownKeys: [] });
  if (other?.elements.some(hasId)) return other;
  return found ?? findGroupedModels(reply, ['data', ...ownKeys]);
}

function hasId(element: unknown): boolean {
  if (!isObject(element)) return nonEmptyString(element) !== undefined;
  return readId(element) !== undefined || nonEmptyString(element.name) !== undefined;
}

/** The id to send in requests. `name` is not read here: it is only a display name if there is another id. */
function readId(element: JsonObject): string | undefined {
  const { id, model, model_id, modelId, model_name, slug, key } = element;
  return [id, model, model_id, modelId, model_name, slug, key].map(nonEmptyString).find(Boolean);
}

function decodeModel(element: JsonObject): Model | undefined {
  const listedId = readId(element);
  const listedName = nonEmptyString(element.name);
  const id = listedId ?? listedName?.replace(/^models\//, '');
  if (!id || id.length > maxIdLength) return undefined;
  const name =
    nonEmptyString(element.display_name) ??
    nonEmptyString(element.displayName) ??
    (listedId ? listedName : undefined);
  const created = readCreationSeconds(element.created ?? element.created_at);
  const price = decodePrice(element);
  const tokenPrice = decodeTokenPrice(element);
  const uses = readReportedUses(element, id);
  const abilities = decodeAbilities(element);
  const acceptsPrefix = decodePrefixSupport(element);
  const aliasOf = decodeAliasOf(element);
  return {
    id,
    owner: shortenName(
      nonEmptyString(element.upstream) ?? nonEmptyString(element.owned_by) ?? readPublisher(id),
    ),
    ...(name !== undefined && { name: shortenName(name) }),
    ...(created !== undefined && { created }),
    ...decodeLimits(element),
    ...(price && { price }),
    ...(tokenPrice && { tokenPrice }),
    ...(uses && { uses }),
    ...(abilities.length > 0 && { abilities }),
    ...(acceptsPrefix !== undefined && { acceptsPrefix }),
    ...(listsCacheKey(element) && { acceptsCacheKey: true }),
    ...(aliasOf && { aliasOf }),
  };
}

function listsCacheKey({ supported_parameters: names }: JsonObject): boolean {
  return Array.isArray(names) && names.includes('prompt_cache_key');
}

const maxAliasModels = 20;

function decodeAliasOf({ alias_of: models }: JsonObject): readonly string[] | undefined {
  if (!Array.isArray(models)) return undefined;
  return models
    .slice(0, maxAliasModels)
    .filter((model) => typeof model === 'string')
    .map(shortenName);
}

function shortenName(name: string): string {
  return truncate(name, maxNameLength);
}

/** The highest accepted price of a request or a second, in US dollars. Higher prices are in another unit. */
const maxPrice = 10_000;

/**
 * OpenRouter lists `pricing.request` and `pricing.image` as strings, LiteLLM `output_cost_per_second` or
 * `output_cost_per_video_per_second`. A price of 0 means another unit.
 */
function decodePrice(element: JsonObject) {
  const { pricing } = element;
  const perRequest = isObject(pricing) ? readPrice(pricing.request) : undefined;
  const perPicture = isObject(pricing) ? readPicturePrice(pricing) : undefined;
  const perSecond =
    readPrice(element.output_cost_per_video_per_second) ?? readPrice(element.output_cost_per_second);
  if (perRequest === undefined && perPicture === undefined && perSecond === undefined) return undefined;
  return {
    ...(perRequest && { perRequest }),
    ...(perPicture && { perPicture }),
    ...(perSecond && { perSecond }),
  };
}

/** Some providers list the price of an input token in `image`: the same as in `prompt`. It is ignored. */
function readPicturePrice({ image, prompt }: JsonObject): number | undefined {
  const cost = readPrice(image);
  return cost === readPrice(prompt) ? undefined : cost;
}

function readPrice(value: unknown): number | undefined {
  if (typeof value !== 'number' && typeof value !== 'string') return undefined;
  const number = Number(value);
  return number > 0 && number <= maxPrice ? number : undefined;
}

/** Aggregators without an owner field write the owner before the first slash of the id. */
function readPublisher(id: string): string {
  const slash = id.indexOf('/');
  return slash > 0 ? id.slice(0, slash) : '';
}

/** Larger numbers are milliseconds. As seconds, they would be after the year 5138. */
const maxSeconds = 1e11;

function readCreationSeconds(created: unknown): number | undefined {
  if (typeof created === 'number') {
    const seconds = created > maxSeconds ? Math.floor(created / 1000) : created;
    return seconds > maxSeconds || Number.isNaN(new Date(seconds * 1000).getTime()) ? undefined : seconds;
  }
  if (typeof created !== 'string') return undefined;
  const milliseconds = Date.parse(created);
  return Number.isNaN(milliseconds) ? undefined : Math.floor(milliseconds / 1000);
}

/**
 * Finds the models in a list of each provider, as in `{openai:[{id}],anthropic:[{id}]}`, with the provider as the
 * owner of models that have none.
 *
 * @param keys the members that may contain these lists, besides the reply itself
 * @returns undefined if one of them may be a list of something else
 */
function findGroupedModels(reply: unknown, keys: readonly string[]): FoundList | undefined {
  if (!isObject(reply)) return undefined;
  for (const container of [...keys.map((key) => reply[key]), reply]) {
    const elements = isObject(container) ? readGroups(container) : undefined;
    if (elements) return { elements, envelope: reply };
  }
  return undefined;
}

function readGroups(container: JsonObject): readonly JsonObject[] | undefined {
  const members = Object.entries(container);
  const groups = members.filter(([, value]) => Array.isArray(value)) as [string, readonly unknown[]][];
  const hasOthers =
    members.some(([, value]) => isObject(value)) || groups.some(([name]) => isUnrelatedMember(name));
  if (hasOthers || !groups.every(([, list]) => list.every(isModel))) return undefined;
  const elements = groups.flatMap(([owner, list]) => addOwner(owner, list));
  const hasSeveral = groups.filter(([, list]) => list.length > 0).length > 1;
  const areMarkedAsModels = elements.length > 0 && elements.every(({ object }) => object === 'model');
  return hasSeveral || areMarkedAsModels ? elements : undefined;
}

/**
 * The models in the elements of a list of providers, as in `[{provider,models:[{id}]}]`.
 *
 * @returns undefined unless each element contains such a list and is not itself a model
 */
function findProviderModels(elements: readonly unknown[]): readonly JsonObject[] | undefined {
  const models = elements.map((element) => {
    if (!isObject(element) || element.object === 'model' || !Array.isArray(element.models)) return undefined;
    const { provider, name, id, models } = element;
    const owner = [provider, name, id].map(nonEmptyString).find(Boolean) ?? '';
    return models.every(isModel) ? addOwner(owner, models) : undefined;
  });
  const allModels = models.every((each) => each !== undefined) ? models.flat() : [];
  return allModels.length > 0 ? allModels : undefined;
}

function addOwner(owner: string, models: readonly unknown[]): readonly JsonObject[] {
  return models.filter(isObject).map((model) => ({ owned_by: owner, ...model }));
}

function isModel(element: unknown): boolean {
  return isObject(element) && nonEmptyString(element.id) !== undefined && element.message === undefined;
}
