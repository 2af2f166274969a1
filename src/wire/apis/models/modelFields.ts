import type { ModelAbility } from './modelFacts.ts';
import type { Model } from './modelList.ts';
import type { ModelUse } from './modelUse.ts';
import { serviceTiers } from './serviceTier.ts';
import { type PriceTier, serviceSuffixes, type TokenPrice, type TokenRates } from './tokenPrice.ts';

/** The words for the outputs of a model. All but the last four are OpenRouter's. */
const outputWords: Readonly<Record<ModelUse, string>> = {
  chat: 'text',
  video: 'video',
  image: 'image',
  audio: 'audio',
  embedding: 'embeddings',
  transcription: 'transcription',
  rerank: 'rerank',
  moderation: 'moderation',
  other: 'ocr',
};

const inputWords: { readonly [Ability in ModelAbility]?: string } = {
  vision: 'image',
  files: 'file',
  hearing: 'audio',
  watching: 'video',
};

const parameterWords: { readonly [Ability in ModelAbility]?: string } = {
  tools: 'tools',
  reasoning: 'reasoning',
  json: 'structured_outputs',
};

/**
 * Writes the optional members of a model list's element, with OpenRouter's names, and with LiteLLM's for the prices of
 * seconds, long prompts and services. `decodeModelList` reads them.
 */
export function writeModelFields({
  name,
  contextLength,
  maxOutput,
  price,
  tokenPrice,
  uses,
  abilities = [],
  acceptsPrefix,
  acceptsCacheKey,
}: Model) {
  const input = abilities.flatMap((ability) => inputWords[ability] ?? []);
  const parameters = [
    ...abilities.flatMap((ability) => parameterWords[ability] ?? []),
    ...(acceptsCacheKey ? ['prompt_cache_key'] : []),
  ];
  const architecture = {
    ...(input.length > 0 && { input_modalities: ['text', ...input] }),
    ...(uses && { output_modalities: uses.map((use) => outputWords[use]) }),
  };
  const pricing = {
    prompt: formatDecimal(tokenPrice?.input),
    completion: formatDecimal(tokenPrice?.output),
    input_cache_read: formatDecimal(tokenPrice?.cachedInput),
    input_cache_write: formatDecimal(tokenPrice?.cacheWrite),
    input_cache_write_1h: formatDecimal(tokenPrice?.cacheHour),
    internal_reasoning: formatDecimal(tokenPrice?.reasoning),
    request: formatDecimal(price?.perRequest),
    image: formatDecimal(price?.perPicture),
  };
  return {
    ...(name !== undefined && { name }),
    ...(contextLength !== undefined && { context_length: contextLength }),
    ...(maxOutput !== undefined && { max_output_tokens: maxOutput }),
    ...(Object.keys(architecture).length > 0 && { architecture }),
    ...(parameters.length > 0 && { supported_parameters: parameters }),
    ...(Object.values(pricing).some((text) => text !== undefined) && { pricing }),
    ...(acceptsPrefix !== undefined && { supports_assistant_prefill: acceptsPrefix }),
    ...writeTierFields(tokenPrice?.tiers ?? [], ''),
    ...writeServiceFields(tokenPrice?.services ?? {}),
    ...(price?.perSecond !== undefined && { output_cost_per_second: price.perSecond }),
  };
}

function writeServiceFields(services: NonNullable<TokenPrice['services']>): Readonly<Record<string, number>> {
  const fields = serviceTiers.map((service) => {
    const { tiers = [], ...rates } = services[service] ?? {};
    const suffix = serviceSuffixes[service];
    return { ...writeRateFields(rates, suffix), ...writeTierFields(tiers, suffix) };
  });
  return Object.assign({}, ...fields);
}

function writeTierFields(tiers: readonly PriceTier[], suffix: string): Readonly<Record<string, number>> {
  const fields = tiers.map(({ above, ...rates }) =>
    writeRateFields(rates, `_above_${above / 1000}k_tokens${suffix}`),
  );
  return Object.assign({}, ...fields);
}

function writeRateFields(rates: TokenRates, suffix: string): Readonly<Record<string, number>> {
  return Object.fromEntries(
    Object.entries(rates).map(([name, rate]) => [`${rateNames[name as keyof TokenRates]}${suffix}`, rate]),
  );
}

const rateNames: Readonly<Record<keyof TokenRates, string>> = {
  input: 'input_cost_per_token',
  output: 'output_cost_per_token',
  cachedInput: 'cache_read_input_token_cost',
  cacheWrite: 'cache_creation_input_token_cost',
  cacheHour: 'cache_creation_input_token_cost_above_1hr',
  reasoning: 'output_cost_per_reasoning_token',
};

const plainNumber = new Intl.NumberFormat('en', { useGrouping: false, maximumSignificantDigits: 15 });

/** A price as a decimal string, never with an exponent. */
function formatDecimal(price: number | undefined): string | undefined {
  return price === undefined ? undefined : plainNumber.format(price);
}
