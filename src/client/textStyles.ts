import { encodeChatCompletions } from '../wire/apis/chatCompletions/encode.ts';
import { encodeContentGeneration } from '../wire/apis/contentGeneration/encode.ts';
import { encodeInteractions } from '../wire/apis/interactions/encode.ts';
import { encodeMessages } from '../wire/apis/messages/encode.ts';
import { encodeResponses } from '../wire/apis/responses/encode.ts';
import type { ChatEvent } from '../wire/chatEvent.ts';
import type { Encoded, Message } from '../wire/message.ts';
import type {
  CallOptions,
  ChatCompletionsRequest,
  ChatResult,
  ContentGenerationRequest,
  GatewayClient,
  InteractionsRequest,
  MessagesRequest,
  ResponsesRequest,
} from './gatewayClient.ts';

/** The shapes a conversation can be sent in. */
export const textStyles = [
  'chat-completions',
  'content-generation',
  'messages',
  'responses',
  'interactions',
] as const;

export type TextStyle = (typeof textStyles)[number];

/** A request as it will be sent, before headers. The page shows exactly this. */
export interface StyledRequest {
  readonly style: TextStyle;
  readonly model: string;
  readonly body: Readonly<Record<string, unknown>>;
  /** What the format cannot carry of the conversation, in words for the user. */
  readonly omitted: readonly string[];
}

/** The messages format requires a limit; this one is the default, in tokens. */
const messagesLimit = 4096;

/**
 * Encodes a conversation as a streamed request of a format.
 *
 * @param parameters fields of the format's own request; those of the conversation override them
 */
export function styledRequest(
  style: TextStyle,
  model: string,
  messages: readonly Message[],
  parameters: Readonly<Record<string, unknown>>,
): StyledRequest {
  const { body, omitted } = encoders[style](messages);
  return {
    style,
    model,
    body: { ...defaults(style), ...parameters, ...named(style, model), ...body },
    omitted,
  };
}

/** Sends an encoded request and passes its reply on as events. Settles like `GatewayClient.chat`. */
export function sendStyled(
  client: GatewayClient,
  { style, model, body }: StyledRequest,
  onEvents: (events: readonly ChatEvent[]) => void,
  options: CallOptions,
): Promise<ChatResult> {
  switch (style) {
    case 'chat-completions':
      return client.chat(body as ChatCompletionsRequest, onEvents, options);
    case 'content-generation':
      return client.streamGenerateContent(model, body as ContentGenerationRequest, onEvents, options);
    case 'messages':
      return client.messages(body as MessagesRequest, onEvents, options);
    case 'responses':
      return client.responses(body as ResponsesRequest, onEvents, options);
    case 'interactions':
      return client.interactions(body as InteractionsRequest, onEvents, options);
  }
}

const encoders: Readonly<Record<TextStyle, (messages: readonly Message[]) => Encoded<object>>> = {
  'chat-completions': encodeChatCompletions,
  'content-generation': encodeContentGeneration,
  messages: encodeMessages,
  responses: encodeResponses,
  interactions: encodeInteractions,
};

function defaults(style: TextStyle): Readonly<Record<string, unknown>> {
  switch (style) {
    case 'chat-completions':
      return { stream: true, stream_options: { include_usage: true } };
    case 'content-generation':
      return {};
    case 'messages':
      return { stream: true, max_tokens: messagesLimit };
    case 'responses':
    case 'interactions':
      return { stream: true };
  }
}

/** The path of content generation holds the model. */
function named(style: TextStyle, model: string): Readonly<Record<string, unknown>> {
  return style === 'content-generation' ? {} : { model };
}
