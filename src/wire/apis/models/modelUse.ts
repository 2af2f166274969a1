/** The uses of models. `audio` is speech, sound and music; `other` is any other use, such as OCR. */
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

/** Evidence for a model's use, besides its id and the gateway's list. */
interface UseEvidence {
  /** Whether the user wants the model to be offered in chats. */
  readonly isForChats?: boolean | undefined;
  /** The use from the user's rules. */
  readonly useByRules?: ModelUse | undefined;
  /** The uses that a trial of the model showed. */
  readonly trialUses?: readonly ModelUse[] | undefined;
}

/**
 * Returns the uses of a model. Order of precedence: the user's rules, a trial, the gateway's list, the family in
 * the id. A model of an unknown family counts as a chat model.
 *
 * @param model the exact id, and the uses that the gateway reports, if any
 */
export function findModelUses(
  model: { readonly id: string; readonly uses?: readonly ModelUse[] },
  { isForChats, useByRules, trialUses }: UseEvidence = {},
): readonly ModelUse[] {
  const uses = (useByRules && [useByRules]) ?? trialUses ?? model.uses ?? findFamilyUses(model.id);
  if (isForChats === undefined || uses.includes('chat') === isForChats) return uses;
  return isForChats ? ['chat', ...uses] : uses.filter((use) => use !== 'chat');
}

/** Returns the use with this name, from a stored or configured value. */
export function readModelUse(word: unknown): ModelUse | undefined {
  return modelUses.find((use) => use === word);
}

/** Matches only whole words of an id: `vidu` does not match `individual`. */
function createWordPattern(...alternatives: readonly string[]): RegExp {
  return new RegExp(`(?<![a-z])(?:${alternatives.join('|')})(?![a-z])`);
}

/** The families of models that are not only for chats. The first match counts. */
const families: readonly (readonly [RegExp, ...ModelUse[]])[] = [
  [/re-?rank/, 'rerank'],
  [/embed|\bminilm|\bjina-clip/, 'embedding'],
  [createWordPattern('bge', 'gte', 'e5', 'voyage', 'text-similarity', 'text-search'), 'embedding'],
  [/moderation|\b(?:llama|prompt|nemo|qwen\d*)-?guard|\bshieldgemma|\bgranite-guardian/, 'moderation'],
  [/whisper|transcri|\bparaformer|\bsensevoice/, 'transcription'],
  [createWordPattern('asr', 'stt'), 'transcription'],
  [/\bgpt-(?:4o-(?:mini-)?)?audio|native-audio|cosyvoice|musicgen|\blyria|\bsuno|\beleven_/, 'audio'],
  [createWordPattern('tts', 'realtime', 'live', 'speech', 'music'), 'audio'],
  // These models read videos and reply in text.
  [/llava|video-?(?:llama|chat|understanding)|internvideo/, 'chat'],
  [createWordPattern('video', 'videos', '[tirs]2v', 'kf2v', 'cogvideox?', 'hunyuanvideo'), 'video'],
  // Gemini's picture models chat, and draw in their replies.
  [/\bgemini-[\w.-]*image|nano-?banana/, 'chat', 'image'],
  [
    createWordPattern('images?', 'imagen', 't2i', 'i2i', 'flux', 'sdxl', 'sd3', 'dall-?e', 'midjourney'),
    'image',
  ],
  [/stable-?(?:diffusion|image)|\bideogram|\brecraft|\bseed(?:ream|edit)|\bkolors|\bimagine\b/, 'image'],
  [
    createWordPattern(
      'veo',
      'sora',
      'kling',
      'vidu',
      'hailuo',
      'seedance',
      'pixverse',
      'runway',
      'pika',
      'mochi',
    ),
    'video',
  ],
  [createWordPattern('wanx?(?=[\\d-]).*', 'ltx', 'gen-?[34]_\\w+'), 'video'],
  [/(?<!qwen[\w.]*-)\bomni-?flash/, 'video'],
  [
    createWordPattern('mistral-ocr', 'aqa', 'babbage-002', 'davinci-002', 'gpt-3\\.5-turbo-instruct'),
    'other',
  ],
];

/** Only this many characters of an id are searched. */
const maxSearchLength = 256;

/** The uses of the family in an id; `chat` for any other id. */
export function findFamilyUses(id: string): readonly ModelUse[] {
  const searchedText = id.slice(0, maxSearchLength).toLowerCase();
  const [, ...uses] = families.find(([family]) => family.test(searchedText)) ?? [undefined];
  return uses.length > 0 ? uses : ['chat'];
}
