import { chatCompletions } from '../wire/apis/chatCompletions/format.ts';
import type { ChatCompletionsRequest } from '../wire/apis/chatCompletions/request.ts';
import { contentGeneration, contentGenerationRoutes } from '../wire/apis/contentGeneration/format.ts';
import type { ContentGenerationRequest } from '../wire/apis/contentGeneration/request.ts';
import { interactions } from '../wire/apis/interactions/format.ts';
import type { InteractionsRequest } from '../wire/apis/interactions/request.ts';
import { messages } from '../wire/apis/messages/format.ts';
import type { MessagesRequest, PartnerMessagesRequest } from '../wire/apis/messages/request.ts';
import type { Model } from '../wire/apis/models/modelList.ts';
import { responses, storedResponsesRoutes } from '../wire/apis/responses/format.ts';
import type { ResponsesRequest } from '../wire/apis/responses/request.ts';
import type { TaskSnapshot } from '../wire/apis/taskRecord/decode.ts';
import type { TaskPage, TaskQuery } from '../wire/apis/taskRecord/list.ts';
import { videoSynthesisRoutes } from '../wire/apis/videoSynthesis/format.ts';
import type { VideoSynthesisRequest } from '../wire/apis/videoSynthesis/request.ts';
import type { ChatEvent, Outcome, Usage } from '../wire/chatEvent.ts';
import type { HeaderChoice } from '../wire/headerNames.ts';
import {
  type Downloaded,
  Downloader,
  type DownloadOptions,
  type DownloadTarget,
} from './downloads/download.ts';
import { listModels } from './modelList.ts';
import type { OpenRouteChoice } from './openRoutes.ts';
import { Sender } from './send.ts';
import {
  type CreatedTask,
  cancelTask,
  createTask,
  deleteTask,
  listTasks,
  readPage,
  readTask,
  runTask,
} from './taskCalls.ts';
import { type FormatRequest, formatCall, sendTextCall, type TextCall } from './textCall.ts';
import { type WaitOptions, waitForTask } from './waitForTask.ts';

export type { ChatCompletionsRequest } from '../wire/apis/chatCompletions/request.ts';
export type { ContentGenerationRequest } from '../wire/apis/contentGeneration/request.ts';
export type { InteractionsRequest } from '../wire/apis/interactions/request.ts';
export type { MessagesRequest, PartnerMessagesRequest } from '../wire/apis/messages/request.ts';
export type { Model } from '../wire/apis/models/modelList.ts';
export type { ResponsesRequest } from '../wire/apis/responses/request.ts';
export type { TaskSnapshot } from '../wire/apis/taskRecord/decode.ts';
export type { TaskError } from '../wire/apis/taskRecord/error.ts';
export type { TaskPage, TaskQuery } from '../wire/apis/taskRecord/list.ts';
export type { TaskResult } from '../wire/apis/taskRecord/results.ts';
export type { VideoSynthesisRequest } from '../wire/apis/videoSynthesis/request.ts';
export type { ChatEvent, FinishReason, Outcome, Usage } from '../wire/chatEvent.ts';
// biome-ignore lint/performance/noBarrelFile: this file is the entry of the client library
export { GatewayError } from '../wire/failure.ts';
export type { HeaderChoice, HeaderNames } from '../wire/headerNames.ts';
export type { Downloaded, DownloadHead, DownloadOptions, DownloadTarget } from './downloads/download.ts';
export type { OpenRoute, OpenRouteChoice } from './openRoutes.ts';
export type { CreatedTask } from './taskCalls.ts';
export type { FormatRequest } from './textCall.ts';
export { TaskWaitError, type WaitOptions } from './waitForTask.ts';

/** Timeouts of one call in milliseconds; 0 means no limit. */
export interface Timeouts {
  /** Until the connection is made, with name lookup and TLS. */
  readonly connect: number;
  /** From the end of sending to the first header of the reply. */
  readonly firstByte: number;
  /** In place of `firstByte` for a reply that is not streamed, which comes only once all of it is written. */
  readonly wholeReply: number;
  /** Between two reads of the body. */
  readonly idle: number;
  /** Between two pieces of data; keep-alive comments do not count. */
  readonly noData: number;
  readonly total: number;
}

