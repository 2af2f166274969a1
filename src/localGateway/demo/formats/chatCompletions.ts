import { decodeChatCompletions } from '../../../wire/apis/chatCompletions/encode.ts';
import {
  type ChatCompletionsRequest,
  chatCompletionsRequest,
} from '../../../wire/apis/chatCompletions/request.ts';
import { chatCompletionsReplies } from '../../../wire/apis/chatCompletions/writeReply.ts';
import { choicesOf, messagesOf, schemaOf } from '../prompt.ts';
import { demoFormat, type UnderstoodRequest } from './demoFormat.ts';
import { chatTools } from './tools.ts';
import { writtenBy } from './writtenReply.ts';

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
    ...writtenBy(chatCompletionsReplies(stream_options?.include_usage === true), {
      prefix: 'chatcmpl-demo-',
    }),
  };
}
