import type { JsonObject } from '../../../base/json.ts';
import { explain } from '../../explanations/explanation.ts';
import { type Encoded, type ForeignMessage, type ForeignPart, Omissions } from '../../message.ts';
import { dropMisplacedParts, isPart, type PartOf, readArguments } from '../shared/messageParts.ts';
import { placeAt, type RequestForm } from '../shared/requestForm.ts';
import {
  contentGenerationCommon,
  disablesThinking,
  nonThinkingModel,
  placeAdaptiveThinking,
} from './commonParameters.ts';
import type { Content, ContentGenerationRequest, Part } from './schema.ts';

/** The members of a request that contain the conversation. */
type ContentGenerationConversation = Pick<ContentGenerationRequest, 'contents' | 'systemInstruction'>;

/**
 * Encodes a conversation. Adjacent messages of one role become one turn, because all results of a turn must be in
 * one turn. System messages are written to a field of their own.
 */
export function encodeContentGeneration(
  messages: readonly ForeignMessage[],
): Encoded<ContentGenerationConversation> {
  const omitted = new Omissions();
  const contents: Content[] = [];
  const instructions: Part[] = [];
  for (const message of messages) {
    const { role, parts, verbatim } = message;
    if (role === 'system') {
      if (contents.length > 0) omitted.add(explain('omitted-system-position'));
      const texts = dropMisplacedParts(message, omitted).filter(isPart('text'));
      for (const { text } of texts) instructions.push({ text });
    } else {
      const contentParts = verbatim ?? parts.filter(hasContent).map((part) => encodePart(part, omitted));
      addTurn(contents, role === 'user' ? 'user' : 'model', contentParts);
    }
  }
  return {
    body: { contents, ...(instructions.length > 0 && { systemInstruction: { parts: instructions } }) },
    omitted: omitted.all,
  };
}

/** Providers refuse empty parts. */
function hasContent(part: ForeignPart): boolean {
  if (part.type === 'reasoning') return part.text !== '' || part.signature !== undefined;
  return part.type !== 'text' || part.text !== '';
}

function addTurn(contents: Content[], role: 'user' | 'model', parts: readonly Part[]): void {
  const last = contents.at(-1);
  if (last?.role === role) for (const part of parts) last.parts.push(part);
  else if (parts.length > 0) contents.push({ role, parts: [...parts] });
}

function encodePart(part: ForeignPart, omitted: Omissions): Part {
  switch (part.type) {
    case 'text':
      return { text: part.text };
    case 'image':
    case 'document':
      return encodeInlineData(part);
    case 'imageLink':
      return {
        fileData: { fileUri: part.url, ...(part.mimeType !== undefined && { mimeType: part.mimeType }) },
      };
    case 'reasoning':
      return {
        text: part.text,
        // A signature without text arrived in a text part, and is sent back in a text part.
        ...(part.text !== '' && { thought: true }),
        ...(part.signature !== undefined && { thoughtSignature: part.signature }),
      };
    case 'toolCall':
      return {
        functionCall: {
          ...(part.id !== '' && { id: part.id }),
          name: part.name,
          args: readArguments(part, omitted),
        },
        ...(part.signature !== undefined && { thoughtSignature: part.signature }),
      };
    case 'toolResult':
      return {
        functionResponse: {
          ...(part.id !== '' && { id: part.id }),
          name: part.name,
          response: { [part.hasFailed ? 'error' : 'output']: part.text },
          ...(part.pictures?.length && { parts: part.pictures.map(encodeInlineData) }),
        },
      };
  }
}

function encodeInlineData({ mimeType, data }: PartOf<'image' | 'document'>): Part {
  return { inlineData: { mimeType, data } };
}

const { temperature, reasoningEffort, tools, responseFormat } = contentGenerationCommon;

