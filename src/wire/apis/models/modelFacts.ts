import { isObject, type JsonObject } from '../../../base/json.ts';
import { readModalities, readWords } from './reportedUses.ts';

/** The abilities of a model besides text. `vision`, `files`, `hearing` and `watching` are inputs. */
export const modelAbilities = [
  'vision',
  'files',
  'hearing',
  'watching',
  'tools',
  'reasoning',
  'json',
] as const;

export type ModelAbility = (typeof modelAbilities)[number];

/** The words that gateways use for an ability; also modalities of the input with the prefix `input-`. */
const wordsByAbility: Readonly<Record<ModelAbility, string>> = {
  vision: 'vision image-input input-image supports-vision supports-image-input',
  files: 'files file-input input-file input-pdf pdf-input supports-pdf-input',
  hearing: 'audio-input input-audio supports-audio-input',
  watching: 'video-input input-video supports-video-input',
  tools:
    'tools tool-use tool-calls tool-calling function-calling supports-tools supports-tool-calls ' +
    'supports-function-calling',
  reasoning: 'reasoning thinking include-reasoning supports-reasoning',
  json: 'json-mode structured-output structured-outputs response-schema supports-response-schema',
};

const abilityOfWord: ReadonlyMap<string, ModelAbility> = new Map(
  modelAbilities.flatMap((ability) =>
    wordsByAbility[ability].split(' ').map((word) => [word, ability] as const),
  ),
);

/** The abilities that an element of a model list reports, in the order of `modelAbilities`. */
export function decodeAbilities(element: JsonObject): readonly ModelAbility[] {
  const capabilities = isObject(element.capabilities) ? element.capabilities : {};
  const words = [
    element.supported_parameters,
    element.capabilities,
    capabilities.supports,
    element.tags,
    element.model_info,
    // The flags of the element itself, such as `supports_vision` and Gemini's `thinking`.
    element,
  ].flatMap(readWords);
  const inputs = readModalities(element, 'input').map((input) => `input-${input}`);
  const abilities = new Set([...words, ...inputs].map((word) => abilityOfWord.get(word)));
  return modelAbilities.filter((ability) => abilities.has(ability));
}

/**
 * Whether a model continues a reply that ends the conversation, as LiteLLM reports it; undefined if the element
 * does not report it.
 */
export function decodePrefixSupport(element: JsonObject): boolean | undefined {
  const flags = [element, element.model_info]
    .filter(isObject)
    .map(({ supports_assistant_prefill: prefill }) => prefill);
  return flags.find((value) => typeof value === 'boolean');
}

/** The size of a model's context and its maximum output, in tokens. */
export interface TokenLimits {
  readonly contextLength?: number;
  readonly maxOutput?: number;
}

/**
 * The limits that an element of a model list reports, under the names of OpenRouter, Together, Groq, Vercel, Mistral,
 * vLLM, Gemini, LiteLLM, Anthropic and GitHub. LiteLLM's `max_tokens` is not read, because it is sometimes the input
 * limit and sometimes the output limit.
 */
export function decodeLimits(element: JsonObject): TokenLimits {
  const { capabilities, limits } = element;
  const objects = [
    element,
    element.model_info,
    element.top_provider,
    limits,
    isObject(capabilities) ? capabilities.limits : undefined,
  ].filter(isObject);
  const contextLength = findCount(objects, [
    'context_length',
    'context_window',
    'max_context_length',
    'max_context_window_tokens',
    'max_model_len',
    'inputTokenLimit',
    'max_input_tokens',
  ]);
  const maxOutput = findCount(objects, ['max_output_tokens', 'max_completion_tokens', 'outputTokenLimit']);
  return {
    ...(contextLength !== undefined && { contextLength }),
    ...(maxOutput !== undefined && { maxOutput }),
  };
}

function findCount(objects: readonly JsonObject[], names: readonly string[]): number | undefined {
  const values = objects.flatMap((object) => names.map((name) => object[name]));
  return values.find((value): value is number => Number.isSafeInteger(value) && Number(value) > 0);
}
