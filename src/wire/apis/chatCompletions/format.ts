import { named } from '../../routes.ts';
import type { ApiFormat } from '../apiFormat.ts';
import type { ErrorFacts } from '../errorForm.ts';
import { ChatCompletionsDecoder } from './decode.ts';
import { decodeChatCompletions, encodeChatCompletions } from './encode.ts';
import type { ChatCompletionsError } from './request.ts';

export const chatCompletionsRoutes = named({
  chatCompletions: {
    method: 'POST',
    path: '/v1/chat/completions',
    credential: 'bearer',
    group: 'chatCompletions',
  },
});

export const chatCompletions = {
  id: 'chatCompletions',
  label: 'Chat completions',
  provider: 'OpenAI',
  route: chatCompletionsRoutes.chatCompletions,
  routes: Object.values(chatCompletionsRoutes),
  isModelInPath: false,
  ownFields: ['model', 'messages', 'stream', 'stream_options'],
  defaults: { stream: true, stream_options: { include_usage: true } },
  encode: (messages) => encodeChatCompletions(messages),
  decode: decodeChatCompletions,
  createDecoder: () => new ChatCompletionsDecoder(),
  error: { body: chatCompletionsError },
} as const satisfies ApiFormat;

export function chatCompletionsError({ message, type, param, code }: ErrorFacts): ChatCompletionsError {
  return { error: { message, type, param: param ?? null, code } };
}
