import { isObject } from '../../../base/json.ts';
import { decodeInteractions } from '../../../wire/apis/interactions/encode.ts';
import { type InteractionsRequest, interactionsRequest } from '../../../wire/apis/interactions/request.ts';
import { interactionsReplies } from '../../../wire/apis/interactions/writeReply.ts';
import { messagesOf, refuseKept, unsupported } from '../prompt.ts';
import { type DemoQuestion, demoFormat, type UnderstoodRequest } from './demoFormat.ts';
import { interactionsTools } from './tools.ts';
import { writtenBy } from './writtenReply.ts';

/** How the demo speaks interactions. */
export const interactionsDemo = demoFormat(interactionsRequest, understand);

function understand(request: InteractionsRequest, { servedModel: model }: DemoQuestion): UnderstoodRequest {
  const { generation_config: config, store } = request;
  const formats = [request.response_format ?? []].flat();
  refuseKept(request, {
    background: 'interaction to be read later; leave it out',
    previous_interaction_id: 'earlier interaction; send the conversation in input',
    continuation_token: 'earlier interaction; send the conversation in input',
  });
  const others = formats.some(({ type }) => type !== 'text' && type !== 'image');
  if (others) throw unsupported('response_format.type', 'a demo model writes text and draws images');
  const { schema } = formats.find((format) => format.schema) ?? {};
  return {
    prompt: {
      model,
      messages: messagesOf(() => decodeInteractions(request)),
      choices: 1,
      maxTokens: config?.max_output_tokens ?? Infinity,
      stop: config?.stop_sequences ?? [],
      json: formats.some(({ mime_type }) => mime_type === 'application/json'),
      schema: isObject(schema) ? schema : undefined,
      thinking: config?.thinking_summaries !== 'none',
      tools: interactionsTools(request),
      picture: formats.some(({ type }) => type === 'image'),
    },
    streamed: request.stream === true,
    ...writtenBy(interactionsReplies(store !== false), { prefix: 'v1_demo_' }),
  };
}
