import type { ModelFacts } from '../../../models/modelRules.ts';

/** In characters. Only the end of a longer id is searched. */
const maxSearchedLength = 256;

/** The start of a family name for which VS Code has instructions. Any prefix may precede it. */
const familyStart = /(?<![a-z])(?:chatgpt-|gpt-|claude-|gemini-|grok-|o\d(?:-|$))/;

/** A date, a version or a tag at the end of an id. */
const versionEnding = /(?:-latest|-\d{4}-\d{2}-\d{2}|[-@]\d{8}|-v\d+(?:\.\d+)*)$/;

/**
 * The model family in an id, in VS Code's spelling: `gpt-5.1-codex` for `openai/gpt-5.1-codex-2026-01-01`. For an
 * unknown family, the last part of the id.
 */
export function getModelFamily(id: string): string {
  const searched = id.slice(-maxSearchedLength).toLowerCase();
  const [name = searched] = searched.slice(searched.lastIndexOf('/') + 1).split(':');
  const start = name.search(familyStart);
  // Some ids have two endings, such as `-20241022-v2`.
  const family = name.slice(Math.max(0, start)).replace(versionEnding, '').replace(versionEnding, '');
  return family || searched;
}

/** The date or the version at the end of an id; undefined if it has none. */
export function versionIn(id: string): string | undefined {
  const match = /(?:\d{4}-\d{2}-\d{2}|\d{8}|v\d+(?:\.\d+)*)(?=$|:)/.exec(id.slice(-maxSearchedLength));
  return match?.[0];
}

type Facts = Omit<ModelFacts, 'family'>;
type Limits = Pick<Facts, 'contextLength' | 'maxOutput'>;

const withTools: Facts = { tools: true };
const withVision: Facts = { tools: true, pictures: true };
const withReasoning: Facts = { tools: true, reasoning: true };
const withBoth: Facts = { tools: true, pictures: true, reasoning: true };

/** In tokens. The context length covers the prompt and the reply. */
const limits = (contextLength: number, maxOutput?: number): Limits => ({
  contextLength,
  ...(maxOutput !== undefined && { maxOutput }),
});

/** Models for images or audio have other limits than their family. Those limits are unknown. */
const imageOrAudio = /-image|-audio|-tts|-live|-realtime|-transcribe/;

/**
 * The facts that makers publish about their families, by the start of the family name. The first match counts.
 * Compared in July 2026 with the makers' files in models.dev (github.com/anomalyco/models.dev).
 */
