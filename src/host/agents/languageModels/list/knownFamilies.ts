import type { ModelFacts } from '../../../models/modelRules.ts';

/** Only the end of a longer id is searched. */
const maxSearchedLength = 256;

/** The start of a family name for which VS Code has instructions. Any prefix may precede it. */
const familyStart = /(?<![a-z])(?:chatgpt-|gpt-|claude-|gemini-|grok-|o\d(?:-|$))/;

/** A date, a version or a tag at the end of an id. */
const ending = /(?:-latest|-\d{4}-\d{2}-\d{2}|[-@]\d{8}|-v\d+(?:\.\d+)*)$/;

/**
 * The family that an id names, in VS Code's spelling: `gpt-5.1-codex` for `openai/gpt-5.1-codex-2026-01-01`. For
 * an unknown family, the last part of the id.
 */
export function familyOf(id: string): string {
  const searched = id.slice(-maxSearchedLength).toLowerCase();
  const [name = searched] = searched.slice(searched.lastIndexOf('/') + 1).split(':');
  const start = name.search(familyStart);
  const family = name.slice(Math.max(0, start)).replace(ending, '').replace(ending, '');
  return family || searched;
}

/** The date or the version that an id ends with; undefined if it has none. */
export function versionIn(id: string): string | undefined {
  const match = /(?:\d{4}-\d{2}-\d{2}|\d{8}|v\d+(?:\.\d+)*)(?=$|:)/.exec(id.slice(-maxSearchedLength));
  return match?.[0];
}

type Facts = Omit<ModelFacts, 'family'>;
type Limits = Pick<Facts, 'contextLength' | 'maxOutput'>;

const talking: Facts = { tools: true };
const reading: Facts = { tools: true, pictures: true };
const reasoning: Facts = { tools: true, reasoning: true };
const thinking: Facts = { ...reading, reasoning: true };

/** In tokens. */
const limits = (contextLength: number, maxOutput?: number): Limits => ({
  contextLength,
  ...(maxOutput !== undefined && { maxOutput }),
});

/** Models that draw or speak have other limits than their family. Those limits are unknown. */
const drawingOrSpeaking = /-image|-audio|-tts|-live|-realtime|-transcribe/;

/**
 * The facts that makers publish about their families, by the start of the family name. The first match counts.
 * Each was compared with models.dev (github.com/anomalyco/models.dev, its files of the makers themselves) as of
 * July 2026.
 */
const familiesByMaker: readonly (readonly [RegExp, readonly (readonly [RegExp, Facts])[]])[] = [
  [
    /^(?:chat)?gpt-/,
    [
      [/-oss/, { ...reasoning, ...limits(131_072, 32_768) }],
      [/-5-chat/, { pictures: true, ...limits(128_000, 16_384) }],
      [/-5\.\d+-chat/, { ...reading, ...limits(128_000, 16_384) }],
      [/-spark/, { ...thinking, ...limits(128_000, 32_000) }],
      [/-5-pro/, { ...thinking, ...limits(400_000, 272_000) }],
      [/-5\.(?:[4-9]|\d\d)(?!-(?:mini|nano|instant))/, { ...thinking, ...limits(1_050_000, 128_000) }],
      [/-(?:[5-9]|\d\d)/, { ...thinking, ...limits(400_000, 128_000) }],
      [/-4\.1/, { ...reading, ...limits(1_047_576, 32_768) }],
      [/-4o/, { ...reading, ...limits(128_000, 16_384) }],
      [/-4-turbo/, { ...reading, ...limits(128_000, 4_096) }],
      [/-4(?:-0\d+)?$/, { ...talking, ...limits(8_192, 8_192) }],
      [/-3\.5-turbo/, { ...talking, ...limits(16_385, 4_096) }],
    ],
  ],
  [
    /^o[1-9]/,
    [
      [/^o[13]-mini/, { ...reasoning, ...limits(200_000, 100_000) }],
      [/./, { ...thinking, ...limits(200_000, 100_000) }],
    ],
  ],
  [
    /^claude-/,
    [
      [/-3-haiku|-3-opus|-3-sonnet/, { ...reading, ...limits(200_000, 4_096) }],
      [/-3[-.]5/, { ...reading, ...limits(200_000, 8_192) }],
      [/-3[-.]7/, { ...thinking, ...limits(200_000, 64_000) }],
      [/-opus-4[-.][6-9]|-(?:opus|sonnet|fable)-[5-9]/, { ...thinking, ...limits(1_000_000, 128_000) }],
      [/-sonnet-4[-.][6-9]/, { ...thinking, ...limits(1_000_000, 64_000) }],
      [/-opus-4(?:$|[-.][01])/, { ...thinking, ...limits(200_000, 32_000) }],
      [/./, { ...thinking, ...limits(200_000, 64_000) }],
    ],
  ],
  [
    /^gemini-/,
    [
      [/-(?:1|2\.0)/, { ...reading, ...limits(1_048_576, 8_192) }],
      [/./, { ...thinking, ...limits(1_048_576, 65_536) }],
    ],
  ],
  [
    /^grok-/,
    [
      [/-4.*-non-reasoning/, { ...reading, ...limits(1_000_000, 30_000) }],
      [/-4[-.](?:[2-9]|.*fast)/, { ...thinking, ...limits(1_000_000, 30_000) }],
      [/-code/, { ...reasoning, ...limits(256_000) }],
      [/-(?:[4-9]|build)/, { ...thinking, ...limits(256_000) }],
      [/-3-mini/, { ...reasoning, ...limits(131_072) }],
      [/./, { ...talking, ...limits(131_072) }],
    ],
  ],
  [
    /^deepseek-/,
    [
      [/-v[4-9]|-reasoner/, { ...reasoning, ...limits(1_000_000, 384_000) }],
      [/-chat$/, { ...talking, ...limits(1_000_000, 384_000) }],
      [/-r1/, { ...reasoning, ...limits(128_000, 32_768) }],
      [/./, { ...talking, ...limits(128_000, 8_192) }],
    ],
  ],
  [
    /^kimi-k/,
    [
      [/-k2-0711/, { ...talking, ...limits(131_072, 16_384) }],
      [/-k2-thinking/, { ...reasoning, ...limits(262_144) }],
      [/-k2(?:-|$)/, { ...talking, ...limits(262_144) }],
      [/./, { ...thinking, ...limits(262_144) }],
    ],
  ],
  [
    /^glm-/,
    [
      [/-4\.5v/, { ...thinking, ...limits(64_000, 16_384) }],
      [/-4\.6v/, { ...thinking, ...limits(128_000, 32_768) }],
      [/-4\.5/, { ...reasoning, ...limits(131_072, 98_304) }],
      [/-(?:4\.[67]|5)/, { ...reasoning, ...limits(200_000, 131_072) }],
    ],
  ],
  [
    /^minimax-m/,
    [
      [/-m2/, { ...reasoning, ...limits(196_608, 128_000) }],
      [/-m3/, { ...thinking, ...limits(1_000_000, 128_000) }],
    ],
  ],
];

/** Family names are short, and some patterns are slow for long texts. */
const maxNameLength = 200;

/** The known facts about a family of models; empty for most families. */
export function knownFacts(family: string): Facts {
  if (family.length > maxNameLength) return {};
  const [, families = []] = familiesByMaker.find(([start]) => start.test(family)) ?? [];
  if (families.length === 0 || drawingOrSpeaking.test(family)) return {};
  return families.find(([pattern]) => pattern.test(family))?.[1] ?? {};
}
