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

/** A request as it will be sent, before headers: the same for the eye and for the wire. */
export interface StyledRequest {
  readonly style: TextStyle;
  readonly model: string;
  readonly body: Readonly<Record<string, unknown>>;
  /** What the style could not carry of the conversation, in plain words. */
  readonly omitted: readonly string[];
}

/** The messages style demands a limit; this one is taken where none is set. */
const messagesLimit = 4096;

/**
 * Puts a conversation into the form of a style, streamed.
 *
 * @param parameters fields of the style's own request; those of the conversation itself win over them
 */
export function styledRequest(
  style: TextStyle,
  model: string,
  messages: readonly Message[],
  parameters: Readonly<Record<string, unknown>>,
): StyledRequest {
  const { body, omitted: lost } = encoders[style](messages);
  return {
    style,
    model,
    body: { ...defaults(style), ...parameters, ...named(style, model), ...body },
    omitted: lost,
  };
}

/** Sends a styled request and hands on what comes back. Settles as `GatewayClient.chat` does. */
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

/** Content generation has the model in its path. */
function named(style: TextStyle, model: string): Readonly<Record<string, unknown>> {
  return style === 'content-generation' ? {} : { model };
}
