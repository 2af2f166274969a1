import type * as z from 'zod';
import type { JsonObject } from '../../base/json.ts';
import { readChatCompletions } from './chatCompletions/readRequest.ts';
import { chatCompletionsRequest } from './chatCompletions/schema.ts';
import { chatCompletionsReplies } from './chatCompletions/writeReply.ts';
import { withCamelCaseNames } from './contentGeneration/camelCaseNames.ts';
import { readContentGeneration } from './contentGeneration/readRequest.ts';
import { contentGenerationRequest } from './contentGeneration/schema.ts';
import { contentGenerationReplies } from './contentGeneration/writeReply.ts';
import { readInteractions } from './interactions/readRequest.ts';
import { interactionsRequest } from './interactions/schema.ts';
import { interactionsReplies } from './interactions/writeReply.ts';
import { readMessages } from './messages/readRequest.ts';
import { messagesRequest } from './messages/schema.ts';
import { messagesReplies } from './messages/writeReply.ts';
import { readResponses } from './responses/readRequest.ts';
import { responsesRequest } from './responses/schema.ts';
import { responsesReplies } from './responses/writeReply.ts';
import { customNames } from './shared/customTools.ts';
import type { ReadOptions, ReceivedRequest, RequestNotes } from './shared/receivedRequest.ts';
import type { ReplyForm } from './shared/replyForm.ts';
import type { TextFormatId } from './textFormats.ts';

/** How the local gateway reads requests of an API format and writes replies: for the demo, and for conversions. */
export interface ServedFormat {
  readonly schema: z.ZodType<object>;
  /** Converts the request to the spelling of the schema, if the provider also accepts another spelling. */
  respell?(request: JsonObject): JsonObject;
  /** @param request matches the schema */
  read(request: object, notes: RequestNotes, options: ReadOptions): ReceivedRequest;
  /**
   * Returns how replies to a request are written.
   *
   * @param isArray whether a stream is a JSON array, which depends on the route
   */
  replies(request: object, isArray: boolean): ReplyForm;
}

/** Checks that the members accept the request type of the schema. */
function servedFormat<Request extends object>(
  schema: z.ZodType<Request>,
  format: {
    respell?(request: JsonObject): JsonObject;
    read(request: Request, notes: RequestNotes, options: ReadOptions): ReceivedRequest;
    replies(request: Request, isArray: boolean): ReplyForm;
  },
): ServedFormat {
  return { schema, ...(format as Omit<ServedFormat, 'schema'>) };
}

export const servedFormats: Readonly<Record<TextFormatId, ServedFormat>> = {
  chatCompletions: servedFormat(chatCompletionsRequest, {
    read: readChatCompletions,
    replies: ({ stream_options, tools }) =>
      chatCompletionsReplies(stream_options?.include_usage === true, customNames(tools)),
  }),
  contentGeneration: servedFormat(contentGenerationRequest, {
    respell: withCamelCaseNames,
    read: readContentGeneration,
    replies: (_, isArray) => contentGenerationReplies(isArray ? 'array' : 'events'),
  }),
  messages: servedFormat(messagesRequest, { read: readMessages, replies: () => messagesReplies }),
  responses: servedFormat(responsesRequest, { read: readResponses, replies: responsesReplies }),
  interactions: servedFormat(interactionsRequest, {
    read: readInteractions,
    replies: ({ store }) => interactionsReplies(store !== false),
  }),
};
