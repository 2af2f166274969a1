import type { Model } from '../../../../wire/apis/models/modelList.ts';
import type { ModelFacts } from '../../../models/modelRules.ts';
import { getModelFamily, knownFacts } from './knownFamilies.ts';

/** The sources of a fact, in order of priority. */
export type FactSource = 'user' | 'verification' | 'gateway' | 'family' | 'default';

/** A fact and its source. */
export interface Sourced<Value> {
  readonly value: Value;
  readonly source: FactSource;
}

/** The facts about a model for VS Code, each with its source. */
export type OfferedFacts = { readonly [Name in keyof ModelFacts]-?: Sourced<NonNullable<ModelFacts[Name]>> };

/** The assumed limits of a model if no source reports them, in tokens. */
const assumedContext = 128_000;
const assumedOutput = 8_192;

/**
 * The largest share of the context that is reserved for the reply. GPT-5, for example, accepts 272,000 input tokens of
 * its 400,000.
 */
const maxOutputShare = 1 / 3;

/**
 * The facts about a model from the user, or else from the gateway, or else from the model family in its id. Unknown
 * facts are assumed.
 *
 * @param userFacts from the setting `modelGateway.models`
 */
export function offeredFacts(model: Model, userFacts: ModelFacts): OfferedFacts {
  const { contextLength, maxOutput, abilities } = model;
  const familyName = userFacts.family ?? getModelFamily(model.id);
  const familyFacts = knownFacts(familyName);
  const familySource = Object.keys(familyFacts).length > 0 ? 'family' : 'default';
  const family: Sourced<string> = {
    value: familyName,
    source: userFacts.family === undefined ? familySource : 'user',
  };
  const hasAbility = (ability: 'tools' | 'vision' | 'reasoning') => abilities?.includes(ability) || undefined;
  const firstReported = <Value>(
    byUser: Value | undefined,
    byGateway: Value | undefined,
    byFamily: Value | undefined,
    fallback: Sourced<Value>,
  ): Sourced<Value> => {
    if (byUser !== undefined) return { value: byUser, source: 'user' };
    if (byGateway !== undefined) return { value: byGateway, source: 'gateway' };
    return byFamily === undefined ? fallback : { value: byFamily, source: 'family' };
  };
  // A gateway that reports abilities reports all of them, so an unreported ability is not supported. A report of
  // reasoning alone does not prove that the gateway reports all.
  const reportsAbilities = abilities?.some((ability) => ability !== 'reasoning') ?? false;
  const notSupported: Sourced<boolean> = { value: false, source: reportsAbilities ? 'gateway' : 'default' };
  return {
    family,
    contextLength: firstReported(
      userFacts.contextLength,
      contextLength,
      familyFacts.contextLength,
      byDefault(assumedContext),
    ),
    maxOutput: firstReported(userFacts.maxOutput, maxOutput, familyFacts.maxOutput, byDefault(assumedOutput)),
    // True by default, because VS Code does not offer models without tools to agents.
    tools: firstReported<boolean | number>(
      userFacts.tools,
      hasAbility('tools'),
      familyFacts.tools,
      reportsAbilities ? notSupported : byDefault(true),
    ),
    pictures: firstReported(userFacts.pictures, hasAbility('vision'), familyFacts.pictures, notSupported),
    reasoning: firstReported(
      userFacts.reasoning,
      hasAbility('reasoning'),
      familyFacts.reasoning,
      notSupported,
    ),
  };
}

/** The limits as VS Code counts them, in tokens: the prompt and the reply separately. */
export function tokenLimits({ contextLength, maxOutput }: OfferedFacts): {
  readonly maxInputTokens: number;
  readonly maxOutputTokens: number;
} {
  const context = contextLength.value;
  const reserved = Math.min(maxOutput.value, Math.floor(context * maxOutputShare));
  return { maxInputTokens: context - reserved, maxOutputTokens: Math.min(maxOutput.value, context) };
}

function byDefault<Value>(value: Value): Sourced<Value> {
  return { value, source: 'default' };
}
