import { decodeChatCompletions } from '../../../wire/apis/chatCompletions/encode.ts';
import {
  type ChatCompletion,
  type ChatCompletionChunk,
  type ChatCompletionDelta,
  type ChatCompletionsFinishReason,
  type ChatCompletionsImage,
  type ChatCompletionsRequest,
  type ChatCompletionsUsage,
  chatCompletionsRequest,
} from '../../../wire/apis/chatCompletions/request.ts';
import { errorEvent } from '../../errorFormat.ts';
import { eventStream, serverSentEvent } from '../../serverSentEvent.ts';
import type { Draft } from '../draft.ts';
import type { Picture } from '../picture.ts';
import { choicesOf, messagesOf, schemaOf } from '../prompt.ts';
import {
  argumentsText,
  callId,
  demoFormat,
  outputTokens,
  type Piece,
  placedCalls,
  type Reply,
  type StreamWriter,
  type UnderstoodRequest,
} from './demoFormat.ts';
import { chatTools } from './tools.ts';

/** How the demo speaks chat completions. */
export const chatCompletionsDemo = demoFormat(chatCompletionsRequest, understand);

function understand(request: ChatCompletionsRequest): UnderstoodRequest {
  const { model, n, stop, stream, stream_options, response_format: format } = request;
  const isSchema = format?.type === 'json_schema';
  const schema = schemaOf(isSchema, format?.json_schema?.schema, 'response_format.json_schema.schema');
  return {
    prompt: {
      model,
      messages: messagesOf(() => decodeChatCompletions(request)),
      choices: choicesOf(n, 'n'),
      maxTokens: Math.min(request.max_tokens ?? Infinity, request.max_completion_tokens ?? Infinity),
      stop: typeof stop === 'string' ? [stop] : (stop ?? []),
      json: format?.type === 'json_object',
      schema,
      thinking: request.reasoning_effort !== 'none',
      tools: chatTools(request),
      picture: request.modalities?.includes('image') ?? false,
    },
    streamed: stream === true,
    whole: completion,
    stream: (reply) => chunks(reply, stream_options?.include_usage === true),
  };
}

type Head = Pick<ChatCompletionChunk, 'id' | 'created' | 'model'>;

function completion(reply: Reply): ChatCompletion {
  return {
    ...headOf(reply),
    object: 'chat.completion',
    choices: reply.drafts.map((draft, index) => ({
      index,
      message: messageOf(draft, reply, index),
      finish_reason: finishWords[draft.finish],
    })),
    usage: usageOf(reply),
  };
}

function messageOf(draft: Draft, reply: Reply, choice: number): ChatCompletion['choices'][number]['message'] {
  const { reasoning, content, picture, calls } = draft;
  return {
    role: 'assistant',
    content: content.join(''),
    ...(reasoning.length > 0 && { reasoning_content: reasoning.join('') }),
    ...(picture && { images: [imageOf(picture)] }),
    ...(calls.length > 0 && {
      tool_calls: placedCalls(draft).map((call) => ({
        id: callId(reply, call, choice),
        type: 'function',
        function: { name: call.name, arguments: argumentsText(call) },
      })),
    }),
  };
}

/** The format defines no pictures in replies; gateways send them like this. */
function imageOf({ mimeType, data }: Picture): ChatCompletionsImage {
  return { type: 'image_url', image_url: { url: `data:${mimeType};base64,${data}` }, index: 0 };
}

function chunks(reply: Reply, includeUsage: boolean): StreamWriter {
  const head = headOf(reply);
  const chunk = (
    index: number,
    delta: ChatCompletionDelta,
    finish: ChatCompletionsFinishReason | null = null,
  ) =>
    serverSentEvent({
      ...head,
      object: 'chat.completion.chunk',
      choices: [{ index, delta, finish_reason: finish }],
      ...(includeUsage && { usage: null }),
    });
  return {
    contentType: eventStream,
    opening: () => reply.drafts.map((_, index) => chunk(index, { role: 'assistant', content: '' })).join(''),
    piece: (piece) =>
      chunk(
        piece.choice,
        deltaOf(piece, reply),
        piece.type === 'end' ? finishWords[piece.draft.finish] : null,
      ),
    ending: () => `${includeUsage ? serverSentEvent(usageChunk(reply)) : ''}data: [DONE]\n\n`,
    brokenOff: (error) => errorEvent(error, 'chatCompletions', reply.requestId),
  };
}

function usageChunk(reply: Reply): ChatCompletionChunk {
  return { ...headOf(reply), object: 'chat.completion.chunk', choices: [], usage: usageOf(reply) };
}

const finishWords: Readonly<Record<Draft['finish'], ChatCompletionsFinishReason>> = {
  stop: 'stop',
  length: 'length',
  'tool-calls': 'tool_calls',
};

function deltaOf(piece: Piece, reply: Reply): ChatCompletionDelta {
  switch (piece.type) {
    case 'reasoning':
      return { reasoning_content: piece.text };
    case 'content':
      return { content: piece.text };
    case 'picture':
      return { images: [imageOf(piece.picture)] };
    case 'call':
      return { tool_calls: [callDelta(piece, reply)] };
    case 'end':
      return {};
  }
}

/** Only the first fragment of a call has its name. */
function callDelta({ call, text, choice }: Extract<Piece, { type: 'call' }>, reply: Reply) {
  const { position: index, name } = call;
  if (text !== '') return { index, function: { arguments: text } };
  const id = callId(reply, call, choice);
  return { index, id, type: 'function', function: { name, arguments: '' } } as const;
}

/** The members that all chunks of a reply share. */
function headOf({ id, createdAt, model }: Reply): Head {
  return { id: `chatcmpl-demo-${id}`, created: Math.floor(createdAt.getTime() / 1000), model };
}

function usageOf(reply: Reply): ChatCompletionsUsage {
  const { reasoning, content } = outputTokens(reply);
  return {
    prompt_tokens: reply.promptTokens,
    completion_tokens: reasoning + content,
    total_tokens: reply.promptTokens + reasoning + content,
    ...(reasoning > 0 && { completion_tokens_details: { reasoning_tokens: reasoning } }),
  };
}
