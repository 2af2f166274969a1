import { isObject, type JsonObject, nonEmptyString } from '../../base/json.ts';
import { createModelMatcher } from '../../base/modelPattern.ts';
import type { Price } from '../../tasks/record/taskSpending.ts';
import { type ModelUse, readModelUse } from '../../wire/apis/models/modelUse.ts';
import { serviceTiers } from '../../wire/apis/models/serviceTier.ts';
import { isTokenPrice, type TokenPrice, type TokenRates } from '../../wire/apis/models/tokenPrice.ts';
import { readTextFormatId, type TextFormatId } from '../../wire/apis/textFormats.ts';
import { type ThinkTags, thinkTagForms } from '../../wire/stream/thinkTags.ts';

/** Properties of a model for VS Code's own chat. Unknown properties are absent. */
export interface ModelFacts {
  /** The real family of the model. VS Code has different instructions for each family. */
  readonly family?: string;
  /** Tokens of the prompt and its reply together. */
  readonly contextLength?: number;
  /** Tokens of the reply. */
  readonly maxOutput?: number;
  /** Whether the model can call tools; a number also limits the tools of a request. */
  readonly tools?: boolean | number;
  readonly pictures?: boolean;
  readonly reasoning?: boolean;
}

/** An entry of the setting; its invalid fields are absent. */
interface ModelRule {
  readonly matches: (model: string) => boolean;
  readonly format: TextFormatId | undefined;
  readonly use: ModelUse | undefined;
  readonly offered: boolean | undefined;
  readonly facts: ModelFacts;
  readonly thinkTags: ThinkTags | undefined;
  readonly tokenPrice: TokenPrice | undefined;
  readonly videoPrice: Price | undefined;
}

/**
 * The user's settings of models. An entry applies to the models whose ids match its pattern. For each field, the first
 * matching entry with the field is used.
 */
export class ModelRules {
  readonly #rules: readonly ModelRule[];

  /** @param entries the value of the setting `modelGateway.models`; invalid entries are skipped */
  constructor(entries?: unknown) {
    this.#rules = Array.isArray(entries) ? entries.flatMap((entry) => readRule(entry) ?? []) : [];
  }

  /** The API format of requests to the model. */
  format(model: string): TextFormatId | undefined {
    return this.#first(model, 'format');
  }

  use(model: string): ModelUse | undefined {
    return this.#first(model, 'use');
  }

  /** Whether VS Code's own chat offers the model. */
  offered(model: string): boolean | undefined {
    return this.#first(model, 'offered');
  }

  /** The facts about the model. For each fact, the first matching entry with the fact is used. */
  facts(model: string): ModelFacts {
    const matchingRules = this.#rules.filter(({ matches }) => matches(model));
    return Object.assign({}, ...matchingRules.toReversed().map(({ facts }) => facts));
  }

  /** How the model marks reasoning in its text. */
  thinkTags(model: string): ThinkTags {
    return this.#first(model, 'thinkTags') ?? 'paired';
  }

  /** The prices of the model's tokens, in US dollars for one token. */
  tokenPrice(model: string): TokenPrice | undefined {
    return this.#first(model, 'tokenPrice');
  }

  /** The price of the model's videos. */
  videoPrice(model: string): Price | undefined {
    return this.#first(model, 'videoPrice');
  }

  #first<Field extends keyof ModelRule>(model: string, field: Field): ModelRule[Field] | undefined {
    return this.#rules.find((rule) => rule[field] !== undefined && rule.matches(model))?.[field];
  }
}

function readRule(entry: unknown): ModelRule | undefined {
  if (!isObject(entry) || typeof entry.models !== 'string') return undefined;
  const { models, format, use, offered, facts, thinkTags, prices } = entry;
  return {
    matches: createModelMatcher(models),
    format: readTextFormatId(format),
    use: readModelUse(use),
    offered: typeof offered === 'boolean' ? offered : undefined,
    facts: isObject(facts) ? readFacts(facts) : {},
    thinkTags: thinkTagForms.find((form) => form === thinkTags),
    tokenPrice: isObject(prices) ? readTokenPrice(prices) : undefined,
    videoPrice: isObject(prices) ? readVideoPrice(prices) : undefined,
  };
}

function readFacts({ family, contextLength, maxOutput, tools, pictures, reasoning }: JsonObject): ModelFacts {
  const name = nonEmptyString(family);
  return {
    ...(name !== undefined && { family: name }),
    ...(isCount(contextLength) && { contextLength }),
    ...(isCount(maxOutput) && { maxOutput }),
    ...((typeof tools === 'boolean' || isCount(tools)) && { tools }),
    ...(typeof pictures === 'boolean' && { pictures }),
    ...(typeof reasoning === 'boolean' && { reasoning }),
  };
}

function readTokenPrice(prices: JsonObject): TokenPrice | undefined {
  const rates = readRates(prices);
  if (!rates) return undefined;
  const services = serviceTiers.flatMap((service) => {
    const serviceRates = readServiceRates(prices[service]);
    return serviceRates ? [[service, serviceRates] as const] : [];
  });
  return { ...rates, ...(services.length > 0 && { services: Object.fromEntries(services) }) };
}

const million = 1_000_000;

/** Reads prices of a million tokens. Returns prices of one token. */
function readRates({
  input,
  output,
  cachedInput,
  cacheWrite,
  cacheWriteHour,
}: JsonObject): TokenRates | undefined {
  if (!isMillionPrice(input) || !isMillionPrice(output)) return undefined;
  return {
    input: input / million,
    output: output / million,
    ...(isMillionPrice(cachedInput) && { cachedInput: cachedInput / million }),
    ...(isMillionPrice(cacheWrite) && { cacheWrite: cacheWrite / million }),
    ...(isMillionPrice(cacheWriteHour) && { cacheHour: cacheWriteHour / million }),
  };
}

/** Whether a value can be the price of a million tokens. A price of one token would be far too low. */
function isMillionPrice(value: unknown): value is number {
  return isPrice(value) && isTokenPrice(value / million);
}

/** Reads the prices of a service tier. Cached input costs the same as other input, unless it has its own price. */
function readServiceRates(entry: unknown): TokenRates | undefined {
  const rates = isObject(entry) ? readRates(entry) : undefined;
  if (rates?.input === undefined) return undefined;
  return { cachedInput: rates.input, ...rates };
}

function readVideoPrice({ perRequest, perSecond, currency = 'USD' }: JsonObject): Price | undefined {
  if (!isPrice(perRequest) && !isPrice(perSecond)) return undefined;
  // A price in an unknown currency must not count as dollars.
  if (typeof currency !== 'string' || !/^[A-Z]{3}$/i.test(currency)) return undefined;
  return {
    ...(isPrice(perRequest) && { perRequest }),
    ...(isPrice(perSecond) && { perSecond }),
    currency: currency.toUpperCase(),
  };
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) > 0;
}

function isPrice(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0;
}
