import { decodeMessages } from '../../../wire/apis/messages/encode.ts';
import { type MessagesRequest, messagesRequest } from '../../../wire/apis/messages/request.ts';
import { messagesReplies } from '../../../wire/apis/messages/writeReply.ts';
import { messagesOf, schemaOf } from '../prompt.ts';
import { demoFormat, type UnderstoodRequest } from './demoFormat.ts';
import { messagesTools } from './tools.ts';
import { writtenBy } from './writtenReply.ts';

/** How the demo speaks messages. */
export const messagesDemo = demoFormat(messagesRequest, understand);

function understand(request: MessagesRequest): UnderstoodRequest {
  const format = request.output_config?.format;
  const schema = schemaOf(format?.type === 'json_schema', format?.schema, 'output_config.format.schema');
  return {
    prompt: {
      model: request.model,
      messages: messagesOf(() => decodeMessages(request)),
      choices: 1,
      maxTokens: request.max_tokens,
      stop: request.stop_sequences ?? [],
      json: schema !== undefined,
      schema,
      thinking: request.thinking?.type !== 'disabled',
      tools: messagesTools(request),
    },
    streamed: request.stream === true,
    ...writtenBy(messagesReplies, { prefix: 'msg_demo_' }),
  };
}
