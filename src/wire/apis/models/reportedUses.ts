import { isObject, type JsonObject } from '../../../base/json.ts';
import { findFamilyUses, type ModelUse, modelUses } from './modelUse.ts';

/**
 * The words that gateways use for a use: as `mode` (LiteLLM), `type` (Together, Vercel, LM Studio), `task`
 * (GitHub), `capabilities` (Mistral, Ollama, Azure), `endpoints` (Cohere), `supported_endpoint_types` (new-api),
 * `supportedGenerationMethods` (Gemini), or as the paths that serve it. Words that several kinds of models share
 * are omitted: Gemini's models for speech and pictures also have `generateContent`.
 */
const wordsByUse: Readonly<Record<ModelUse, string>> = {
  chat:
    'chat chats chat-completion chat-completions completion-chat completion completions text text-generation ' +
    'text2text-generation language llm vlm code conversational image-text-to-text responses openai-response ' +
    'messages anthropic generate supports-chat',
  video:
    'video videos video-generation text-to-video image-to-video video-to-video openai-video videos-generations ' +
    'predict-long-running',
  image:
    'image images image-generation image-edit image-editing text-to-image image-to-image images-generations ' +
    'images-edits predict',
  audio:
    'audio speech music tts text-to-speech text-to-audio audio-speech audio-generation realtime ' +
    'bidi-generate-content',
  transcription:
    'transcription transcriptions transcribe audio-transcription audio-transcriptions speech-to-text asr stt ' +
    'automatic-speech-recognition',
  embedding:
    'embedding embeddings embed embed-content embed-text text-embedding text-embeddings feature-extraction ' +
    'sentence-similarity',
  rerank: 'rerank reranker reranking jina-rerank text-ranking',
  moderation: 'moderation moderations guardrail',
  other: 'ocr search vector-store classify classification fill-mask',
};

const useOfWord: ReadonlyMap<string, ModelUse> = new Map(
  modelUses.flatMap((use) => wordsByUse[use].split(' ').map((word) => [word, use] as const)),
);

/** Capabilities that a chat model may also list, because it accepts such input or writes such output. */
const sideCapabilities = new Set('audio code image images ocr search speech video videos'.split(' '));

/**
 * Reads the uses of a model from its element in a model list. The first kind of field with a known word counts:
 * the type of the model, its output, its capabilities, its routes. Capabilities that a chat model may also list do not
 * count.
 *
 * @returns if the element only reports that the model does not chat, the uses of its family; undefined if it reports
 *   nothing
 */
export function readReportedUses(element: JsonObject, id: string): readonly ModelUse[] | undefined {
  const info = isObject(element.model_info) ? element.model_info : {};
  const capabilities = isObject(element.capabilities) ? element.capabilities : {};
  const uses =
    findUses(
      [info.mode, element.mode, element.type, capabilities.type, element.kind, element.task].flatMap(
        readTypeWords,
      ),
    ) ??
    findOutputUses(element) ??
    findUses(readWords(element.capabilities).filter((word) => !sideCapabilities.has(word))) ??
    findUses(
      [
        element.endpoints,
        element.supported_endpoints,
        element.supported_endpoint_types,
        element.supportedGenerationMethods,
      ].flatMap(readWords),
    );
  return uses ?? (deniesChat(element) ? findOtherUses(id) : undefined);
}

/** The words of a field with a type: a word, or an object with a name. */
function readTypeWords(value: unknown): readonly string[] {
  const words = readWords(isObject(value) ? value.name : value);
  return words.map((word) => word.replace(/-models?$/, ''));
}

function findUses(words: readonly string[]): readonly ModelUse[] | undefined {
  const uses = new Set(words.map((word) => useOfWord.get(word)).filter((use) => use !== undefined));
  return uses.size > 0 ? [...uses] : undefined;
}

/** The uses for the outputs of a model. */
function findOutputUses(element: JsonObject): readonly ModelUse[] | undefined {
  const outputs = readModalities(element, 'output');
  const uses = findUses(outputs);
  if (!uses?.includes('chat')) return uses;
  const inputs = readModalities(element, 'input');
  // Models with only sound as input and only text as output do not chat.
  return inputs.length > 0 && inputs.every((input) => input === 'audio') ? ['transcription'] : uses;
}

/**
 * The inputs or outputs of a model, as words: `text`, `image`, `audio`, `video`, `file`. Reads OpenRouter's
 * `architecture`, with lists or as `text+image->text`, and similar members of other gateways.
 */
export function readModalities(element: JsonObject, side: 'input' | 'output'): readonly string[] {
  const architecture = isObject(element.architecture) ? element.architecture : {};
  const both = isObject(element.modalities) ? element.modalities : {};
  const lists = [
    architecture[`${side}_modalities`],
    element[`${side}_modalities`],
    element[`supported_${side}_modalities`],
    both[side],
  ];
  const words = lists.flatMap(readWords);
  if (words.length > 0 || typeof architecture.modality !== 'string') return words;
  const [input = '', output = ''] = architecture.modality.split('->', 2);
  return readWords((side === 'input' ? input : output).split('+'));
}

function deniesChat(element: JsonObject): boolean {
  const deniedWords = [element.capabilities, element]
    .filter(isObject)
    .flatMap((object) => readFlagWords(object, false));
  return deniedWords.some((word) => useOfWord.get(word) === 'chat');
}

/** The uses of a model without chat: those of its family, otherwise `other`. */
function findOtherUses(id: string): readonly ModelUse[] {
  const uses = findFamilyUses(id).filter((use) => use !== 'chat');
  return uses.length > 0 ? uses : ['other'];
}

/** The most values that are read from one list of a model. */
const maxWords = 64;
const maxWordLength = 64;

/**
 * The words in a value, normalized: `generateContent`, `GENERATE_CONTENT` and `generate content` are
 * `generate-content`. The words of a list are its strings. The words of an object are its keys with the value true or
 * `{supported: true}`.
 */
export function readWords(value: unknown): readonly string[] {
  if (typeof value === 'string') return [normalizeWord(value)];
  if (Array.isArray(value)) {
    const strings = value.slice(0, maxWords).filter((each) => typeof each === 'string');
    return strings.map(normalizeWord);
  }
  return isObject(value) ? readFlagWords(value, true) : [];
}

/** The keys of an object whose value is `flag` or `{supported: flag}`, as words. */
function readFlagWords(object: JsonObject, flag: boolean): readonly string[] {
  const keys = Object.keys(object).slice(0, maxWords);
  const matchingKeys = keys.filter((key) => {
    const value = object[key];
    return (isObject(value) ? value.supported : value) === flag;
  });
  return matchingKeys.map(normalizeWord);
}

function normalizeWord(word: string): string {
  return word
    .slice(0, maxWordLength)
    .replace(/([a-z])([A-Z])/g, '$1-$2')
    .toLowerCase()
    .replace(/[\s_/.-]+/g, '-')
    .replace(/^-?(?:v\d+-)?|-$/g, '');
}
