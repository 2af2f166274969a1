import { ChatCompletionsReader } from '../wire/apis/chatCompletions/decode.ts';
import type { ChatCompletionsRequest } from '../wire/apis/chatCompletions/request.ts';
import { ContentGenerationReader } from '../wire/apis/contentGeneration/decode.ts';
import type { ContentGenerationRequest } from '../wire/apis/contentGeneration/request.ts';
import { InteractionsReader } from '../wire/apis/interactions/decode.ts';
import type { InteractionsRequest } from '../wire/apis/interactions/request.ts';
import type { MessagesRequest, PartnerMessagesRequest } from '../wire/apis/messages/request.ts';
import type { Model } from '../wire/apis/models/modelList.ts';
import { ResponsesReader } from '../wire/apis/responses/decode.ts';
import type { ResponsesRequest } from '../wire/apis/responses/request.ts';
import type { TaskSnapshot } from '../wire/apis/taskRecord/decode.ts';
import type { TaskPage, TaskQuery } from '../wire/apis/taskRecord/list.ts';
import type { VideoSynthesisRequest } from '../wire/apis/videoSynthesis/request.ts';
import type { ChatEvent, Outcome, Usage } from '../wire/chatEvent.ts';
import type { HeaderChoice } from '../wire/headerNames.ts';
import {
  type Downloaded,
  Downloader,
  type DownloadOptions,
  type DownloadTarget,
} from './downloads/download.ts';
import { type MessagesOptions, messagesCall } from './messagesCall.ts';
import { listModels } from './modelList.ts';
import type { OpenRouteChoice } from './openRoutes.ts';
import { Sender, untilMade } from './send.ts';
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
import { sendTextCall, type TextCall } from './textCall.ts';
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
export type { MessagesOptions } from './messagesCall.ts';
export type { OpenRoute, OpenRouteChoice } from './openRoutes.ts';
export type { CreatedTask } from './taskCalls.ts';
export { TaskWaitError, type WaitOptions } from './waitForTask.ts';

/** Time limits of one call in milliseconds; 0 means none. */
export interface Timeouts {
  /** Until the connection stands, name lookup and TLS included. */
  readonly connect: number;
  /** From the sent request to the reply's first header. */
  readonly firstByte: number;
  /** The same where no stream is asked for: the gateway is silent until it has written all of the reply. */
  readonly wholeReply: number;
  /** Between two reads of the body. */
  readonly idle: number;
  /** Between two pieces of real data; comments alone do not count. */
  readonly noData: number;
  readonly total: number;
}

export interface CallOptions {
  /** Aborting closes the socket; the call ends as cancelled. */
  readonly signal?: AbortSignal;
  readonly timeouts?: Partial<Timeouts>;
  /** Sent as X-Request-Id; made up when absent. */
  readonly requestId?: string;
}

export interface ListModelsOptions extends CallOptions {
  /** Told how many models there are beyond the first 10,000, which are all that is read. */
  readonly onBeyond?: (count: number) => void;
}

/** A route on which something is made that takes minutes and money. */
export type TaskRoute = 'interactions' | 'videoSynthesis';

export interface CreateOptions extends CallOptions {
  /** Sent as Idempotency-Key. Few gateways know it, so nothing may rely on it. */
  readonly idempotencyKey?: string;
  /** Told of the task's id the moment the reply bears one, before anything else is read of it. */
  readonly onCreated?: (taskId: string) => void;
}

export interface ClientOptions {
  /** The gateway's address without a path, such as `https://gateway.example`. */
  readonly baseUrl: string;
  /** Asked once per request; the answer goes to the origin of `baseUrl` and nowhere else. */
  readonly credential: () => Promise<string | undefined>;
  readonly budgets?: Partial<Timeouts>;
  /** How the gateway spells the headers that providers name after themselves; as the interface by default. */
  readonly headers?: HeaderChoice;
  /** Where the gateway has the messages and the responses style; /v1/messages and /v1/responses by default. */
  readonly openRoutes?: OpenRouteChoice;
  /**
   * Origins from which results are fetched although they lie in a private network or are plain http, such as
   * `https://files.internal:8443`. Whatever the gateway's replies name there is asked for, without credential.
   */
  readonly resultOrigins?: readonly string[];
  readonly transport?: 'auto' | 'direct' | 'host';
  /**
   * Host and port of the proxy that VS Code is set up to use for an origin; asked before each request. It is
   * gone through, by VS Code's own network stack, or nothing is sent.
   */
  readonly proxy?: (origin: string) => string | undefined;
  /** Whether the operating system's certificate authorities are trusted; they are by default. */
  readonly systemCertificates?: boolean;
  /** Told of every finished exchange, without credentials and bodies. */
  readonly onExchange?: (exchange: Exchange) => void;
}

/** What is remembered of one request and its reply. */
export interface Exchange {
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
  /** Set when the exchange failed. */
  readonly failure?: string;
}