const familiesByMaker: readonly (readonly [RegExp, readonly (readonly [RegExp, Facts])[]])[] = [
  [
    /^(?:chat)?gpt-/,
    [
      [/-oss/, { ...withReasoning, ...limits(131_072, 32_768) }],
      [/-5-chat/, { pictures: true, ...limits(128_000, 16_384) }],
      [/-5\.\d+-chat/, { ...withVision, ...limits(128_000, 16_384) }],
      [/-spark/, { ...withBoth, ...limits(128_000, 32_000) }],
      [/-5-pro/, { ...withBoth, ...limits(400_000, 272_000) }],
      [/-5\.(?:[4-9]|\d\d)(?!-(?:mini|nano|instant))/, { ...withBoth, ...limits(1_050_000, 128_000) }],
      [/-(?:[5-9]|\d\d)/, { ...withBoth, ...limits(400_000, 128_000) }],
      [/-4\.1/, { ...withVision, ...limits(1_047_576, 32_768) }],
      [/-4o/, { ...withVision, ...limits(128_000, 16_384) }],
      [/-4-turbo/, { ...withVision, ...limits(128_000, 4_096) }],
      [/-4(?:-0\d+)?$/, { ...withTools, ...limits(8_192, 8_192) }],
      [/-3\.5-turbo/, { ...withTools, ...limits(16_385, 4_096) }],
    ],
  ],
  [
    /^o[1-9]/,
    [
      [/^o[13]-mini/, { ...withReasoning, ...limits(200_000, 100_000) }],
      [/./, { ...withBoth, ...limits(200_000, 100_000) }],
    ],
  ],
  [
    /^claude-/,
    [
      [/-3-haiku|-3-opus|-3-sonnet/, { ...withVision, ...limits(200_000, 4_096) }],
      [/-3[-.]5/, { ...withVision, ...limits(200_000, 8_192) }],
      [/-3[-.]7/, { ...withBoth, ...limits(200_000, 64_000) }],
      [/-opus-4[-.][6-9]|-(?:opus|sonnet|fable)-[5-9]/, { ...withBoth, ...limits(1_000_000, 128_000) }],
      [/-sonnet-4[-.][6-9]/, { ...withBoth, ...limits(1_000_000, 64_000) }],
      [/-opus-4(?:$|[-.][01])/, { ...withBoth, ...limits(200_000, 32_000) }],
      [/./, { ...withBoth, ...limits(200_000, 64_000) }],
    ],
  ],
  [
    /^gemini-/,
    [
      [/-(?:1|2\.0)/, { ...withVision, ...limits(1_048_576, 8_192) }],
      [/./, { ...withBoth, ...limits(1_048_576, 65_536) }],
    ],
  ],
  [
    /^grok-/,
    [
      [/-4.*-non-reasoning/, { ...withVision, ...limits(1_000_000, 30_000) }],
      [/-4[-.](?:[2-9]|.*fast)/, { ...withBoth, ...limits(1_000_000, 30_000) }],
      [/-code/, { ...withReasoning, ...limits(256_000) }],
      [/-(?:[4-9]|build)/, { ...withBoth, ...limits(256_000) }],
      [/-3-mini/, { ...withReasoning, ...limits(131_072) }],
      [/./, { ...withTools, ...limits(131_072) }],
    ],
  ],
  [
    /^deepseek-/,
    [
      [/-v[4-9]|-reasoner/, { ...withReasoning, ...limits(1_000_000, 384_000) }],
      [/-chat$/, { ...withTools, ...limits(1_000_000, 384_000) }],
      [/-r1/, { ...withReasoning, ...limits(128_000, 32_768) }],
      [/./, { ...withTools, ...limits(128_000, 8_192) }],
    ],
  ],
  [
    /^kimi-k/,
    [
      [/-k2-0711/, { ...withTools, ...limits(131_072, 16_384) }],
      [/-k2-thinking/, { ...withReasoning, ...limits(262_144) }],
      [/-k2(?:-|$)/, { ...withTools, ...limits(262_144) }],
      [/./, { ...withBoth, ...limits(262_144) }],
    ],
  ],
  [
    /^glm-/,
    [
      [/-4\.5v/, { ...withBoth, ...limits(64_000, 16_384) }],
      [/-4\.6v/, { ...withBoth, ...limits(128_000, 32_768) }],
      [/-4\.5/, { ...withReasoning, ...limits(131_072, 98_304) }],
      [/-(?:4\.[67]|5)/, { ...withReasoning, ...limits(200_000, 131_072) }],
    ],
  ],
  [
    /^minimax-m/,
    [
      [/-m2/, { ...withReasoning, ...limits(196_608, 128_000) }],
      [/-m3/, { ...withBoth, ...limits(1_000_000, 128_000) }],
    ],
  ],
];

/** Family names are short, and some patterns are slow for long texts. */
const maxNameLength = 200;

/** The known facts about a family of models; empty for most families. */
export function knownFacts(family: string): Facts {
  if (family.length > maxNameLength) return {};
  const [, families = []] = familiesByMaker.find(([start]) => start.test(family)) ?? [];
  if (families.length === 0 || imageOrAudio.test(family)) return {};
  return families.find(([pattern]) => pattern.test(family))?.[1] ?? {};
}
