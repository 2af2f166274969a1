import { toEffortWord } from '../shared/requestSettings.ts';

// The supported settings of the provider's own models depend on their generation. Sources: the provider's notes on
// adaptive thinking, effort and migration to later models.

/** The generation as one number, such as 406 for 4.6; undefined if the id has none, or is of another provider. */
function readGeneration(model: string): number | undefined {
  const [, major, minor = '0'] =
    /claude-(?:[a-z]+-)?(\d{1,2})(?!\d)(?:[-.](\d{1,2})(?!\d))?/i.exec(model) ?? [];
  if (major !== undefined) return Number(major) * 100 + Number(minor);
  return /claude-mythos/i.test(model) ? 500 : undefined;
}

function isAtLeast(model: string, generation: number): boolean {
  return (readGeneration(model) ?? 0) >= generation;
}

/** Claude continues a reply up to version 4.5, but not from 4.6 on. */
export function canContinueReply(model: string): boolean {
  const generation = readGeneration(model);
  return generation !== undefined && generation <= 405;
}

/** Whether the model can think. Earlier models refuse any thinking setting. */
export function canThink(model: string): boolean {
  return readGeneration(model) === undefined || isAtLeast(model, 307);
}

/** Whether an effort word sets the amount of thinking. These models refuse a budget, earlier ones the word. */
export function usesEffortWords(model: string): boolean {
  return isAtLeast(model, 406);
}

/** Whether the model thinks by default. */
export function thinksByDefault(model: string): boolean {
  return isAtLeast(model, 500);
}

/** Whether the thinking of the model cannot be disabled. */
export function alwaysThinks(model: string): boolean {
  return /claude-(?:fable|mythos)/i.test(model);
}

/** Whether the model supports adaptive thinking. Models of other providers are assumed to support it. */
export function thinksAdaptively(model: string): boolean {
  return readGeneration(model) === undefined || usesEffortWords(model);
}

/** Whether the model accepts temperature and similar settings, which later models refuse. */
export function acceptsSampling(model: string): boolean {
  return !isAtLeast(model, 407);
}

/** Whether replies omit the thinking unless the request enables it. */
export function hidesThinking(model: string): boolean {
  return isAtLeast(model, 407);
}

/** The nearest effort word that the model supports; undefined for an unknown word. */
export function toSupportedEffort(effort: string | number, model: string): string | undefined {
  const word = toEffortWord(effort);
  if (word === 'minimal') return 'low';
  if (word === 'xhigh') return isAtLeast(model, 407) ? word : 'high';
  return ['low', 'medium', 'high', 'max'].includes(word) ? word : undefined;
}

/**
 * The output limit for a request without a limit, because the format requires one: the default and `thinking`
 * tokens, up to the maximum of the model.
 */
export function chooseOutputLimit(model: string, thinking = 0): number {
  return Math.min(findDefaultOutputLimit(model) + thinking, findMaximumOutput(model));
}

/** The maximum output of a model in tokens, including thinking. The provider may have raised the maximum. */
export function findMaximumOutput(model: string): number {
  if (readGeneration(model) === undefined) return Infinity;
  if (!isAtLeast(model, 307)) return findDefaultOutputLimit(model);
  return /opus/i.test(model) && !isAtLeast(model, 405) ? 32_000 : 64_000;
}

function findDefaultOutputLimit(model: string): number {
  if (isAtLeast(model, 307)) return 32_000;
  return isAtLeast(model, 300) && !isAtLeast(model, 301) ? 4096 : 8192;
}
