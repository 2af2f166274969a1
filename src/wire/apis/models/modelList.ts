import { isObject, type JsonObject, nonEmptyString } from '../../../base/json.ts';
import { truncate } from '../../../base/truncate.ts';
import { type FoundList, findList, type ListForm, nextPage, type PageQuery } from '../../listPages.ts';
import type { ReplyHeaders } from '../../retryHint.ts';
import { withNormalNames } from '../taskRecord/spelling.ts';
import { groupedModels, modelsOfProviders } from './groupedModels.ts';
import {
  decodeAbilities,
  decodeLimits,
  decodeTakesPrefix,
  type ModelAbility,
  type TokenLimits,
} from './modelFacts.ts';
import type { ModelUse } from './modelUse.ts';
import { decodeTokenPrice, type TokenPrice } from './tokenPrice.ts';
import { toldUses } from './toldUses.ts';

/** A model that the account may use. What the list does not tell is absent. */
export interface Model extends TokenLimits {
  /** The exact id, to be sent unchanged as the request field `model`. */
  readonly id: string;
  /** The upstream or the owner, for grouping; empty when the list tells neither. */
  readonly owner: string;
  /** A name for people, if the list has one beside the id. */
  readonly name?: string;
  /** Seconds since 1970. */
  readonly created?: number;
  /** The price of a request, if the list tells it. */
  readonly price?: ModelPrice;
  readonly tokenPrice?: TokenPrice;
  /** What the list says that it is for. `usesOf` decides. */
  readonly uses?: readonly ModelUse[];
  readonly abilities?: readonly ModelAbility[];
  /** Whether it goes on with a reply that ends the conversation. */
  readonly takesPrefix?: boolean;
  /** The models that it stands for, where it is an alias: the first twenty. */
  readonly aliasOf?: readonly string[];
}

/** Prices in US dollars, without those of tokens: tasks are not billed by tokens. */
export interface ModelPrice {
  readonly perRequest?: number;
  /** For each picture that goes along with a question, beside its tokens or in their place. */
  readonly perPicture?: number;
  /** For each second of the result. */
  readonly perSecond?: number;
}

/** A list as gateways write it. */
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
/** Ids go into addresses. Longer ids are skipped, and longer names are cut; in characters. */
const maxIdLength = 1024;
const maxNameLength = 256;

/**
 * Reads a model list of any known format: OpenAI and OpenRouter `{data:[{id}]}`, Anthropic
 * `{data:[{id,display_name,created_at}]}`, Gemini `{models:[{name:'models/x'}]}`, a bare array, ids alone, lists by
 * provider, and any of these in further envelopes or with names that begin with a capital.
 *
 * Elements without an id are skipped, repeated ids count once, and names that are too long are cut. Only the
 * first 10,000 models are read; `countOmittedModels` counts the rest.
 *
 * @returns the models in the gateway's order, none also for a list written as null; undefined when this is no
 * model list, and when nothing in it can be read
 */
export function decodeModelList(reply: unknown): readonly Model[] | undefined {
  return decodeModelEntries(reply)?.map(({ model }) => model);
}

/** A model with all that a list says of it. */
export interface ModelEntry {
  readonly model: Model;
  readonly entry: JsonObject;
}

