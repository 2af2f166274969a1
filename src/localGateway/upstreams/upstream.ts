import type { IncomingHttpHeaders } from 'node:http';
import type { Cancellation } from '../../base/cancellation.ts';
import type { JsonObject } from '../../base/json.ts';
import type { Model } from '../../wire/apis/models/modelList.ts';
import type { TextFormatId } from '../../wire/apis/textFormats.ts';
import type { VideoRequest } from '../../wire/apis/videoRoutes.ts';
import type { RequestBody } from '../http/requestBody.ts';

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

/** Who asks an upstream. */
export interface UpstreamCaller {
  /** The caller's headers as they came, with the credential. */
  readonly headers: IncomingHttpHeaders;
  /** The query of the caller's target as it came, without its question mark. */
  readonly query?: string;
  readonly requestId: string;
  /** Aborted when the caller has gone or the gateway ends. The body of the reply then ends at once. */
  readonly signal: Cancellation;
  /** Aborted when the request need not be sent any more, where it goes on once it was sent; `signal` where absent. */
  readonly untilSent?: Cancellation;
  /** How it stands in the upstream's queue; absent where it waits there, and nowhere else. */
  readonly queueing?: Queueing;
}

/** How a request that may be asked elsewhere, too, stands in the queue of an upstream. */
export interface Queueing {
  /** Whether it waits where the upstream's limits are reached. It is refused with `UpstreamBusy` where not. */
  readonly waits: boolean;
  /** Called at once when it has its place, before anything is sent. */
  entered(): void;
}

export interface UpstreamCall extends UpstreamCaller {
  readonly request: RequestFormat;
  /** The body as it was sent. */
  readonly body: RequestBody;
  /** The model id as the caller wrote it. */
  readonly servedModel: string;
  /** The model id at the upstream. */
  readonly model: string;
}

/** A reply for the caller, byte for byte. */
export interface UpstreamReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Iterated once. It throws when the upstream's reply was cut, so that the caller's is cut as well. */
  readonly body: AsyncIterable<Uint8Array | string>;
}

/** A model as an upstream lists it. */
export interface ListedModel extends Model {
  /** All that the upstream's list says of it, as it says it. Absent where the configuration names the model. */
  readonly entry?: JsonObject;
}

/** A source of models. */
export interface Upstream {
  readonly name: string;
  /**
   * The formats in which a model can be asked, the one that suits it best first.
   *
   * @param model the id at the upstream, which may be one that it does not list
   */
  formatsOf(model: string): readonly TextFormatId[];
  listModels(signal: AbortSignal): Promise<readonly ListedModel[]>;
  /**
   * Counts the tokens of a request without asking the model. Absent where `sendCount` does it, or nothing.
   *
   * @throws {HttpError} 404 when there is no such model
   */
  countTokens?(question: TokenQuestion): TokenCount;
  /** The formats in which `sendCount` counts for a model. Absent where that is. */
  countFormatsOf?(model: string): readonly TextFormatId[];
  /**
   * Answers a request for a count of tokens in its format. Absent where no format has a route for it.
   *
   * @throws {HttpError} as `send`
   */
  sendCount?(call: UpstreamCall): Promise<UpstreamReply>;
  /**
   * Answers a request in its format. Nothing is sent twice.
   *
   * @throws {HttpError} for a failure that is no reply of the upstream, such as a format that the model does
   * not have
   */
  send(call: UpstreamCall): Promise<UpstreamReply>;
  /** Work that goes on after its answer, by the format of its requests and records; empty where there is none. */
  readonly tasks: Readonly<Partial<Record<TaskFormat, UpstreamTasks>>>;
  /** The origins that are this upstream's own, where results may lie that need its key. */
  readonly origins?: readonly string[];
  /**
   * Reads what lies at an address of one of its origins, with its key.
   *
   * @throws {HttpError} as `send`
   */
  readResult?(address: URL, caller: UpstreamCaller): Promise<UpstreamReply>;
  /** Absent when no model makes videos. */
  readonly video?: VideoUpstream;
  /** Closes all connections, and ends the replies under way. */
  close(): Promise<void>;
  /** Takes no more requests, and closes its connections once the replies under way have ended. */
  drain(): Promise<void>;
}

/** The formats of work that goes on after its answer. */
export type TaskFormat = 'responses' | 'interactions' | 'videoSynthesis' | 'videos';

/** A question about a task, by the upstream's own id of it. */
export interface TaskCall extends UpstreamCaller {
  readonly task: string;
}

/** A request for a task. */
export type CreateCall = Omit<UpstreamCall, 'request'>;

/**
 * Tasks of one format at an upstream. Replies are the upstream's own, whatever their status; all functions
 * throw HttpErrors as `send` does. What the upstream cannot do is absent.
 */
export interface UpstreamTasks {
  create(call: CreateCall): Promise<UpstreamReply>;
  /** Makes another task from one. */
  remix?(call: CreateCall & TaskCall): Promise<UpstreamReply>;
  read(call: TaskCall): Promise<UpstreamReply>;
  cancel?(call: TaskCall): Promise<UpstreamReply>;
  remove?(call: TaskCall): Promise<UpstreamReply>;
  /** The bytes of what the task made, where the record holds no link to them. */
  content?(call: TaskCall): Promise<UpstreamReply>;
  /** What the task was asked, as a list of items. */
  inputItems?(call: TaskCall): Promise<UpstreamReply>;
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