export interface CallOptions {
  /** Aborting closes the socket. The call ends as cancelled. */
  readonly signal?: AbortSignal;
  readonly timeouts?: Partial<Timeouts>;
  /** Sent as X-Request-Id; random by default. */
  readonly requestId?: string;
}

export interface MessagesOptions extends CallOptions {
  /** Beta features to turn on, by their names. */
  readonly betas?: readonly string[];
}

export interface ListModelsOptions extends CallOptions {
  /** Called with the number of models beyond the first 10,000, which are all that is read. */
  readonly onBeyond?: (count: number) => void;
}

/** A route on which a paid task starts that takes minutes. */
export type TaskRoute = 'interactions' | 'videoSynthesis';

export interface CreateOptions extends CallOptions {
  /** Sent as Idempotency-Key. Few gateways know it, so nothing may depend on it. */
  readonly idempotencyKey?: string;
  /** Called with the task's id as soon as the reply holds one, before anything else of the reply is read. */
  readonly onCreated?: (taskId: string) => void;
}

export interface ClientOptions {
  /** The gateway's address, such as `https://gateway.example`. It may have a path. */
  readonly baseUrl: string;
  /** Called once for each request. The credential goes to the origin of `baseUrl` only. */
  readonly credential: () => Promise<string | undefined>;
  readonly timeouts?: Partial<Timeouts>;
  /** How the gateway spells the headers that providers name after themselves; neutral names by default. */
  readonly headers?: HeaderChoice;
  /**
   * Paths and credential headers of the messages and responses formats; /v1/messages and /v1/responses by
   * default.
   */
  readonly openRoutes?: OpenRouteChoice;
  /**
   * Origins from which results are downloaded although they use a private network or plain http, such as
   * `https://files.internal:8443`. Requests there carry no credential.
   */
  readonly resultOrigins?: readonly string[];
  readonly transport?: 'auto' | 'direct' | 'host';
  /**
   * Host and port of the proxy that VS Code is set up to use for an origin; called before each request.
   * Requests go through it by VS Code's own network stack, or are not sent.
   */
  readonly proxy?: (origin: string) => string | undefined;
  /** Whether the operating system's certificate authorities are trusted; true by default. */
  readonly systemCertificates?: boolean;
  /** Called after each exchange. It holds neither credentials nor bodies. */
  readonly onExchange?: (exchange: ExchangeRecord) => void;
}

/** The record of one request and its reply. */
export interface ExchangeRecord {
  readonly route: string;
  readonly method: string;
  readonly url: string;
  readonly requestId: string;
  readonly requestedAt: Date;
  readonly status?: number;
  readonly headersMs?: number;
  readonly totalMs: number;
  readonly bytesReceived: number;
  readonly transport: 'undici' | 'https';
  /** The message of the failure; absent when the exchange succeeded. */
  readonly failure?: string;
}

/** How a chat call ended. The events carried its content. */
export interface ChatResult {
  readonly outcome: Outcome;
  readonly requestId: string;
  readonly requestedAt: Date;
  /** The gateway's own id of the request, where it differs from ours. */
  readonly gatewayRequestId?: string;
  /** The reply's own id, by which a response of the responses format is read and cancelled. */
  readonly id?: string;
  readonly model?: string;
  readonly usage?: Usage;
  /** The provider's own word for why the first choice ended. */
  readonly finishReason?: string;
  /** From sending to the first text or reasoning, in milliseconds. */
  readonly firstTokenMs?: number;
  readonly totalMs: number;
}

/** Receives the content of a reply in batches: one for each network read, in order, before the call ends. */
export type OnEvents = (events: readonly ChatEvent[]) => void;