export const contentGenerationForm: RequestForm = {
  contentRules: {
    format: 'contentGeneration',
    allowsPicturesInReplies: true,
    requiresLinkTypes: true,
    acceptsReasoning: true,
    acceptsCallSignatures: true,
    parsesArguments: true,
    namesResults: true,
    reportsToolFailure: true,
    maxStops: 5,
    toolName: /^[A-Za-z_][\w.:-]{0,63}$/,
  },
  encode: encodeContentGeneration,
  settings: {
    temperature,
    topP: ['generationConfig', 'topP'],
    topK: ['generationConfig', 'topK'],
    presencePenalty: ['generationConfig', 'presencePenalty'],
    frequencyPenalty: ['generationConfig', 'frequencyPenalty'],
    seed: ['generationConfig', 'seed'],
    stop: ['generationConfig', 'stopSequences'],
    outputLimit: ['generationConfig', 'maxOutputTokens'],
    choices: ['generationConfig', 'candidateCount'],
    reasoningEffort(value, { model, settings }) {
      if (value === 'adaptive' && !nonThinkingModel.test(model)) return placeAdaptiveThinking(model);
      const fields = reasoningEffort.place(settings, model);
      if (fields.length === 0) return undefined;
      if (disablesThinking(fields)) return fields;
      return [...fields, { path: includeThoughtsPath, value: true }];
    },
    thoughts(value, { model, settings: { reasoningEffort: effort } }) {
      if (nonThinkingModel.test(model)) return undefined;
      return effort === 'none' || effort === 0 ? [] : [{ path: includeThoughtsPath, value }];
    },
    tools,
    toolChoice: ({ mode, names }) =>
      placeAt(
        'toolConfig',
        'functionCallingConfig',
      )({
        mode: { auto: 'AUTO', none: 'NONE', required: 'ANY' }[mode],
        ...(names && { allowedFunctionNames: names }),
      }),
    responseFormat,
    pictures: () => placeAt('generationConfig', 'responseModalities')(['TEXT', 'IMAGE']),
    cachedContent: ['cachedContent'],
  },
  complete(body, { model }) {
    if (earlierModel.test(model)) return separateResultPictures(body);
    return signingModel.test(model) ? addSignatures(body) : body;
  },
};

const includeThoughtsPath = ['generationConfig', 'thinkingConfig', 'includeThoughts'];

/** Models that refuse pictures in the result of a tool. */
const earlierModel = /gemini-[12](\D|$)/;

/** Moves the pictures of results behind the results, as content of the user. */
function separateResultPictures(body: JsonObject): JsonObject {
  const { contents } = body as unknown as ContentGenerationConversation;
  return {
    ...body,
    contents: contents.map((content) => ({ ...content, parts: separatePictures(content.parts) })),
  };
}

function separatePictures(parts: readonly Part[]): Part[] {
  const pictures: Part[] = [];
  const others = parts.map((part): Part => {
    const { parts: resultParts, ...result } = part.functionResponse ?? {};
    if (!Array.isArray(resultParts)) return part;
    pictures.push({ text: `Pictures from the result of ${result.name ?? ''}:` }, ...resultParts);
    return { ...part, functionResponse: result };
  });
  const lastResult = others.findLastIndex(({ functionResponse }) => functionResponse !== undefined);
  return others.toSpliced(lastResult + 1, 0, ...pictures);
}

/** Models that refuse a call without its signature. */
const signingModel = /gemini-([3-9]|\d\d)/;

/** The provider's placeholder for a lost signature, and for the call of another model. */
const unknownSignature = 'skip_thought_signature_validator';

function addSignatures(body: JsonObject): JsonObject {
  const { contents } = body as unknown as ContentGenerationConversation;
  return { ...body, contents: contents.map(addSignature) };
}

/** Only the first call of a turn is signed. */
function addSignature(content: Content): Content {
  const first = content.parts.findIndex(({ functionCall }) => functionCall !== undefined);
  const call: Part | undefined = content.parts[first];
  if (!call || call.thoughtSignature !== undefined) return content;
  return { ...content, parts: content.parts.with(first, { ...call, thoughtSignature: unknownSignature }) };
}
