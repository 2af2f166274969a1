import type { IncomingHttpHeaders } from 'node:http';
import type { ChatCompletionsRequest } from '../../wire/apis/chatCompletions/request.ts';
import type { ContentGenerationRequest } from '../../wire/apis/contentGeneration/request.ts';
import type { InteractionsRequest } from '../../wire/apis/interactions/request.ts';
import type { MessagesRequest } from '../../wire/apis/messages/request.ts';
import type { Model } from '../../wire/apis/models/modelList.ts';
import type { ResponsesRequest } from '../../wire/apis/responses/request.ts';
import type { VideoSynthesisRequest } from '../../wire/apis/videoSynthesis/request.ts';
import type { RequestBody } from '../requestBody.ts';

/** How a content-generation reply is wanted: whole, as server-sent events, or as the pieces of a JSON array. */
export type ContentGenerationFraming = 'whole' | 'events' | 'array';

/** The shape of a request, which is that of the route it came by. */
export type RequestShape =
  | { readonly shape: 'chat' | 'interactions' | 'messages' | 'responses' }
  | { readonly shape: 'content-generation'; readonly framing: ContentGenerationFraming };

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

/** A checked request whose tokens are to be counted. */
export interface TokenQuestion {
  readonly request: ShapedRequest;
  /** The model's id as the caller wrote it. */
  readonly servedModel: string;
  /** The model's id as the upstream knows it. */
  readonly model: string;
}

export interface TokenCount {
  readonly tokens: number;
  /** How it was found out, where it is no exact count. */
  readonly note?: string;
}

export interface UpstreamCall {
  readonly request: RequestShape;
  /** The body as it was sent, for the upstream to judge. */
  readonly body: RequestBody;
  /** The caller's headers as they came, those of the credential included. */
  readonly headers: IncomingHttpHeaders;
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
  /** The shapes it answers. */
  readonly shapes: readonly RequestShape['shape'][];
  listModels(signal: AbortSignal): Promise<readonly Model[]>;
  /** Counts the tokens of a request without asking the model. Throws where there is no such model. Absent where that cannot be told. */
  countTokens?(question: TokenQuestion): TokenCount;
  /** Answers in the shape of the request, or throws when it does not speak that shape. */
  send(call: UpstreamCall): Promise<UpstreamReply>;
  /** Absent where no model makes videos. */
  readonly video?: VideoUpstream;
  /** Drops all connections. */
  close(): Promise<void>;
}

/** A checked request for a video, in the shape of the route it came by. */
export type VideoRequest =
  | { readonly shape: 'interactions'; readonly body: InteractionsRequest }
  | { readonly shape: 'video-synthesis'; readonly body: VideoSynthesisRequest };

/** What makes videos: work of minutes, which a task stands for meanwhile. */
export interface VideoUpstream {
  /** The models that make videos, as the upstream knows them. */
  readonly models: readonly string[];
  /** Decides how a video will be made. Throws an HttpError when it will not be: then nothing is billed. */
  order(request: VideoRequest): VideoOrder;
  /** The bytes of a result of a plan, which `order` made in this or an earlier run of the gateway. */
  read(result: PlannedResult): Promise<Buffer>;
}

export interface VideoOrder {
  readonly plan: VideoPlan;
  /** How long the answer to the request is held back, once the task is there; in milliseconds. */
  readonly answerAfterMs: number;
  /** The connection ends without an answer, once the task is there. */
  readonly losesAnswer: boolean;
}

/** How a video will be made: data, kept with its task. What has become of it is then the clock's to tell. */
export interface VideoPlan {
  readonly prompt: string;
  readonly queueMs: number;
  readonly runMs: number;
  /** Whether it ends at all; one that does not is as far along after `runMs` as it will ever be. */
  readonly ends: boolean;
  /** Why it fails in the end; absent when it completes. */
  readonly failure?: PlannedFailure;
  readonly results: readonly PlannedResult[];
  /** Whether results are told by their address alone, where they could be sent along. */
  readonly linked?: boolean;
  /** How long the results can be fetched once they are there. */
  readonly resultLifetimeMs: number;
  readonly cancellable: boolean;
}

export interface PlannedFailure {
  readonly code: string;
  readonly message: string;
  /** How far it comes before, in percent. */
  readonly progress: number;
}

export interface PlannedResult {
  /** The upstream's own name for it. */
  readonly name: string;
  readonly mimeType: string;
  readonly width: number;
  readonly height: number;
  readonly seconds: number;
}