/** How a chat call went. The events carried the content; this is what is known once it is over. */
export interface ChatResult {
  readonly outcome: Outcome;
  readonly requestId: string;
  readonly requestedAt: Date;
  /** The gateway's own id of the request, where the reply tells another than ours. */
  readonly gatewayRequestId?: string;
  /** The reply's own id: a response of the responses style is read and cancelled by it. */
  readonly id?: string;
  readonly model?: string;
  readonly usage?: Usage;
  /** The provider's own word for why the first choice ended. */
  readonly finishReason?: string;
  /** From sending to the first text or reasoning, in milliseconds. */
  readonly firstTokenMs?: number;
  readonly totalMs: number;
}

/** Told of what a reply says, in batches: one for each network read, in order, before the call is over. */
export type OnEvents = (events: readonly ChatEvent[]) => void;

export interface GatewayClient {
  /** GET /v1/models. Throws a GatewayError. */
  listModels(options?: ListModelsOptions): Promise<readonly Model[]>;
  /**
   * POST /v1/chat/completions, streamed when `request.stream` is true. Never throws for what the gateway
   * or the network did: that is the outcome.
   */
  chat(request: ChatCompletionsRequest, onEvents: OnEvents, options?: CallOptions): Promise<ChatResult>;
  /** POST /v1beta/models/{model}:generateContent. Answers as `chat` does. */
  generateContent(
    model: string,
    request: ContentGenerationRequest,
    onEvents: OnEvents,
    options?: CallOptions,
  ): Promise<ChatResult>;
  /** POST /v1beta/models/{model}:streamGenerateContent. Answers as `chat` does. */
  streamGenerateContent(
    model: string,
    request: ContentGenerationRequest,
    onEvents: OnEvents,
    options?: CallOptions,
  ): Promise<ChatResult>;
  /**
   * POST /v1beta/interactions, waiting for the result, which may take as long as a video takes to make.
   * Answers as `chat` does; ends as `pending` when the gateway put it in the background all the same.
   */
  interactions(request: InteractionsRequest, onEvents: OnEvents, options?: CallOptions): Promise<ChatResult>;
  /**
   * POST /v1beta/interactions in the background: the task that was created, always with an id. Never sent
   * twice: after a failure that came late, the task may exist all the same. Throws a GatewayError.
   */
  startInteraction(request: InteractionsRequest, options?: CreateOptions): Promise<CreatedTask>;
  /**
   * POST /v1beta/interactions, waiting for what is made. Read as a task that ended, without an id when the
   * gateway keeps none. As `startInteraction` otherwise.
   */
  runInteraction(request: InteractionsRequest, options?: CreateOptions): Promise<TaskSnapshot>;
  /** POST to the native video synthesis, which is always asynchronous. As `startInteraction`. */
  videoSynthesis(request: VideoSynthesisRequest, options?: CreateOptions): Promise<CreatedTask>;
  /**
   * GET /v1/tasks: at most `limit` tasks, from as many pages as that takes. What a list tells of a task may
   * be less than what reading it tells. Throws a GatewayError.
   */
  listTasks(limit: number, options?: CallOptions): Promise<readonly TaskSnapshot[]>;
  /**
   * GET /v1/tasks: one page, the newest tasks for a query of nothing but a `limit`, the page after another for
   * that page's `next`. Throws a GatewayError.
   */
  listTaskPage(query: TaskQuery, options?: CallOptions): Promise<TaskPage>;
  /** GET /v1/tasks/{task_id}. Throws a GatewayError, with status 404 for a task that is not there (yet). */
  readTask(taskId: string, options?: CallOptions): Promise<TaskSnapshot>;
  /**
   * Reads a task until it has completed or failed, within an overall limit. Bears what passes, and asks no more
   * often than the gateway allows. Throws a TaskWaitError, which holds the last snapshot, when the time is over;
   * a GatewayError for a refusal, or as `cancelled` at once when the signal is aborted.
   */
  waitForTask(taskId: string, options?: WaitOptions): Promise<TaskSnapshot>;
  /**
   * POST /v1/tasks/{task_id}/cancel. Returns the record where the answer holds it; what became of the task
   * is known by reading it. Throws a GatewayError, also when the gateway refuses.
   */
  cancelTask(taskId: string, options?: CallOptions): Promise<TaskSnapshot | undefined>;
  /**
   * DELETE /v1/tasks/{task_id}. A task that is not there any more counts as deleted, where a 404 says so of the
   * task and reading it answers 404, too. Returns the record where the answer holds it: some gateways cancel a
   * running task instead. Throws a GatewayError, also when the gateway answers that it has not deleted it.
   */
  deleteTask(taskId: string, options?: CallOptions): Promise<TaskSnapshot | undefined>;
  /**
   * The messages style: a request in the direct form, or in that of a partner-model route. Answers as
   * `chat` does.
   */
  messages(
    request: MessagesRequest | PartnerMessagesRequest,
    onEvents: OnEvents,
    options?: MessagesOptions,
  ): Promise<ChatResult>;
  /**
   * The responses style. Answers as `chat` does; a request with `background` ends as `pending`, to be read
   * by its id until it does not.
   */
  responses(request: ResponsesRequest, onEvents: OnEvents, options?: CallOptions): Promise<ChatResult>;
  /** What there is of a response so far, from its beginning. Not every gateway keeps responses. */
  readResponse(id: string, onEvents: OnEvents, options?: CallOptions): Promise<ChatResult>;
  /** Stops a response in the background and tells what there is of it, which may be all. */
  cancelResponse(id: string, onEvents: OnEvents, options?: CallOptions): Promise<ChatResult>;
  /**
   * Fetches a file that a reply names, from the gateway with the credential or from elsewhere without it: see
   * `Downloader`. Throws a GatewayError, or what `target` threw.
   */
  download(address: string, target: DownloadTarget, options?: DownloadOptions): Promise<Downloaded>;
  /** Closes idle connections. */
  close(): Promise<void>;
}

