import type { JsonObject } from '../../../base/json.ts';
import { explain } from '../../explanations/explanation.ts';
import type { Encoded, ForeignMessage, ForeignPart } from '../../message.ts';
import { Omissions } from '../../omissions.ts';
import { argumentsObject, isPart, type PartOf, placedParts } from '../format/encoding.ts';
import { at, type RequestForm } from '../format/requestForm.ts';
import { contentGenerationCommon, neededThinking, switchesThinkingOff, thoughtlessModel } from './common.ts';
import type { Content, ContentGenerationRequest, Part } from './request.ts';

/** The members of a request that hold the conversation. */
export type ContentGenerationConversation = Pick<ContentGenerationRequest, 'contents' | 'systemInstruction'>;

/**
 * Encodes a conversation. Adjacent messages of one role become one turn, because all results of a turn must
 * be together. System messages go into a field of their own.
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
      if (contents.length > 0) omitted.add(explain('omitted-system-place'));
      const texts = placedParts(message, omitted).filter(isPart('text'));
      instructions.push(...texts.map(({ text }) => ({ text })));
    } else {
      const said = verbatim ?? parts.filter(saysSomething).map((part) => encodePart(part, omitted));
      addTurn(contents, role === 'user' ? 'user' : 'model', said);
    }
  }
  return {
    body: { contents, ...(instructions.length > 0 && { systemInstruction: { parts: instructions } }) },
    omitted: omitted.all,
  };
}

/** Providers refuse empty parts. */
function saysSomething(part: ForeignPart): boolean {
  if (part.type === 'reasoning') return part.text !== '' || part.signature !== undefined;
  return part.type !== 'text' || part.text !== '';
}

function addTurn(contents: Content[], role: 'user' | 'model', parts: readonly Part[]): void {
  const last = contents.at(-1);
  if (last?.role === role) last.parts.push(...parts);
  else if (parts.length > 0) contents.push({ role, parts: [...parts] });
}

function encodePart(part: ForeignPart, omitted: Omissions): Part {
  switch (part.type) {
    case 'text':
      return { text: part.text };
    case 'image':
    case 'document':
      return inlineData(part);
    case 'imageLink':
      return {
        fileData: { fileUri: part.url, ...(part.mimeType !== undefined && { mimeType: part.mimeType }) },
      };
    case 'reasoning':
      return {
        text: part.text,
        // A signature without text came with a part of the answer, and goes back with one.
        ...(part.text !== '' && { thought: true }),
        ...(part.signature !== undefined && { thoughtSignature: part.signature }),
      };
    case 'toolCall':
      return {
        functionCall: {
          ...(part.id !== '' && { id: part.id }),
          name: part.name,
          args: argumentsObject(part, omitted),
        },
        ...(part.signature !== undefined && { thoughtSignature: part.signature }),
      };
    case 'toolResult':
      return {
        functionResponse: {
          ...(part.id !== '' && { id: part.id }),
          name: part.name,
          response: { [part.failed ? 'error' : 'output']: part.text },
          ...(part.pictures?.length && { parts: part.pictures.map(inlineData) }),
        },
      };
  }
}

function inlineData({ mimeType, data }: PartOf<'image' | 'document'>): Part {
  return { inlineData: { mimeType, data } };
}

const { temperature, reasoningEffort, tools: declared, responseFormat: formatted } = contentGenerationCommon;

const config = (name: string) => at('generationConfig', name);

/** Writes requests of content generation. */
export const contentGenerationForm: RequestForm = {
  admission: {
    format: 'contentGeneration',
    answersHoldPictures: true,
    linksHaveTypes: true,
    takesReasoning: true,
    takesCallSignatures: true,
    parsesArguments: true,
    namesResults: true,
    tellsFailure: true,
    mostStops: 5,
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
      if (value === 'adaptive' && !thoughtlessModel.test(model)) return neededThinking(model);
      const placed = reasoningEffort.place(settings, model);
      if (placed.length === 0) return undefined;
      if (switchesThinkingOff(placed)) return placed;
      return [...placed, ...at('generationConfig', 'thinkingConfig', 'includeThoughts')(true)];
    },
    thoughts(value, { model, settings: { reasoningEffort: effort } }) {
      if (thoughtlessModel.test(model)) return undefined;
      return effort === 'none' || effort === 0 ? [] : [{ path: shownPath, value }];
    },
    tools: declared,
    toolChoice: ({ mode, names }) =>
      at(
        'toolConfig',
        'functionCallingConfig',
      )({
        mode: { auto: 'AUTO', none: 'NONE', required: 'ANY' }[mode],
        ...(names && { allowedFunctionNames: names }),
      }),
    responseFormat: formatted,
    pictures: () => config('responseModalities')(['TEXT', 'IMAGE']),
  },
  complete(body, { model }) {
    if (earlierModel.test(model)) return withPicturesApart(body);
    return signingModel.test(model) ? withSignatures(body) : body;
  },
};

const shownPath = ['generationConfig', 'thinkingConfig', 'includeThoughts'];

/** Models that refuse pictures in the result of a tool. */
const earlierModel = /gemini-[12](\D|$)/;

/** The pictures of a result stand after the results, as the user's. */
function withPicturesApart(body: JsonObject): JsonObject {
  const { contents } = body as unknown as ContentGenerationConversation;
  return { ...body, contents: contents.map((content) => ({ ...content, parts: partsApart(content.parts) })) };
}

function partsApart(parts: readonly Part[]): Part[] {
  const pictures: Part[] = [];
  const others = parts.map((part): Part => {
    const { parts: own, ...result } = part.functionResponse ?? {};
    if (!Array.isArray(own)) return part;
    pictures.push({ text: `Pictures from the result of ${result.name ?? ''}:` }, ...own);
    return { ...part, functionResponse: result };
  });
  const lastResult = others.findLastIndex(({ functionResponse }) => functionResponse !== undefined);
  return others.toSpliced(lastResult + 1, 0, ...pictures);
}

/** Models that refuse a call without the signature that came with it. */
const signingModel = /gemini-([3-9]|\d\d)/;

/** What the provider takes in place of the signature of a call that another model made, or that was lost. */
const unknownSignature = 'skip_thought_signature_validator';

function withSignatures(body: JsonObject): JsonObject {
  const { contents } = body as unknown as ContentGenerationConversation;
  return { ...body, contents: contents.map(withSignature) };
}

/** Only the first call of a turn is signed. */
function withSignature(content: Content): Content {
  const first = content.parts.findIndex(({ functionCall }) => functionCall !== undefined);
  const call: Part | undefined = content.parts[first];
  if (!call || call.thoughtSignature !== undefined) return content;
  return { ...content, parts: content.parts.with(first, { ...call, thoughtSignature: unknownSignature }) };
}