export interface GatewayClient {
  /**
   * GET /v1/models.
   *
   * @throws {GatewayError}
   */
  listModels(options?: ListModelsOptions): Promise<readonly Model[]>;
  /**
   * Sends a request in any text format, as the method of that format does. Answers as `chat` does.
   */
  ask(request: FormatRequest, onEvents: OnEvents, options?: MessagesOptions): Promise<ChatResult>;
  /**
   * POST /v1/chat/completions, streamed when `request.stream` is true. Failures of the gateway, the network
   * or a timeout are in the outcome of the result, and so is cancellation.
   *
   * @throws only what `onEvents` throws
   */
  chat(request: ChatCompletionsRequest, onEvents: OnEvents, options?: CallOptions): Promise<ChatResult>;
  /** POST /v1beta/models/{model}:generateContent. Settles like `chat`. */
  generateContent(
    model: string,
    request: ContentGenerationRequest,
    onEvents: OnEvents,
    options?: CallOptions,
  ): Promise<ChatResult>;
  /** POST /v1beta/models/{model}:streamGenerateContent. Settles like `chat`. */
  streamGenerateContent(
    model: string,
    request: ContentGenerationRequest,
    onEvents: OnEvents,
    options?: CallOptions,
  ): Promise<ChatResult>;
  /**
   * POST /v1beta/interactions, waiting for the result, for up to half an hour of silence. Settles like
   * `chat`; the outcome is `pending` when the gateway moved the request to the background.
   */
  interactions(request: InteractionsRequest, onEvents: OnEvents, options?: CallOptions): Promise<ChatResult>;
  /**
   * POST /v1beta/interactions in the background. It returns the task that was created, always with an id. The
   * request is never sent twice: after a failure, the task may exist all the same unless the error's `sent`
   * is false.
   *
   * @throws {GatewayError}
   */
  startInteraction(request: InteractionsRequest, options?: CreateOptions): Promise<CreatedTask>;
  /**
   * POST /v1beta/interactions, waiting for the result. It returns the finished task, without an id when the
   * gateway keeps none. It is never sent twice, like `startInteraction`.
   *
   * @throws {GatewayError}
   */
  runInteraction(request: InteractionsRequest, options?: CreateOptions): Promise<TaskSnapshot>;
  /**
   * POST to the native video synthesis route, which is always asynchronous. Settles like `startInteraction`.
   *
   * @throws {GatewayError}
   */
  videoSynthesis(request: VideoSynthesisRequest, options?: CreateOptions): Promise<CreatedTask>;
  /**
   * GET /v1/tasks: the newest tasks, at most `limit`, from up to 100 pages. A list may tell less about a task
   * than `readTask`.
   *
   * @throws {GatewayError}
   */
  listTasks(limit: number, options?: CallOptions): Promise<readonly TaskSnapshot[]>;
  /**
   * GET /v1/tasks: one page. A query with only a `limit` returns the newest tasks, and the `next` of a page
   * returns the page after it.
   *
   * @throws {GatewayError}
   */
  listTaskPage(query: TaskQuery, options?: CallOptions): Promise<TaskPage>;
  /**
   * GET /v1/tasks/{task_id}.
   *
   * @throws {GatewayError} with status 404 for a task that does not exist (yet)
   */
  readTask(taskId: string, options?: CallOptions): Promise<TaskSnapshot>;
  /**
   * Reads a task until it has completed or failed, for an hour by default. Passing failures do not end the
   * wait. The gateway is asked no more often than it allows.
   *
   * @throws {TaskWaitError} with the last snapshot when the time is over, or the gateway does not know the
   * task any more
   * @throws {GatewayError} for a refusal, and as `cancelled` at once when the signal is aborted
   */
  waitForTask(taskId: string, options?: WaitOptions): Promise<TaskSnapshot>;
  /**
   * POST /v1/tasks/{task_id}/cancel. It returns the record if the answer holds one. Only reading the task
   * tells whether it was cancelled.
   *
   * @throws {GatewayError} also when the gateway refuses
   */
  cancelTask(taskId: string, options?: CallOptions): Promise<TaskSnapshot | undefined>;
  /**
   * DELETE /v1/tasks/{task_id}. A task counts as deleted when a 404 says that it does not exist and reading
   * it says so again. It returns the record if the answer holds one, since some gateways cancel a running
   * task instead.
   *
   * @throws {GatewayError} also when the gateway answers that it has not deleted the task
   */
  deleteTask(taskId: string, options?: CallOptions): Promise<TaskSnapshot | undefined>;
  /**
   * The messages format: a request in the direct form, or in that of a partner-model route. Settles like
   * `chat`.
   */
  messages(
    request: MessagesRequest | PartnerMessagesRequest,
    onEvents: OnEvents,
    options?: MessagesOptions,
  ): Promise<ChatResult>;
  /**
   * The responses format. Settles like `chat`; a request with `background` ends as `pending` and is then read
   * by its id.
   */
  responses(request: ResponsesRequest, onEvents: OnEvents, options?: CallOptions): Promise<ChatResult>;
  /** Reads a response so far, from its beginning. Not every gateway keeps responses. Settles like `chat`. */
  readResponse(id: string, onEvents: OnEvents, options?: CallOptions): Promise<ChatResult>;
  /** Stops a response in the background and reads what there is of it, perhaps all. Settles like `chat`. */
  cancelResponse(id: string, onEvents: OnEvents, options?: CallOptions): Promise<ChatResult>;
  /**
   * Downloads a file that a reply names, from the gateway with the credential, from elsewhere without it: see
   * `Downloader`.
   *
   * @throws {GatewayError}
   * @throws what `target` throws
   */
  download(address: string, target: DownloadTarget, options?: DownloadOptions): Promise<Downloaded>;
  /** Closes idle connections at once, the others after their replies. */
  close(): Promise<void>;
}

