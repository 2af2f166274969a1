import type * as z from 'zod';
import type { JsonObject } from '../../base/json.ts';
import { readChatCompletions } from './chatCompletions/readRequest.ts';
import { chatCompletionsRequest } from './chatCompletions/request.ts';
import { chatCompletionsReplies } from './chatCompletions/writeReply.ts';
import { readContentGeneration } from './contentGeneration/readRequest.ts';
import { contentGenerationRequest } from './contentGeneration/request.ts';
import { withPlainNames } from './contentGeneration/spelling.ts';
import { contentGenerationReplies } from './contentGeneration/writeReply.ts';
import type { AskedRequest, ReadOptions, RequestNotes } from './format/askedRequest.ts';
import { customNames } from './format/customTools.ts';
import type { ReplyForm } from './format/replyForm.ts';
import { readInteractions } from './interactions/readRequest.ts';
import { interactionsRequest } from './interactions/request.ts';
import { interactionsReplies } from './interactions/writeReply.ts';
import { readMessages } from './messages/readRequest.ts';
import { messagesRequest } from './messages/request.ts';
import { messagesReplies } from './messages/writeReply.ts';
import { readResponses } from './responses/readRequest.ts';
import { responsesRequest } from './responses/request.ts';
import { responsesReplies } from './responses/writeReply.ts';
import type { TextFormatId } from './textFormats.ts';

/** How the local gateway answers requests of an API format itself: for the demo, and for converted requests. */
export interface ServedFormat {
  readonly schema: z.ZodType<object>;
  /** The request in the spelling of the schema, where the provider takes names in another spelling. */
  respell?(request: JsonObject): JsonObject;
  /** @param request keeps to the schema */
  read(request: object, notes: RequestNotes, options: ReadOptions): AskedRequest;
  /**
   * How replies to a request are written.
   *
   * @param isArray whether a stream is a JSON array, which the route decides
   */
  replies(request: object, isArray: boolean): ReplyForm;
}

/** Types the members by the request that the schema describes. */
function served<Request extends object>(
  schema: z.ZodType<Request>,
  format: {
    respell?(request: JsonObject): JsonObject;
    read(request: Request, notes: RequestNotes, options: ReadOptions): AskedRequest;
    replies(request: Request, isArray: boolean): ReplyForm;
  },
): ServedFormat {
  return { schema, ...(format as Omit<ServedFormat, 'schema'>) };
}

export const servedFormats: Readonly<Record<TextFormatId, ServedFormat>> = {
  chatCompletions: served(chatCompletionsRequest, {
    read: readChatCompletions,
    replies: ({ stream_options, tools }) =>
      chatCompletionsReplies(stream_options?.include_usage === true, customNames(tools)),
  }),
  contentGeneration: served(contentGenerationRequest, {
    respell: withPlainNames,
    read: readContentGeneration,
    replies: (_, isArray) => contentGenerationReplies(isArray ? 'array' : 'events'),
  }),
  messages: served(messagesRequest, { read: readMessages, replies: () => messagesReplies }),
  responses: served(responsesRequest, { read: readResponses, replies: responsesReplies }),
  interactions: served(interactionsRequest, {
    read: readInteractions,
    replies: ({ store }) => interactionsReplies(store !== false),
  }),
};
