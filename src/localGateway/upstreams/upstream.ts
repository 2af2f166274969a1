import type { IncomingHttpHeaders } from 'node:http';
import type { Cancellation } from '../../base/cancellation.ts';
import type { JsonObject } from '../../base/json.ts';
import type { VideoForm } from '../../wire/apis/convertedVideos/videoOrder.ts';
import type { Model } from '../../wire/apis/models/modelList.ts';
import type { CacheSupport } from '../../wire/apis/shared/promptCaching.ts';
import type { ConvertedVideoFormat, TaskFormat } from '../../wire/apis/taskRecordFormats.ts';
import type { TextFormatId } from '../../wire/apis/textFormats.ts';
import type { VideoRequest } from '../../wire/apis/videoRoutes.ts';
import type { ThinkTags } from '../../wire/stream/thinkTags.ts';
import type { RequestBody } from '../http/requestBody.ts';

/** How a reply is framed: as a whole, as server-sent events, or as a JSON array in pieces. */
export type ReplyFraming = 'whole' | 'events' | 'array';

/** The API format of a request. Its route determines it. */
export interface RequestFormat {
  readonly format: TextFormatId;
  /** Absent if the body determines it, not the route. */
  readonly framing?: ReplyFraming;
}

/** A checked request in the format of its route. */
export interface CheckedRequest extends RequestFormat {
  readonly body: object;
}

/** A checked request whose tokens are counted. */
interface TokenCountRequest {
  readonly request: CheckedRequest;
  /** The model ID that the caller sent. */
  readonly servedModel: string;
  /** The model ID at the upstream. */
  readonly model: string;
}

interface TokenCount {
  readonly tokens: number;
  /** How the count was made, if it is not exact. */
  readonly note?: string;
}

/** The caller of an upstream. */
export interface UpstreamCaller {
  /** The caller's headers as received, including the credential. */
  readonly headers: IncomingHttpHeaders;
  /** The query of the caller's target as received, without its question mark. */
  readonly query?: string;
  readonly requestId: string;
  /** Aborted when the caller disconnects or the gateway ends. The body of the reply then ends at once. */
  readonly signal: Cancellation;
  /**
   * Aborted when a request that was not sent yet is no longer needed. Set only for requests that continue once they
   * are sent.
   */
  readonly untilSent?: Cancellation;
  /** Absent if the request is sent only to this upstream, so that it always waits here. */
  readonly queueing?: Queueing;
  /** Counts the requests to models against the spending limits. */
  readonly spending?: RequestSpending;
  /** The name of the only key that may be sent: the key that made the task of the request. */
  readonly keyName?: string | undefined;
  /** Called before each attempt, if the upstream has several keys. */
  readonly noteKey?: ((used: UsedKey) => void) | undefined;
}

/** The key of an attempt, by its name. */
export interface UsedKey {
  readonly name: string;
  /** The keys that were refused for the same request before, each with its status. */
  readonly refused: readonly string[];
}

/** A request to a model that is about to be sent. */
export interface SpendingCall {
  readonly upstream: string;
  readonly model: string;
  readonly body: RequestBody;
  /** The format of a text request. */
  readonly format?: TextFormatId | undefined;
  /** The format of the task that it creates. */
  readonly task?: TaskFormat;
  /** The gateway's own ID of that task. */
  readonly taskId?: string | undefined;
  /** The minimum length of its video in seconds, which is the length of the original. */
  readonly seconds?: number | undefined;
}

/** Counts requests against the spending limits before they are sent. */
export interface RequestSpending {
  /** @throws {HttpError} if the request must not be sent */
  reserve(call: SpendingCall): CallReservation | Promise<CallReservation>;
}

/** A request that was counted. */
interface CallReservation {
  /**
   * Called when the reply begins, or when the request failed without a reply.
   *
   * @param mayBeBilled false if certainly nothing was made
   */
  settle(mayBeBilled: boolean): void;
}

/** The queueing of a request that may also be sent to other upstreams. */
export interface Queueing {
  /**
   * Whether the request waits if the upstream's limits are reached. Otherwise it is refused with `UpstreamBusyError`.
   */
  readonly shouldWait: boolean;
  /** Called when the request leaves the queue, before anything is sent. */
  onDequeue(): void;
}

export interface UpstreamCall extends UpstreamCaller {
  readonly request: RequestFormat;
  /** The body that the caller sent. */
  readonly body: RequestBody;
  /** The model ID that the caller sent. */
  readonly servedModel: string;
  /** The model ID at the upstream. */
  readonly model: string;
}

/** A reply for the caller, byte for byte. */
export interface UpstreamReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Iterated once. It throws if the upstream's reply was cut, so that the caller's reply is also cut. */
  readonly body: AsyncIterable<Uint8Array | string>;
}

/** A model as an upstream lists it. */
export interface ListedModel extends Model {
  /** The unchanged entry of the upstream's list. Absent if the model comes from the configuration. */
  readonly entry?: JsonObject;
}

