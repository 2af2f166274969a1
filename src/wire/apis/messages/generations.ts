import { effortWord } from '../format/requestSettings.ts';

// What the models of the format's own provider take differs by their generation. Sources: the provider's notes on
// adaptive thinking, effort and moving to later models.

/** As one number: 406 is 4.6. Undefined for another provider's model, or without a version. */
function generationOf(model: string): number | undefined {
  const [, major, minor = '0'] =
    /claude-(?:[a-z]+-)?(\d{1,2})(?!\d)(?:[-.](\d{1,2})(?!\d))?/i.exec(model) ?? [];
  if (major !== undefined) return Number(major) * 100 + Number(minor);
  return /claude-mythos/i.test(model) ? 500 : undefined;
}

function isFrom(model: string, generation: number): boolean {
  return (generationOf(model) ?? 0) >= generation;
}

/** Whether it can think at all. Earlier models refuse to be told. */
export function thinks(model: string): boolean {
  return generationOf(model) === undefined || isFrom(model, 307);
}

/** Whether a word says how much it thinks. Later models refuse a budget, and earlier ones the word. */
export function thinksByWord(model: string): boolean {
  return isFrom(model, 406);
}

/** Whether it thinks without being told to. */
export function thinksByItself(model: string): boolean {
  return isFrom(model, 500);
}

/** Whether its thinking cannot be switched off. */
export function alwaysThinks(model: string): boolean {
  return /claude-(?:fable|mythos)/i.test(model);
}

/** Whether it thinks as much as it needs if asked to; for another provider's model, nobody knows. */
export function thinksAdaptively(model: string): boolean {
  return generationOf(model) === undefined || thinksByWord(model);
}

/** Whether it takes a temperature and the like, which later models refuse. */
export function takesSampling(model: string): boolean {
  return !isFrom(model, 407);
}

/** Whether its thinking is left out of replies unless it is asked for. */
export function hidesThinking(model: string): boolean {
  return isFrom(model, 407);
}

/** The nearest of the words that the model knows; undefined for a word of nobody's. */
export function knownEffort(effort: string | number, model: string): string | undefined {
  const word = effortWord(effort);
  if (word === 'minimal') return 'low';
  if (word === 'xhigh') return isFrom(model, 407) ? word : 'high';
  return ['low', 'medium', 'high', 'max'].includes(word) ? word : undefined;
}

/**
 * The limit for a request that sets none, which the format requires: the usual answer and `thinking` tokens, as far
 * as the model can write both.
 */
export function outputLimitFor(model: string, thinking = 0): number {
  return Math.min(usualOutputLimit(model) + thinking, maximumOutput(model));
}

/** The most tokens that a model writes, thinking included; a later limit of the provider may be higher. */
export function maximumOutput(model: string): number {
  if (generationOf(model) === undefined) return Infinity;
  if (!isFrom(model, 307)) return usualOutputLimit(model);
  return /opus/i.test(model) && !isFrom(model, 405) ? 32_000 : 64_000;
}

function usualOutputLimit(model: string): number {
  if (isFrom(model, 307)) return 32_000;
  return isFrom(model, 300) && !isFrom(model, 301) ? 4096 : 8192;
}
