import type * as z from 'zod';
import type { JsonObject } from '../../base/json.ts';
import { readChatCompletions } from './chatCompletions/readRequest.ts';
import { chatCompletionsRequest } from './chatCompletions/schema.ts';
import { createChatCompletionsReplies } from './chatCompletions/writeReply.ts';
import { readContentGeneration } from './contentGeneration/readRequest.ts';
import { toCamelCaseNames } from './contentGeneration/requestSpelling.ts';
import { contentGenerationRequest } from './contentGeneration/schema.ts';
import { createContentGenerationReplies } from './contentGeneration/writeReply.ts';
import { readInteractions } from './interactions/readRequest.ts';
import { interactionsRequest } from './interactions/schema.ts';
import { createInteractionsReplies } from './interactions/writeReply.ts';
import { readMessages } from './messages/readRequest.ts';
import { messagesRequest } from './messages/schema.ts';
import { messagesReplyForm } from './messages/writeReply.ts';
import { readResponses } from './responses/readRequest.ts';
import { responsesRequest } from './responses/schema.ts';
import { createResponsesReplies } from './responses/writeReply.ts';
import { readCustomNames } from './shared/customTools.ts';
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
  createReplies(request: object, isArray: boolean): ReplyForm;
}

/** Creates a `ServedFormat`. The type parameter ensures that its members accept the request type of the schema. */
function defineServedFormat<Request extends object>(
  schema: z.ZodType<Request>,
  format: {
    respell?(request: JsonObject): JsonObject;
    read(request: Request, notes: RequestNotes, options: ReadOptions): ReceivedRequest;
    createReplies(request: Request, isArray: boolean): ReplyForm;
  },
): ServedFormat {
  return { schema, ...(format as Omit<ServedFormat, 'schema'>) };
}

export const servedFormats: Readonly<Record<TextFormatId, ServedFormat>> = {
  chatCompletions: defineServedFormat(chatCompletionsRequest, {
    read: readChatCompletions,
    createReplies: ({ stream_options, tools }) =>
      createChatCompletionsReplies(stream_options?.include_usage === true, readCustomNames(tools)),
  }),
  contentGeneration: defineServedFormat(contentGenerationRequest, {
    respell: toCamelCaseNames,
    read: readContentGeneration,
    createReplies: (_, isArray) => createContentGenerationReplies(isArray ? 'array' : 'events'),
  }),
  messages: defineServedFormat(messagesRequest, {
    read: readMessages,
    createReplies: () => messagesReplyForm,
  }),
  responses: defineServedFormat(responsesRequest, {
    read: readResponses,
    createReplies: createResponsesReplies,
  }),
  interactions: defineServedFormat(interactionsRequest, {
    read: readInteractions,
    createReplies: ({ store }) => createInteractionsReplies(store !== false),
  }),
};
