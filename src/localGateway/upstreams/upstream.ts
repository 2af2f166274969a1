import type { IncomingHttpHeaders } from 'node:http';
import type { Model } from '../../wire/apis/models/modelList.ts';
import type { TextFormatId } from '../../wire/apis/textFormats.ts';
import type { VideoRequest } from '../../wire/apis/videoRoutes.ts';
import type { RequestBody } from '../requestBody.ts';

/** The form of a reply: whole, server-sent events, or a JSON array in pieces. */
export type ReplyFraming = 'whole' | 'events' | 'array';

/** The API format of a request, which its route decides. */
export interface RequestFormat {
  readonly format: TextFormatId;
  /** Present where the route decides it and not the body. */
  readonly framing?: ReplyFraming;
}

/** A checked request in the format of its route. */
export interface CheckedRequest extends RequestFormat {
  readonly body: object;
}

/** A checked request whose tokens are to be counted. */
export interface TokenQuestion {
  readonly request: CheckedRequest;
  /** The model id as the caller wrote it. */
  readonly servedModel: string;
  /** The model id at the upstream. */
  readonly model: string;
}

export interface TokenCount {
  readonly tokens: number;
  /** How the count was made, when it is not exact. */
  readonly note?: string;
}

export interface UpstreamCall {
  readonly request: RequestFormat;
  /** The body as it was sent. */
  readonly body: RequestBody;
  /** The caller's headers as they came, with the credential. */
  readonly headers: IncomingHttpHeaders;
  /** The model id as the caller wrote it. */
  readonly servedModel: string;
  /** The model id at the upstream. */
  readonly model: string;
  readonly requestId: string;
  /** Aborted when the caller has gone or the gateway ends. The body of the reply then ends at once. */
  readonly signal: AbortSignal;
}

/** A reply for the caller, byte for byte. */
export interface UpstreamReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Iterated once. It throws when the upstream's reply was cut, so that the caller's is cut as well. */
  readonly body: AsyncIterable<Uint8Array | string>;
}

/** A source of models. */
export interface Upstream {
  readonly name: string;
  /** The formats that it serves. */
  readonly formats: readonly TextFormatId[];
  listModels(signal: AbortSignal): Promise<readonly Model[]>;
  /**
   * Counts the tokens of a request without asking the model. Absent where tokens cannot be counted.
   *
   * @throws {HttpError} 404 when there is no such model
   */
  countTokens?(question: TokenQuestion): TokenCount;
  /**
   * Answers a request in its format.
   *
   * @throws {HttpError} for a failure that is no reply of the upstream, such as a format that it does not
   * serve
   */
  send(call: UpstreamCall): Promise<UpstreamReply>;
  /** Absent when no model makes videos. */
  readonly video?: VideoUpstream;
  /** Closes all connections, and ends the replies under way. */
  close(): Promise<void>;
  /** Takes no more requests, and closes its connections once the replies under way have ended. */
  drain(): Promise<void>;
}

/** Makes videos, which takes minutes; tasks represent them meanwhile. */
export interface VideoUpstream {
  /** The ids of the models that make videos, at the upstream. */
  readonly models: readonly string[];
  /**
   * Decides how a video will be made.
   *
   * @throws {HttpError} when it will not be made; then nothing is billed
   */
  plan(request: VideoRequest): PlannedVideo;
  /** The bytes of a result of a plan, which this run of the gateway or an earlier one made. */
  read(result: PlannedResult): Promise<Buffer>;
}

export interface PlannedVideo {
  readonly plan: VideoPlan;
  /** How long to hold back the answer after the task is created, in milliseconds. */
  readonly answerAfterMs: number;
  /** Whether the connection ends without an answer after the task is created. */
  readonly losesAnswer: boolean;
}

/** How a video will be made, stored with its task. The clock then decides its state. */
export interface VideoPlan {
  readonly prompt: string;
  readonly queueMs: number;
  readonly runMs: number;
  /** Whether it ends at all. Otherwise its progress stops after `runMs`. */
  readonly ends: boolean;
  /** Why it fails; absent when it completes. */
  readonly failure?: PlannedFailure;
  readonly results: readonly PlannedResult[];
  /** Whether replies hold addresses of results in place of the data. */
  readonly linked?: boolean;
  /** How long the results can be downloaded, in milliseconds. */
  readonly resultLifetimeMs: number;
  readonly cancellable: boolean;
}

export interface PlannedFailure {
  readonly code: string;
  readonly message: string;
  /** The progress at which it fails, in percent. */
  readonly progress: number;
}

export interface PlannedResult {
  /** The upstream's own name of the result. */
  readonly name: string;
  readonly mimeType: string;
  readonly width: number;
  readonly height: number;
  readonly seconds: number;
}