/** Like `decodeModelList`, with the elements of the list themselves. */
export function decodeModelEntries(reply: unknown): readonly ModelEntry[] | undefined {
  const elements = listIn(reply)?.elements;
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
export function nextModelPage(reply: unknown, headers?: ReplyHeaders): PageQuery | undefined {
  const found = listIn(reply);
  const last = found?.elements.at(-1);
  const lastId = isObject(last) ? idIn(last) : undefined;
  return found && nextPage(found, { count: found.elements.length, lastId }, headers);
}

/** How many elements of a list `decodeModelList` does not read. */
export function countOmittedModels(reply: unknown): number {
  return Math.max(0, (listIn(reply)?.elements.length ?? 0) - maxModels);
}

const ownKeys = ['models', 'model_list', 'modelList', 'model_ids', 'modelIds'];
const form: ListForm = {
  keys: ['data', ...ownKeys, 'items', 'list', 'result', 'results', 'records', 'rows', 'entries'],
  ownKeys,
  isElement: (object, name) => /model|^(value|content)$/i.test(name) && decodeModel(object) !== undefined,
};

/** Normal member names count only where the list has no id as it is written, so that no other list changes. */
function listIn(reply: unknown): FoundList | undefined {
  const found = findList(reply, form);
  const inner = found && modelsOfProviders(found.elements);
  if (inner) return { ...found, elements: inner };
  if (found && (found.elements.length === 0 || found.elements.some(tellsId))) return found;
  const respelled = withNormalNames(reply);
  // An object of models by their ids would lose the spelling of these.
  const other = respelled === reply ? undefined : findList(respelled, { ...form, ownKeys: [] });
  if (other?.elements.some(tellsId)) return other;
  return found ?? groupedModels(reply, ['data', ...ownKeys]);
}

function tellsId(element: unknown): boolean {
  if (!isObject(element)) return nonEmptyString(element) !== undefined;
  return idIn(element) !== undefined || nonEmptyString(element.name) !== undefined;
}

/** The id that requests send; a `name` is for people where there is another one. */
function idIn(element: JsonObject): string | undefined {
  const { id, model, model_id, modelId, model_name, slug, key } = element;
  return [id, model, model_id, modelId, model_name, slug, key].map(nonEmptyString).find(Boolean);
}

function decodeModel(element: JsonObject): Model | undefined {
  const listedId = idIn(element);
  const listedName = nonEmptyString(element.name);
  const id = listedId ?? listedName?.replace(/^models\//, '');
  if (!id || id.length > maxIdLength) return undefined;
  const name =
    nonEmptyString(element.display_name) ??
    nonEmptyString(element.displayName) ??
    (listedId ? listedName : undefined);
  const created = creationSeconds(element.created ?? element.created_at);
  const price = decodePrice(element);
  const tokenPrice = decodeTokenPrice(element);
  const uses = toldUses(element, id);
  const abilities = decodeAbilities(element);
  const takesPrefix = decodeTakesPrefix(element);
  const aliasOf = decodeAliasOf(element);
  return {
    id,
    owner: short(nonEmptyString(element.upstream) ?? nonEmptyString(element.owned_by) ?? publisherPrefix(id)),
    ...(name !== undefined && { name: short(name) }),
    ...(created !== undefined && { created }),
    ...decodeLimits(element),
    ...(price && { price }),
    ...(tokenPrice && { tokenPrice }),
    ...(uses && { uses }),
    ...(abilities.length > 0 && { abilities }),
    ...(takesPrefix !== undefined && { takesPrefix }),
    ...(aliasOf && { aliasOf }),
  };
}

const maxAliasModels = 20;

function decodeAliasOf({ alias_of: models }: JsonObject): readonly string[] | undefined {
  if (!Array.isArray(models)) return undefined;
  return models
    .slice(0, maxAliasModels)
    .filter((model) => typeof model === 'string')
    .map(short);
}

function short(name: string): string {
  return truncate(name, maxNameLength);
}

/** The most that counts as the price of a request or a second, in US dollars; more is one in another unit. */
const maxPrice = 10_000;

/**
 * OpenRouter lists `pricing.request` and `pricing.image` as strings, LiteLLM `output_cost_per_second` or
 * `output_cost_per_video_per_second`. A price of 0 means another unit.
 */
function decodePrice(element: Readonly<Record<string, unknown>>) {
  const { pricing } = element;
  const perRequest = isObject(pricing) ? positive(pricing.request) : undefined;
  const perPicture = isObject(pricing) ? pictureCost(pricing) : undefined;
  const perSecond =
    positive(element.output_cost_per_video_per_second) ?? positive(element.output_cost_per_second);
  if (perRequest === undefined && perPicture === undefined && perSecond === undefined) return undefined;
  return {
    ...(perRequest && { perRequest }),
    ...(perPicture && { perPicture }),
    ...(perSecond && { perSecond }),
  };
}

/** Some providers list the price of a token there, which is that of any other token asked. */
function pictureCost({ image, prompt }: Readonly<Record<string, unknown>>): number | undefined {
  const cost = positive(image);
  return cost === positive(prompt) ? undefined : cost;
}

function positive(value: unknown): number | undefined {
  if (typeof value !== 'number' && typeof value !== 'string') return undefined;
  const number = Number(value);
  return number > 0 && number <= maxPrice ? number : undefined;
}

/** Aggregators that name no owner put it before the first slash of the id. */
function publisherPrefix(id: string): string {
  const slash = id.indexOf('/');
  return slash > 0 ? id.slice(0, slash) : '';
}

function creationSeconds(created: unknown): number | undefined {
  if (typeof created === 'number')
    return Number.isNaN(new Date(created * 1000).getTime()) ? undefined : created;
  if (typeof created !== 'string') return undefined;
  const milliseconds = Date.parse(created);
  return Number.isNaN(milliseconds) ? undefined : Math.floor(milliseconds / 1000);
}
