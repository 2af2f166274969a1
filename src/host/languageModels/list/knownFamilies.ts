import type { ToldFacts } from './factRules.ts';

/** Longer ids are not searched to their beginning. */
const longestSearched = 256;

/** Where the name of a family begins whose models VS Code has instructions for, whatever stands before it. */
const familyStart = /(?<![a-z])(?:chatgpt-|gpt-|claude-|gemini-|grok-|o\d(?:-|$))/;

/** A date, a version or a tag at the end of an id. */
const ending = /(?:-latest|-\d{4}-\d{2}-\d{2}|[-@]\d{8}|-v\d+(?:\.\d+)*)$/;

/**
 * The family that an id names, as VS Code spells families: `gpt-5.1-codex` of `openai/gpt-5.1-codex-2026-01-01`.
 * Of an unknown one, the last part of the id.
 */
export function familyOf(id: string): string {
  const whole = id.slice(-longestSearched).toLowerCase();
  const [name = whole] = whole.slice(whole.lastIndexOf('/') + 1).split(':');
  const start = name.search(familyStart);
  const found = name.slice(Math.max(0, start)).replace(ending, '').replace(ending, '');
  return found || whole;
}

/** The date or the version that an id ends with; undefined where it has none. */
export function versionIn(id: string): string | undefined {
  const found = /(?:\d{4}-\d{2}-\d{2}|\d{8}|v\d+(?:\.\d+)*)(?=$|:)/.exec(id.slice(-longestSearched));
  return found?.[0];
}

type Facts = Omit<ToldFacts, 'family'>;

const reading: Facts = { tools: true, pictures: true };
const thinking: Facts = { ...reading, reasoning: true };

/** What the makers of families tell of them. The first match counts. */
const families: readonly (readonly [RegExp, Facts])[] = [
  [/-image|-audio|-tts|-live/, {}],
  [/^gpt-oss/, { tools: true, reasoning: true, contextLength: 131_072, maxOutput: 32_768 }],
  [/^gpt-(?:[5-9]|\d\d)/, { ...thinking, contextLength: 400_000, maxOutput: 128_000 }],
  [/^gpt-4\.1/, { ...reading, contextLength: 1_047_576, maxOutput: 32_768 }],
  [/^(?:chat)?gpt-4o/, { ...reading, contextLength: 128_000, maxOutput: 16_384 }],
  [/^gpt-4-turbo/, { ...reading, contextLength: 128_000, maxOutput: 4_096 }],
  [/^o[1-9]/, { ...thinking, contextLength: 200_000, maxOutput: 100_000 }],
  [/^claude-3-7/, { ...thinking, contextLength: 200_000, maxOutput: 64_000 }],
  [/^claude-3-5/, { ...reading, contextLength: 200_000, maxOutput: 8_192 }],
  [/^claude-3/, { ...reading, contextLength: 200_000, maxOutput: 4_096 }],
  [/^claude-/, { ...thinking, contextLength: 200_000, maxOutput: 32_000 }],
  [/^gemini-(?:1|2\.0)/, { ...reading, contextLength: 1_048_576, maxOutput: 8_192 }],
  [/^gemini-/, { ...thinking, contextLength: 1_048_576, maxOutput: 65_536 }],
  [/^grok-(?:[4-9]|code)/, { ...thinking, contextLength: 256_000 }],
  [/^grok-/, { tools: true, contextLength: 131_072 }],
  [/^deepseek/, { tools: true, contextLength: 128_000, maxOutput: 8_192 }],
];

/** What is known of a family of models; nothing of most. */
export function knownFacts(family: string): Facts {
  const [, facts] = families.find(([pattern]) => pattern.test(family)) ?? [];
  return facts ?? {};
}
