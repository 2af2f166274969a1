import type { ModelAbility } from './modelFacts.ts';
import type { Model } from './modelList.ts';
import type { ModelUse } from './modelUse.ts';

/** The names by which OpenRouter lists what comes out of a model; the last four are ours. */
const outputs: Readonly<Record<ModelUse, string>> = {
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

const inputs: { readonly [Ability in ModelAbility]?: string } = {
  vision: 'image',
  files: 'file',
  hearing: 'audio',
  watching: 'video',
};

const parameters: { readonly [Ability in ModelAbility]?: string } = {
  tools: 'tools',
  reasoning: 'reasoning',
  json: 'structured_outputs',
};

/**
 * What an element of a model list tells beside the fields that every list has, under OpenRouter's names and
 * LiteLLM's for the price of a second. `decodeModelList` reads it back.
 */
export function modelFields({
  name,
  contextLength,
  maxOutput,
  price,
  tokenPrice,
  uses,
  abilities = [],
}: Model) {
  const input = abilities.flatMap((ability) => inputs[ability] ?? []);
  const supported = abilities.flatMap((ability) => parameters[ability] ?? []);
  const architecture = {
    ...(input.length > 0 && { input_modalities: ['text', ...input] }),
    ...(uses && { output_modalities: uses.map((use) => outputs[use]) }),
  };
  const pricing = {
    prompt: decimal(tokenPrice?.input),
    completion: decimal(tokenPrice?.output),
    input_cache_read: decimal(tokenPrice?.cachedInput),
    request: decimal(price?.perRequest),
  };
  return {
    ...(name !== undefined && { name }),
    ...(contextLength !== undefined && { context_length: contextLength }),
    ...(maxOutput !== undefined && { max_output_tokens: maxOutput }),
    ...(Object.keys(architecture).length > 0 && { architecture }),
    ...(supported.length > 0 && { supported_parameters: supported }),
    ...(Object.values(pricing).some((text) => text !== undefined) && { pricing }),
    ...(price?.perSecond !== undefined && { output_cost_per_second: price.perSecond }),
  };
}

const plainNumber = new Intl.NumberFormat('en', { useGrouping: false, maximumSignificantDigits: 15 });

/** A price as a decimal string, never with an exponent. */
function decimal(price: number | undefined): string | undefined {
  return price === undefined ? undefined : plainNumber.format(price);
}