/**
 * Creates a client of one gateway. It connects with the first call and keeps connections for the next ones.
 */
export function createGatewayClient(options: ClientOptions): GatewayClient {
  const sender = new Sender(options);
  const downloader = new Downloader(options);
  const text = (call: TextCall, onEvents: OnEvents, callOptions: CallOptions = {}) =>
    sendTextCall(sender, call, onEvents, callOptions);
  const ask: GatewayClient['ask'] = (request, onEvents, callOptions = {}) => {
    const { path } = sender.placed(request.route ?? request.format.route);
    const { headers } = options;
    const call = formatCall(request, { path, headers, betas: callOptions.betas });
    return text(call, onEvents, callOptions);
  };
  return {
    listModels: (callOptions = {}) => listModels(sender, callOptions),
    ask,
    chat: (body, onEvents, callOptions) => ask({ format: chatCompletions, body }, onEvents, callOptions),
    generateContent: (model, body, onEvents, callOptions) =>
      ask(
        { format: contentGeneration, model, body, route: contentGenerationRoutes.generateContent },
        onEvents,
        callOptions,
      ),
    streamGenerateContent: (model, body, onEvents, callOptions) =>
      ask({ format: contentGeneration, model, body }, onEvents, callOptions),
    messages: (body, onEvents, callOptions) => ask({ format: messages, body }, onEvents, callOptions),
    responses: (body, onEvents, callOptions) => ask({ format: responses, body }, onEvents, callOptions),
    interactions: (body, onEvents, callOptions) => ask({ format: interactions, body }, onEvents, callOptions),
    startInteraction: (request, callOptions) =>
      createTask(sender, { route: interactions.route, body: { ...request, background: true } }, callOptions),
    runInteraction: (request, callOptions) =>
      runTask(sender, { route: interactions.route, body: { ...request, background: false } }, callOptions),
    videoSynthesis: (request, callOptions) =>
      createTask(
        sender,
        {
          route: videoSynthesisRoutes.videoSynthesis,
          body: request,
          vendorHeaders: { vendorAsync: 'enable' },
        },
        callOptions,
      ),
    listTaskPage: (query, callOptions = {}) => readPage(sender, query, callOptions),
    listTasks: (limit, callOptions) => listTasks(sender, limit, callOptions),
    readTask: (taskId, callOptions) => readTask(sender, taskId, callOptions),
    waitForTask: (taskId, waitOptions) =>
      waitForTask({ readTask: (id, callOptions) => readTask(sender, id, callOptions) }, taskId, waitOptions),
    cancelTask: (taskId, callOptions) => cancelTask(sender, taskId, callOptions),
    deleteTask: (taskId, callOptions) => deleteTask(sender, taskId, callOptions),
    readResponse: (id, onEvents, callOptions) =>
      text(
        {
          route: storedResponsesRoutes.readResponse,
          params: { response_id: id },
          stream: false,
          whole: false,
          decoder: responses.createDecoder(),
        },
        onEvents,
        callOptions,
      ),
    cancelResponse: (id, onEvents, callOptions) =>
      text(
        {
          route: storedResponsesRoutes.cancelResponse,
          params: { response_id: id },
          // Some servers refuse an empty body with a JSON content type.
          body: {},
          stream: false,
          whole: false,
          decoder: responses.createDecoder(),
        },
        onEvents,
        callOptions,
      ),
    download: (address, target, downloadOptions) => downloader.download(address, target, downloadOptions),
    close: async () => {
      sender.close();
      downloader.close();
    },
  };
}
