import { defineRoutes } from '../../routes.ts';
import type { ApiFormat } from '../apiFormat.ts';
import type { ErrorDetails } from '../errorFormat.ts';
import { chatCompletionsCommon } from './common.ts';
import { ChatCompletionsDecoder } from './decode.ts';
import { decodeChatCompletions, encodeChatCompletions } from './encode.ts';
import { chatCompletionsPrefix } from './prefix.ts';
import type { ChatCompletionsError } from './request.ts';
import { ChatCompletionsSaid } from './said.ts';

export const chatCompletionsRoutes = defineRoutes({
  chatCompletions: {
    method: 'POST',
    path: '/v1/chat/completions',
    credential: 'bearer',
    group: 'chatCompletions',
  },
});

export const chatCompletions = {
  id: 'chatCompletions',
  label: 'Chat Completions (OpenAI)',
  shortLabel: 'Chat',
  route: chatCompletionsRoutes.chatCompletions,
  routes: Object.values(chatCompletionsRoutes),
  isModelInPath: false,
  ownFields: ['model', 'messages', 'stream', 'stream_options'],
  defaults: () => ({ stream: true, stream_options: { include_usage: true } }),
  common: chatCompletionsCommon,
  prefix: chatCompletionsPrefix,
  encode: (messages) => encodeChatCompletions(messages),
  decode: decodeChatCompletions,
  createDecoder: () => new ChatCompletionsDecoder(),
  createRecorder: () => new ChatCompletionsSaid(),
  error: { body: chatCompletionsError },
} as const satisfies ApiFormat;

export function chatCompletionsError({ message, type, param, code }: ErrorDetails): ChatCompletionsError {
  return { error: { message, type, param: param ?? null, code } };
}
