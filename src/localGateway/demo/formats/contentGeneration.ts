import { isObject, type JsonObject } from '../../../base/json.ts';
import { decodeContentGeneration } from '../../../wire/apis/contentGeneration/encode.ts';
import { contentGeneration } from '../../../wire/apis/contentGeneration/format.ts';
import {
  type ContentGenerationRequest,
  contentGenerationRequest,
  type GenerateContentReply,
  type Part,
} from '../../../wire/apis/contentGeneration/request.ts';
import { eventStream } from '../../serverSentEvent.ts';
import { type Draft, signatureOf } from '../draft.ts';
import type { Picture } from '../picture.ts';
import { choicesOf, messagesOf } from '../prompt.ts';
import {
  argumentsText,
  callId,
  type DemoQuestion,
  demoFormat,
  type OutputTokens,
  outputTokens,
  type Piece,
  type PlacedCall,
  placedCalls,
  type Reply,
  type StreamWriter,
  type UnderstoodRequest,
} from './demoFormat.ts';
import { generationTools } from './tools.ts';

/** How the demo speaks content generation. */
export const contentGenerationDemo = demoFormat(contentGenerationRequest, understand);

function understand(
  request: ContentGenerationRequest,
  { servedModel: model, framing = 'whole' }: DemoQuestion,
): UnderstoodRequest {
  const config = request.generationConfig ?? {};
  const { thinkingConfig: thinking } = config;
  const schema = config.responseJsonSchema ?? config.responseSchema;
  return {
    prompt: {
      model,
      messages: messagesOf(() => decodeContentGeneration(request)),
      choices: choicesOf(config.candidateCount, 'generationConfig.candidateCount'),
      maxTokens: config.maxOutputTokens ?? Infinity,
      stop: config.stopSequences ?? [],
      json: config.responseMimeType === 'application/json',
      schema: isObject(schema) ? schema : undefined,
      thinking: thinking?.includeThoughts !== false && thinking?.thinkingBudget !== 0,
      tools: generationTools(request),
      picture: config.responseModalities?.some((kind) => kind.toUpperCase() === 'IMAGE') ?? false,
    },
    streamed: framing !== 'whole',
    whole,
    stream: (reply) => chunks(reply, framing === 'array' ? arrayFraming() : eventFraming),
  };
}

function whole(reply: Reply): GenerateContentReply {
  return {
    candidates: reply.drafts.map((draft, index) => ({
      content: { role: 'model', parts: partsOf(draft, reply, index) },
      finishReason: finishWords[draft.finish],
      index,
    })),
    ...tailOf(reply, outputTokens(reply)),
  };
}

function chunks(reply: Reply, { contentType, opening, frame, ending }: Framing): StreamWriter {
  const written = { reasoning: 0, content: 0 };
  return {
    contentType,
    opening,
    piece(piece) {
      count(piece, written);
      // The first piece of a call sends all of it.
      if (piece.type === 'call' && piece.text !== '') return '';
      const parts = [partOf(piece, reply)];
      const finish = piece.type === 'end' && { finishReason: finishWords[piece.draft.finish] };
      const candidate = { content: { role: 'model' as const, parts }, ...finish, index: piece.choice };
      return frame({ candidates: [candidate], ...tailOf(reply, written) });
    },
    ending,
    brokenOff: (error) => frame(contentGeneration.error.body(error)) + ending(),
  };
}

function count(piece: Piece, written: { reasoning: number; content: number }): void {
  if (piece.type === 'reasoning' || piece.type === 'content') written[piece.type] += 1;
  else if (piece.type === 'call' && piece.text === '') written.content += piece.call.arguments.length;
}

/** What separates the elements of a stream. */
interface Framing extends Pick<StreamWriter, 'contentType' | 'opening' | 'ending'> {
  frame(element: object): string;
}

const eventFraming: Framing = {
  contentType: eventStream,
  opening: () => '',
  frame: (element) => `data: ${JSON.stringify(element)}\r\n\r\n`,
  ending: () => '',
};

function arrayFraming(): Framing {
  let separator = '';
  return {
    contentType: 'application/json; charset=utf-8',
    opening: () => '[',
    frame(element) {
      const text = separator + JSON.stringify(element);
      separator = '\n,\n';
      return text;
    },
    ending: () => '\n]\n',
  };
}

function partsOf(draft: Draft, reply: Reply, choice: number): Part[] {
  const { reasoning, content, picture } = draft;
  const thought = reasoning.length > 0;
  return [
    ...(thought ? [{ text: reasoning.join(''), thought }] : []),
    { text: content.join(''), ...(thought && { thoughtSignature: signatureOf(draft) }) },
    ...(picture ? [imagePart(picture)] : []),
    ...placedCalls(draft).map((call) => callPart(call, reply, choice)),
  ];
}

function imagePart({ mimeType, data }: Picture): Part {
  return { inlineData: { mimeType, data } };
}

function callPart(call: PlacedCall, reply: Reply, choice: number): Part {
  const args = JSON.parse(argumentsText(call)) as JsonObject;
  return { functionCall: { id: callId(reply, call, choice), name: call.name, args } };
}

/** The signature of the reasoning comes last, in a part without text. */
function partOf(piece: Piece, reply: Reply): Part {
  switch (piece.type) {
    case 'reasoning':
      return { text: piece.text, thought: true };
    case 'content':
      return { text: piece.text };
    case 'picture':
      return imagePart(piece.picture);
    case 'call':
      return callPart(piece.call, reply, piece.choice);
    case 'end':
      return {
        text: '',
        ...(piece.draft.reasoning.length > 0 && { thoughtSignature: signatureOf(piece.draft) }),
      };
  }
}

function tailOf({ id, model, promptTokens }: Reply, { reasoning, content }: OutputTokens) {
  return {
    usageMetadata: {
      promptTokenCount: promptTokens,
      candidatesTokenCount: content,
      ...(reasoning > 0 && { thoughtsTokenCount: reasoning }),
      totalTokenCount: promptTokens + reasoning + content,
    },
    modelVersion: model,
    responseId: id,
  };
}

const finishWords: Readonly<Record<Draft['finish'], string>> = {
  stop: 'STOP',
  length: 'MAX_TOKENS',
  'tool-calls': 'STOP',
};