/** A client of one gateway. It connects when it is first called, and keeps connections for the next call. */
export function createGatewayClient(options: ClientOptions): GatewayClient {
  const sender = new Sender(options);
  const downloader = new Downloader(options);
  const text = (call: TextCall, onEvents: OnEvents, callOptions: CallOptions = {}) =>
    sendTextCall(sender, call, onEvents, callOptions);
  return {
    listModels: (callOptions = {}) => listModels(sender, callOptions),
    chat: (request, onEvents, callOptions) =>
      text(
        {
          route: 'chatCompletions',
          body: request,
          stream: request.stream === true,
          reader: new ChatCompletionsReader(),
        },
        onEvents,
        callOptions,
      ),
    generateContent: (model, request, onEvents, callOptions) =>
      text(
        {
          route: 'generateContent',
          params: { model },
          body: request,
          stream: false,
          reader: new ContentGenerationReader(),
        },
        onEvents,
        callOptions,
      ),
    streamGenerateContent: (model, request, onEvents, callOptions) =>
      text(
        {
          route: 'streamGenerateContent',
          params: { model },
          // Without it the provider streams a JSON array, which is read just as well.
          query: { alt: 'sse' },
          body: request,
          stream: true,
          reader: new ContentGenerationReader(),
        },
        onEvents,
        callOptions,
      ),
    interactions: (request, onEvents, callOptions) =>
      text(
        {
          route: 'interactions',
          body: request,
          stream: request.stream === true,
          ...(!request.stream && { patience: untilMade }),
          reader: new InteractionsReader(),
        },
        onEvents,
        callOptions,
      ),
    startInteraction: (request, callOptions) =>
      createTask(sender, { route: 'interactions', body: { ...request, background: true } }, callOptions),
    runInteraction: (request, callOptions) =>
      runTask(sender, { route: 'interactions', body: { ...request, background: false } }, callOptions),
    videoSynthesis: (request, callOptions) =>
      createTask(
        sender,
        { route: 'videoSynthesis', body: request, vendorHeaders: { vendorAsync: 'enable' } },
        callOptions,
      ),
    listTaskPage: (query, callOptions = {}) => readPage(sender, query, callOptions),
    listTasks: (limit, callOptions) => listTasks(sender, limit, callOptions),
    readTask: (taskId, callOptions) => readTask(sender, taskId, callOptions),
    waitForTask: (taskId, waitOptions) =>
      waitForTask({ readTask: (id, callOptions) => readTask(sender, id, callOptions) }, taskId, waitOptions),
    cancelTask: (taskId, callOptions) => cancelTask(sender, taskId, callOptions),
    deleteTask: (taskId, callOptions) => deleteTask(sender, taskId, callOptions),
    messages: (request, onEvents, callOptions) =>
      text(
        messagesCall(request, sender.route('messages').path, callOptions?.betas, options.headers),
        onEvents,
        callOptions,
      ),
    responses: (request, onEvents, callOptions) =>
      text(
        {
          route: 'responses',
          body: request,
          stream: request.stream === true,
          reader: new ResponsesReader(),
        },
        onEvents,
        callOptions,
      ),
    readResponse: (id, onEvents, callOptions) =>
      text(
        {
          route: 'readResponse',
          params: { response_id: id },
          stream: false,
          whole: false,
          reader: new ResponsesReader(),
        },
        onEvents,
        callOptions,
      ),
    cancelResponse: (id, onEvents, callOptions) =>
      text(
        {
          route: 'cancelResponse',
          params: { response_id: id },
          // Some servers refuse an empty body under a JSON content type.
          body: {},
          stream: false,
          whole: false,
          reader: new ResponsesReader(),
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
