import type { Model } from '../../../../wire/apis/models/modelList.ts';
import type { ModelFacts } from '../../../models/modelRules.ts';
import { familyOf, knownFacts } from './knownFamilies.ts';

/** Who says so, in the order in which they count. */
export type FactSource = 'user' | 'verification' | 'gateway' | 'family' | 'default';

/** A fact and who says it. */
export interface Sourced<Value> {
  readonly value: Value;
  readonly source: FactSource;
}

/** What VS Code is told of a model, each with its source. */
export type OfferedFacts = { readonly [Name in keyof ModelFacts]-?: Sourced<NonNullable<ModelFacts[Name]>> };

/** What a model reads and writes where nobody tells, in tokens. */
const unknownContext = 128_000;
const unknownOutput = 8_192;

/** Of the context, so much at most is kept for the reply. GPT-5 takes 272,000 tokens of its 400,000, and no more. */
const outputShare = 1 / 3;

/**
 * What is known of a model: by the user, the gateway, or the family that its id names.
 *
 * @param said the user's own facts
 */
export function offeredFacts(model: Model, said: ModelFacts): OfferedFacts {
  const { contextLength, maxOutput, abilities } = model;
  const value = said.family ?? familyOf(model.id);
  const known = knownFacts(value);
  const byId = Object.keys(known).length > 0 ? 'family' : 'default';
  const family: Sourced<string> = { value, source: said.family === undefined ? byId : 'user' };
  const told = (ability: 'tools' | 'vision' | 'reasoning') => abilities?.includes(ability) || undefined;
  const first = <Value>(
    bySaid: Value | undefined,
    byGateway: Value | undefined,
    byFamily: Value | undefined,
    fallback: Sourced<Value>,
  ): Sourced<Value> => {
    if (bySaid !== undefined) return { value: bySaid, source: 'user' };
    if (byGateway !== undefined) return { value: byGateway, source: 'gateway' };
    return byFamily === undefined ? fallback : { value: byFamily, source: 'family' };
  };
  // A gateway that tells abilities tells those that are missing, too; of reasoning alone, nothing follows.
  const tellsAll = abilities?.some((ability) => ability !== 'reasoning') ?? false;
  const denied: Sourced<boolean> = { value: false, source: tellsAll ? 'gateway' : 'default' };
  return {
    family,
    contextLength: first(said.contextLength, contextLength, known.contextLength, byDefault(unknownContext)),
    maxOutput: first(said.maxOutput, maxOutput, known.maxOutput, byDefault(unknownOutput)),
    // Without tools, no agent could be offered the model: the request shows whether it calls any.
    tools: first<boolean | number>(
      said.tools,
      told('tools'),
      known.tools,
      tellsAll ? denied : byDefault(true),
    ),
    pictures: first(said.pictures, told('vision'), known.pictures, denied),
    reasoning: first(said.reasoning, told('reasoning'), known.reasoning, denied),
  };
}

/** The limits as VS Code counts them, in tokens: the prompt apart from the reply. */
export function tokenLimits({ contextLength, maxOutput }: OfferedFacts): {
  readonly maxInputTokens: number;
  readonly maxOutputTokens: number;
} {
  const context = contextLength.value;
  const reserved = Math.min(maxOutput.value, Math.floor(context * outputShare));
  return { maxInputTokens: context - reserved, maxOutputTokens: Math.min(maxOutput.value, context) };
}

function byDefault<Value>(value: Value): Sourced<Value> {
  return { value, source: 'default' };
}
