import { isObject, type JsonObject } from '../../../base/json.ts';
import { type ModelUse, modelUses, usesOfFamily } from './modelUse.ts';
import { deniedWords, wordsOf } from './modelWords.ts';

/**
 * The words by which gateways name a use: as `mode` (LiteLLM), `type` (Together, Vercel, LM Studio), `task`
 * (GitHub), `capabilities` (Mistral, Ollama, Azure), `endpoints` (Cohere), `supported_endpoint_types` (new-api),
 * `supportedGenerationMethods` (Gemini), or as the paths that serve it. What several kinds of models have is not
 * among them: Gemini's models for speech and pictures have `generateContent`, too.
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

/** What a chat model, too, may list as a capability: it takes such a thing in, or has it in its replies. */
const sideCapabilities = new Set('audio code image images ocr search speech video videos'.split(' '));

/**
 * What a model is for, as an element of a model list tells it. The first kind of field that tells anything counts:
 * a word for the model, what comes out of it, what it can do, which routes serve it.
 *
 * @returns undefined when the element tells nothing
 */
export function toldUses(element: JsonObject, id: string): readonly ModelUse[] | undefined {
  const info = isObject(element.model_info) ? element.model_info : {};
  const capabilities = isObject(element.capabilities) ? element.capabilities : {};
  const told =
    ofWords(
      [info.mode, element.mode, element.type, capabilities.type, element.kind, element.task].flatMap(named),
    ) ??
    ofOutput(element) ??
    ofWords(wordsOf(element.capabilities).filter((word) => !sideCapabilities.has(word))) ??
    ofWords(
      [
        element.endpoints,
        element.supported_endpoints,
        element.supported_endpoint_types,
        element.supportedGenerationMethods,
      ].flatMap(wordsOf),
    );
  return told ?? (deniesChat(element) ? otherUses(id) : undefined);
}

/** The words of a field that is a word, or an object with a name. */
function named(value: unknown): readonly string[] {
  const words = wordsOf(isObject(value) ? value.name : value);
  return words.map((word) => word.replace(/-models?$/, ''));
}

function ofWords(words: readonly string[]): readonly ModelUse[] | undefined {
  const uses = new Set(words.map((word) => useOfWord.get(word)).filter((use) => use !== undefined));
  return uses.size > 0 ? [...uses] : undefined;
}

/** OpenRouter's `architecture`, with lists or as `text+image->text`, and what others name alike. */
function ofOutput(element: JsonObject): readonly ModelUse[] | undefined {
  const outputs = modalities(element, 'output');
  const uses = ofWords(outputs);
  if (!uses?.includes('chat')) return uses;
  const inputs = modalities(element, 'input');
  // What only hears and writes does not converse.
  return inputs.length > 0 && inputs.every((input) => input === 'audio') ? ['transcription'] : uses;
}

/** What goes into a model or comes out of it, as words: `text`, `image`, `audio`, `video`, `file`. */
export function modalities(element: JsonObject, side: 'input' | 'output'): readonly string[] {
  const architecture = isObject(element.architecture) ? element.architecture : {};
  const both = isObject(element.modalities) ? element.modalities : {};
  const listed = [
    architecture[`${side}_modalities`],
    element[`${side}_modalities`],
    element[`supported_${side}_modalities`],
    both[side],
  ];
  const words = listed.flatMap(wordsOf);
  if (words.length > 0 || typeof architecture.modality !== 'string') return words;
  const [input = '', output = ''] = architecture.modality.split('->', 2);
  return wordsOf((side === 'input' ? input : output).split('+'));
}

function deniesChat(element: JsonObject): boolean {
  const denied = [...deniedWords(element.capabilities), ...deniedWords(element)];
  return denied.some((word) => useOfWord.get(word) === 'chat');
}

/** What a model is for that does not chat: what its family is for, else something else. */
function otherUses(id: string): readonly ModelUse[] {
  const uses = usesOfFamily(id).filter((use) => use !== 'chat');
  return uses.length > 0 ? uses : ['other'];
}