/** A source of models. */
export interface Upstream {
  readonly name: string;
  /**
   * Lists the formats that a model supports. The format that suits it best is first.
   *
   * @param model the ID at the upstream, even if the upstream does not list it
   */
  listFormats(model: string): readonly TextFormatId[];
  /** Finds how a model marks reasoning in its text; `paired` if this is absent or returns undefined. */
  findThinkTags?(model: string): ThinkTags | undefined;
  /** Finds the fields for prompt caching that it accepts for a model. Absent if only the format decides. */
  findCacheSupport?(format: TextFormatId, model: string): CacheSupport;
  listModels(signal: AbortSignal): Promise<readonly ListedModel[]>;
  /**
   * Counts the tokens of a request without a request to the model. Absent if `sendCount` counts them, or if they
   * cannot be counted.
   *
   * @throws {HttpError} 404 if the model does not exist
   */
  countTokens?(request: TokenCountRequest): TokenCount;
  /** Lists the formats that `sendCount` supports for a model. Absent if `sendCount` is absent. */
  listCountFormats?(model: string): readonly TextFormatId[];
  /**
   * Sends a request for a token count in its format. Absent if no format has a route for it.
   *
   * @throws {HttpError} as `send`
   */
  sendCount?(call: UpstreamCall): Promise<UpstreamReply>;
  /**
   * Sends a request in its format. It is sent again only with another key, after a refusal of the key.
   *
   * @throws {HttpError} for a failure that is not a reply of the upstream, such as a format that the model does
   * not have
   */
  send(call: UpstreamCall): Promise<UpstreamReply>;
  /**
   * The APIs for tasks of the upstream, by the format of requests and records; empty if it does not support tasks.
   */
  readonly tasks: Readonly<Partial<Record<TaskFormat, UpstreamTaskApi>>>;
  /**
   * Finds how a model makes videos in a format that no caller uses; undefined if it does not make videos in such a
   * format.
   */
  findConvertedVideos?(model: string): ConvertedVideos | undefined;
  /** The upstream's own origins. Results at these origins may need its key. */
  readonly origins?: readonly string[];
  /**
   * Reads a result at an address of one of its origins, with its key.
   *
   * @throws {HttpError} as `send`
   */
  readResult?(address: URL, caller: UpstreamCaller): Promise<UpstreamReply>;
  /** Absent if no model makes videos. */
  readonly video?: VideoUpstream;
  /** Closes all connections, and aborts the replies under way. */
  close(): Promise<void>;
  /** Accepts no more requests, and closes its connections once the replies under way have ended. */
  drain(): Promise<void>;
}

/** How an upstream makes videos in a format that no caller uses. */
export interface ConvertedVideos {
  readonly format: ConvertedVideoFormat;
  readonly form: VideoForm;
}

/** A request about a task, by the upstream's own ID. */
export interface TaskCall extends UpstreamCaller {
  readonly task: string;
}

/** A request that creates a task. */
export interface CreateCall extends Omit<UpstreamCall, 'request'> {
  /** The gateway's own ID of the task. */
  readonly taskId?: string;
  /** The minimum length of the video in seconds, which is the length of the original. */
  readonly seconds?: number | undefined;
}

/**
 * Tasks of one format at an upstream. Replies are the upstream's own, with any status; all functions throw
 * HttpErrors as `send` does. Members that the upstream does not support are absent.
 */
export interface UpstreamTaskApi {
  create(call: CreateCall): Promise<UpstreamReply>;
  /** Makes a new task from an existing one. */
  remix?(call: CreateCall & TaskCall): Promise<UpstreamReply>;
  read(call: TaskCall): Promise<UpstreamReply>;
  cancel?(call: TaskCall): Promise<UpstreamReply>;
  /** Whether only queued tasks can be cancelled, so that a cancelled task is not billed. */
  readonly cancelsQueuedOnly?: boolean;
  /** Whether cancelling an ended task deletes it. */
  readonly cancelDeletesEnded?: boolean;
  remove?(call: TaskCall): Promise<UpstreamReply>;
  /** Reads the bytes of a task's result. Absent if the record has a link to them. */
  readContent?(call: TaskCall): Promise<UpstreamReply>;
  /** Reads the input of the task, as a list of items. */
  listInputItems?(call: TaskCall): Promise<UpstreamReply>;
}

/** The part of an upstream that makes videos. Each video is a task, because it takes minutes. */
export interface VideoUpstream {
  /** The upstream's IDs of the models that make videos. */
  readonly models: readonly string[];
  /**
   * Plans a video.
   *
   * @throws {HttpError} if it cannot be made; it is then not billed
   */
  plan(request: VideoRequest): PlannedVideo;
  /** Reads the bytes of a planned result that this run of the gateway or an earlier one made. */
  read(result: PlannedResult): Promise<Buffer>;
}

export interface PlannedVideo {
  readonly plan: VideoPlan;
  /** How long to hold back the reply after the task is created, in milliseconds. */
  readonly replyDelayMs: number;
  /** Whether the connection ends without a reply after the task is created. */
  readonly isReplyDropped: boolean;
}

/** The plan for a video, stored with its task. The state of the task follows from the plan and the clock. */
export interface VideoPlan {
  readonly prompt: string;
  readonly queueMs: number;
  readonly runMs: number;
  /** Whether the task ever ends. Otherwise its progress stops after `runMs`. */
  readonly hasEnd: boolean;
  /** Why it fails; absent if it completes. */
  readonly failure?: PlannedFailure;
  readonly results: readonly PlannedResult[];
  /** Whether replies contain addresses of results instead of the data. */
  readonly isLinked?: boolean;
  /** How long the results can be downloaded, in milliseconds. */
  readonly resultLifetimeMs: number;
  readonly isCancellable: boolean;
}

export interface PlannedFailure {
  readonly code: string;
  readonly message: string;
  /** The progress in percent at the time of the failure. */
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
