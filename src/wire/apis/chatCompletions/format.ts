import { isObject } from '../../../base/json.ts';
import { defineRoutes } from '../../routes.ts';
import type { ApiFormat, PrefixContext } from '../shared/apiFormat.ts';
import type { ErrorDetails } from '../shared/errorFormat.ts';
import { chatCompletionsCommon } from './commonParameters.ts';
import { ChatCompletionsDecoder, ChatCompletionsRecorder } from './readReply.ts';
import type { ChatCompletionsError } from './schema.ts';
import { type ChatCompletionsConversation, encodeChatCompletions } from './writeRequest.ts';

const routes = defineRoutes({
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
  route: routes.chatCompletions,
  routes: Object.values(routes),
  isModelInPath: false,
  ownFields: ['model', 'messages', 'stream', 'stream_options'],
  defaults: () => ({ stream: true, stream_options: { include_usage: true } }),
  common: chatCompletionsCommon,
  // Mistral and LiteLLM require `prefix` in the last message.
  prefix: {
    isSupported: supportsPrefix,
    mark: (encoded) => markPrefix(encoded as ChatCompletionsConversation),
  },
  encode: (messages) => encodeChatCompletions(messages),
  createDecoder: () => new ChatCompletionsDecoder(),
  createRecorder: () => new ChatCompletionsRecorder(),
  error: { body: writeChatCompletionsError },
} as const satisfies ApiFormat;

export function writeChatCompletionsError({
  message,
  type,
  param,
  code,
}: ErrorDetails): ChatCompletionsError {
  return { error: { message, type, param: param ?? null, code } };
}

/** Mistral's own models support `prefix`. Other providers refuse the field, or accept it on other routes. */
const prefixModel = /(^|\/)(mistral|ministral|mixtral|codestral|devstral|pixtral)/i;

/** Thinking models do not continue a reply. */
function supportsPrefix({ model, acceptsPrefix, parameters }: PrefixContext): boolean {
  const { reasoning_effort: effort, thinking, reasoning } = parameters;
  const isThinking = (effort != null && effort !== 'none') || isObject(thinking) || isObject(reasoning);
  return !isThinking && (acceptsPrefix ?? prefixModel.test(model));
}

/** Marks the last message, and removes the white space at its end, which providers refuse. */
function markPrefix({ messages }: ChatCompletionsConversation): ChatCompletionsConversation {
  const last = messages.at(-1);
  if (last?.role !== 'assistant') return { messages };
  const { content } = last;
  const text =
    typeof content === 'string' ? content : (content ?? []).map((part) => part.text ?? '').join('');
  return { messages: messages.with(-1, { ...last, content: text.trimEnd(), prefix: true }) };
}
