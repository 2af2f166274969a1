import type {
  ChatCompletion,
  ChatCompletionChunk,
  ChatCompletionDelta,
  ChatCompletionsRequest,
  ChatCompletionsUsage,
} from '../../../wire/shapes/chatCompletions.ts';
import { decodeChatCompletions } from '../../../wire/shapes/chatCompletionsEncode.ts';
import { errorEvent } from '../../errorForm.ts';
import { eventStream, serverSentEvent } from '../../serverSentEvent.ts';
import type { Draft } from '../draft.ts';
import { choicesOf, messagesOf, refuseSchema } from '../prompt.ts';
import { type DemoShape, outputTokens, type Piece, type Reply, type StreamWriter } from './shape.ts';

export function chatCompletions(request: ChatCompletionsRequest): DemoShape {
  const { model, n, stop, stream, stream_options, response_format: format } = request;
  refuseSchema(format?.type === 'json_schema', 'response_format.type', 'send text or json_object');
  return {
    prompt: {
      model,
      messages: messagesOf(() => decodeChatCompletions(request)),
      choices: choicesOf(n, 'n'),
      mostTokens: Math.min(request.max_tokens ?? Infinity, request.max_completion_tokens ?? Infinity),
      stop: typeof stop === 'string' ? [stop] : (stop ?? []),
      json: format?.type === 'json_object',
      thinking: request.reasoning_effort !== 'none',
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
    choices: reply.drafts.map(({ reasoning, content, finish }, index) => ({
      index,
      message: {
        role: 'assistant',
        content: content.join(''),
        ...(reasoning.length > 0 && { reasoning_content: reasoning.join('') }),
      },
      finish_reason: finish,
    })),
    usage: usageOf(reply),
  };
}

function chunks(reply: Reply, includeUsage: boolean): StreamWriter {
  const head = headOf(reply);
  const chunk = (index: number, delta: ChatCompletionDelta, finish: Draft['finish'] | null = null) =>
    serverSentEvent({
      ...head,
      object: 'chat.completion.chunk',
      choices: [{ index, delta, finish_reason: finish }],
      ...(includeUsage && { usage: null }),
    });
  return {
    contentType: eventStream,
    opening: () => reply.drafts.map((_, index) => chunk(index, { role: 'assistant', content: '' })).join(''),
    piece: (piece) => chunk(piece.choice, deltaOf(piece), piece.type === 'end' ? piece.draft.finish : null),
    ending: () => `${includeUsage ? serverSentEvent(usageChunk(reply)) : ''}data: [DONE]\n\n`,
    brokenOff: (error) => errorEvent(error, 'chat', reply.requestId),
  };
}

function usageChunk(reply: Reply): ChatCompletionChunk {
  return { ...headOf(reply), object: 'chat.completion.chunk', choices: [], usage: usageOf(reply) };
}

function deltaOf(piece: Piece): ChatCompletionDelta {
  switch (piece.type) {
    case 'reasoning':
      return { reasoning_content: piece.text };
    case 'content':
      return { content: piece.text };
    case 'end':
      return {};
  }
}

/** What all chunks of one reply have in common. */
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
