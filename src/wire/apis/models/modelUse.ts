/** What a model can be used for. `audio` is speech, sound and music; `other` is none of these, such as OCR. */
export const modelUses = [
  'chat',
  'video',
  'image',
  'audio',
  'transcription',
  'embedding',
  'rerank',
  'moderation',
  'other',
] as const;

export type ModelUse = (typeof modelUses)[number];

/** What is known of a model's use beside its id and what the gateway says. */
export interface UseEvidence {
  /** Whether the user wants it offered in chats. */
  readonly inChats?: boolean | undefined;
  /** What the user's rules say. */
  readonly ruled?: ModelUse | undefined;
  /** What a trial of the model showed. */
  readonly verified?: readonly ModelUse[] | undefined;
}

/**
 * What a model is for. The first of these counts: the user's word, a trial, what the gateway says, and the family
 * that the id names. A model of an unknown family counts as one for chats.
 *
 * @param model its exact id, and what the gateway says, if anything
 */
export function usesOf(
  model: { readonly id: string; readonly uses?: readonly ModelUse[] },
  { inChats, ruled, verified }: UseEvidence = {},
): readonly ModelUse[] {
  const uses = (ruled && [ruled]) ?? verified ?? model.uses ?? usesOfFamily(model.id);
  if (inChats === undefined || uses.includes('chat') === inChats) return uses;
  return inChats ? ['chat', ...uses] : uses.filter((use) => use !== 'chat');
}

/** Returns the use that a stored or configured word names. */
export function modelUse(word: unknown): ModelUse | undefined {
  return modelUses.find((use) => use === word);
}

/** A whole word of an id: `vidu` is not in `individual`. */
function words(...alternatives: readonly string[]): RegExp {
  return new RegExp(`(?<![a-z])(?:${alternatives.join('|')})(?![a-z])`);
}

/** The families that models of other uses belong to. The first match counts. */
const families: readonly (readonly [RegExp, ...ModelUse[]])[] = [
  [/re-?rank/, 'rerank'],
  [/embed|\bminilm|\bjina-clip/, 'embedding'],
  [words('bge', 'gte', 'e5', 'voyage', 'text-similarity', 'text-search'), 'embedding'],
  [/moderation|\b(?:llama|prompt|nemo|qwen\d*)-?guard|\bshieldgemma|\bgranite-guardian/, 'moderation'],
  [/whisper|transcri|\bparaformer|\bsensevoice/, 'transcription'],
  [words('asr', 'stt'), 'transcription'],
  [/\bgpt-(?:4o-(?:mini-)?)?audio|native-audio|cosyvoice|musicgen|\blyria|\bsuno|\beleven_/, 'audio'],
  [words('tts', 'realtime', 'live', 'speech', 'music'), 'audio'],
  // They look at videos, and answer in words.
  [/llava|video-?(?:llama|chat|understanding)|internvideo/, 'chat'],
  [words('video', 'videos', '[tirs]2v', 'kf2v', 'cogvideox?', 'hunyuanvideo'), 'video'],
  // Gemini's picture models converse, and draw in their replies.
  [/\bgemini-[\w.-]*image|nano-?banana/, 'chat', 'image'],
  [words('images?', 'imagen', 't2i', 'i2i', 'flux', 'sdxl', 'sd3', 'dall-?e', 'midjourney'), 'image'],
  [/stable-?(?:diffusion|image)|\bideogram|\brecraft|\bseed(?:ream|edit)|\bkolors|\bimagine\b/, 'image'],
  [
    words('veo', 'sora', 'kling', 'vidu', 'hailuo', 'seedance', 'pixverse', 'runway', 'pika', 'mochi'),
    'video',
  ],
  [words('wanx?(?=[\\d-]).*', 'ltx', 'gen-?[34]_\\w+'), 'video'],
  [/(?<!qwen[\w.]*-)\bomni-?flash/, 'video'],
  [words('mistral-ocr', 'aqa', 'babbage-002', 'davinci-002', 'gpt-3\\.5-turbo-instruct'), 'other'],
];

/** Longer ids are not searched to their end. */
const longestSearched = 256;

/** What the family is for that an id names; a chat for any other id. */
export function usesOfFamily(id: string): readonly ModelUse[] {
  const searched = id.slice(0, longestSearched).toLowerCase();
  const [, ...uses] = families.find(([family]) => family.test(searched)) ?? [undefined];
  return uses.length > 0 ? uses : ['chat'];
}
