import type { ChatCompletionsRequest } from '../../wire/shapes/chatCompletions.ts';
import type { ContentGenerationRequest } from '../../wire/shapes/contentGeneration.ts';
import type { InteractionsRequest } from '../../wire/shapes/interactions.ts';
import type { MessagesRequest } from '../../wire/shapes/messages.ts';
import type { Model } from '../../wire/shapes/models.ts';
import type { ResponsesRequest } from '../../wire/shapes/responses.ts';

/** How a content-generation reply is wanted: whole, as server-sent events, or as the pieces of a JSON array. */
export type ContentGenerationFraming = 'whole' | 'events' | 'array';

/** A checked request in the shape of the route it came by. */
export type ShapedRequest =
  | { readonly shape: 'chat'; readonly body: ChatCompletionsRequest }
  | {
      readonly shape: 'content-generation';
      readonly body: ContentGenerationRequest;
      readonly framing: ContentGenerationFraming;
    }
  | { readonly shape: 'interactions'; readonly body: InteractionsRequest }
  | { readonly shape: 'messages'; readonly body: MessagesRequest }
  | { readonly shape: 'responses'; readonly body: ResponsesRequest };

export interface UpstreamCall {
  readonly request: ShapedRequest;
  /** The body as it was sent. */
  readonly bytes: Uint8Array;
  /** The model's id as the caller wrote it. */
  readonly servedModel: string;
  /** The model's id as the upstream knows it. */
  readonly model: string;
  readonly requestId: string;
  /** Aborted when the caller has gone or the gateway ends; the reply's body then ends at once. */
  readonly signal: AbortSignal;
}

/** A reply as it goes to the caller, byte for byte. */
export interface UpstreamReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Read once. Ends with an error when the upstream's reply was cut, so that the caller's is cut too. */
  readonly body: AsyncIterable<Uint8Array | string>;
}

/** A place that has models. Failures that are not the upstream's own reply are thrown as HttpError. */
export interface Upstream {
  readonly name: string;
  listModels(signal: AbortSignal): Promise<readonly Model[]>;
  /** Answers in the shape of the request, or throws when it does not speak that shape. */
  send(call: UpstreamCall): Promise<UpstreamReply>;
  /** Drops all connections. */
  close(): Promise<void>;
}
