import type { JsonObject } from '../../../base/json.ts';
import { asIn, at, type RequestForm } from '../requestForm.ts';
import { contentGenerationCommon, neededThinking, switchesThinkingOff, thoughtlessModel } from './common.ts';
import { type ContentGenerationConversation, encodeContentGeneration } from './encode.ts';
import type { Content, Part } from './request.ts';

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
    temperature: asIn(temperature),
    topP: config('topP'),
    topK: config('topK'),
    presencePenalty: config('presencePenalty'),
    frequencyPenalty: config('frequencyPenalty'),
    seed: config('seed'),
    stop: config('stopSequences'),
    outputLimit: config('maxOutputTokens'),
    choices: config('candidateCount'),
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
    tools: asIn(declared),
    toolChoice: ({ mode, names }) =>
      at(
        'toolConfig',
        'functionCallingConfig',
      )({
        mode: { auto: 'AUTO', none: 'NONE', required: 'ANY' }[mode],
        ...(names && { allowedFunctionNames: names }),
      }),
    responseFormat: asIn(formatted),
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
