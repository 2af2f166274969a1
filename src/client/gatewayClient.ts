import { performance } from 'node:perf_hooks';
import { chatCompletions } from '../wire/apis/chatCompletions/format.ts';
import type { ChatCompletionsRequest } from '../wire/apis/chatCompletions/schema.ts';
import { contentGeneration, contentGenerationRoutes } from '../wire/apis/contentGeneration/format.ts';
import type { ContentGenerationRequest } from '../wire/apis/contentGeneration/schema.ts';
import { interactions } from '../wire/apis/interactions/format.ts';
import type { InteractionsRequest } from '../wire/apis/interactions/schema.ts';
import { messages } from '../wire/apis/messages/format.ts';
import type { MessagesRequest, PartnerMessagesRequest } from '../wire/apis/messages/schema.ts';
import type { TokenPrices } from '../wire/apis/models/modelInfo.ts';
import type { Model } from '../wire/apis/models/modelList.ts';
import { responses, storedResponsesRoutes } from '../wire/apis/responses/format.ts';
import type { ResponsesRequest } from '../wire/apis/responses/schema.ts';
import type { Destination } from '../wire/apis/shared/apiFormat.ts';
import { type AnyVideoRoute, isSynchronous } from '../wire/apis/shared/videoRoute.ts';
import type { TaskPage, TaskQuery } from '../wire/apis/taskRecord/decodeTaskList.ts';
import type { TaskSnapshot } from '../wire/apis/taskRecord/snapshot.ts';
import type { VideoSynthesisRequest } from '../wire/apis/videoSynthesis/schema.ts';
import { videoSynthesisRoutes } from '../wire/apis/videoSynthesis/videoRoute.ts';
import { GatewayError } from '../wire/failures/gatewayError.ts';
import type { Route } from '../wire/routes.ts';
import type { FormatDecoder } from '../wire/stream/decodedReply.ts';
import { createCallIdentity } from './callIdentity.ts';
import { ChatSink } from './chatSink.ts';
import { Downloader } from './download.ts';
import { listModels, readTokenPrices } from './listModels.ts';
import { generationTimeouts } from './requestTimeouts.ts';
import { type Call, Sender } from './sender.ts';
import { cancelTask, createTask, deleteTask, listTasks, readPage, readTask, runTask } from './taskCalls.ts';
import type {
  CallOptions,
  ChatResult,
  ClientOptions,
  CreatedTask,
  CreateOptions,
  Downloaded,
  DownloadOptions,
  DownloadTarget,
  FormatRequest,
  ListModelsOptions,
  MessagesOptions,
  OnEvents,
  WaitOptions,
} from './types.ts';
import { waitForTask } from './waitForTask.ts';

/**
 * A client of one gateway, with a method for each route. A method with a parameter `onEvents` passes the content of the
 * reply to it and reports every failure in its result. The other methods throw. A request that may cost money is
 * never sent twice.
 */
export interface GatewayClient {
  /**
   * GET /v1/models.
   *
   * @throws {GatewayError}
   */
  listModels(options?: ListModelsOptions): Promise<readonly Model[]>;
  /**
   * GET /v1/model/info, a route of LiteLLM. Returns the prices keyed by the ids of its model list. A model whose
   * deployments differ in price does not have an entry. The timeout is 15 s.
   *
   * @throws {GatewayError} also if the gateway is not LiteLLM
   */
  readTokenPrices(options?: CallOptions): Promise<TokenPrices>;
  /**
   * Sends a request in any text format, like the method of that format. Failures are reported as by
   * `chatCompletions`.
   */
  sendFormatRequest(
    request: FormatRequest,
    onEvents: OnEvents,
    options?: MessagesOptions,
  ): Promise<ChatResult>;
  /**
   * POST /v1/chat/completions, streamed if `request.stream` is true. The outcome of the result reports failures of
   * the gateway and the network, timeouts and cancellation.
   *
   * @throws only errors that `onEvents` throws
   */
  chatCompletions(
    request: ChatCompletionsRequest,
    onEvents: OnEvents,
    options?: CallOptions,
  ): Promise<ChatResult>;
  /** POST /v1beta/models/{model}:generateContent. Failures are reported as by `chatCompletions`. */
  generateContent(
    model: string,
    request: ContentGenerationRequest,
    onEvents: OnEvents,
    options?: CallOptions,
  ): Promise<ChatResult>;
  /** POST /v1beta/models/{model}:streamGenerateContent. Failures are reported as by `chatCompletions`. */
  streamGenerateContent(
    model: string,
    request: ContentGenerationRequest,
    onEvents: OnEvents,
    options?: CallOptions,
  ): Promise<ChatResult>;
  /**
   * POST /v1beta/interactions, and waits for the result. The gateway may be silent for up to half an hour.
   * Failures are reported as by `chatCompletions`. The outcome is `pending` if the gateway moved the request to
   * the background.
   */
  interactions(request: InteractionsRequest, onEvents: OnEvents, options?: CallOptions): Promise<ChatResult>;
  /**
   * Sends a request in the messages format, either in the direct form or in the form of a partner-model route.
   * Failures are reported as by `chatCompletions`.
   */
  messages(
    request: MessagesRequest | PartnerMessagesRequest,
    onEvents: OnEvents,
    options?: MessagesOptions,
  ): Promise<ChatResult>;
  /**
   * Sends a request in the responses format. Failures are reported as by `chatCompletions`. A request with
   * `background` ends as `pending`; then call `readResponse` with its id.
   */
  responses(request: ResponsesRequest, onEvents: OnEvents, options?: CallOptions): Promise<ChatResult>;
  /**
   * Reads the current content of a response from its beginning. Not every gateway stores responses. Failures are
   * reported as by `chatCompletions`.
   */
  readResponse(id: string, onEvents: OnEvents, options?: CallOptions): Promise<ChatResult>;
  /**
   * Cancels a response in the background and reads its content so far, which may be complete. Failures are
   * reported as by `chatCompletions`.
   */
  cancelResponse(id: string, onEvents: OnEvents, options?: CallOptions): Promise<ChatResult>;
  /**
   * Requests a video by one of the video routes. If the route has a field for running in the background, the request
   * runs there only if it sets this field to true. Without such a field every request runs in the background. Returns
   * and throws like `startInteraction` in the background, otherwise like `runInteraction`.
   *
   * @throws {GatewayError}
   */
  makeVideo(route: AnyVideoRoute, request: object, options?: CreateOptions): Promise<TaskSnapshot>;
  /**
   * POST /v1beta/interactions in the background. Returns the created task, always with an id. The request is never
   * sent twice. After a failure, the task may exist unless the error's `wasSent` is false.
   *
   * @throws {GatewayError}
   */
  startInteraction(request: InteractionsRequest, options?: CreateOptions): Promise<CreatedTask>;
  /**
   * POST /v1beta/interactions, and waits for the result. Returns the finished task, or a running one if the gateway
   * moved it to the background. The task has no id if the gateway does not store tasks. The request is never sent
   * twice.
   *
   * @throws {GatewayError}
   */
  runInteraction(request: InteractionsRequest, options?: CreateOptions): Promise<TaskSnapshot>;
  /**
   * POST to the native video synthesis route, which is always asynchronous. Returns and throws like
   * `startInteraction`.
   *
   * @throws {GatewayError}
   */
  videoSynthesis(request: VideoSynthesisRequest, options?: CreateOptions): Promise<CreatedTask>;
  /**
   * GET /v1/tasks. Returns the newest tasks, at most `limit`, from up to 100 pages. A list may contain less about
   * a task than `readTask` returns.
   *
   * @throws {GatewayError}
   */
  listTasks(limit: number, options?: CallOptions): Promise<readonly TaskSnapshot[]>;
  /**
   * GET /v1/tasks. Returns one page. A query with only a `limit` returns the newest tasks, and the `next` of a
   * page is the query for the following page.
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
   * Reads a task until it has completed or failed, for an hour by default. Temporary failures do not end the wait.
   * It does not poll more often than the gateway allows.
   *
   * @throws {TaskWaitError} with the last snapshot, after the timeout or if the gateway no longer has the task
   * @throws {GatewayError} for a refusal, or as `cancelled` as soon as the signal is aborted
   */
  waitForTask(taskId: string, options?: WaitOptions): Promise<TaskSnapshot>;
  /**
   * POST /v1/tasks/{task_id}/cancel. Returns the task if the reply contains it. Read the task to find out whether
   * it was cancelled.
   *
   * @throws {GatewayError} also if the gateway refuses
   */
  cancelTask(taskId: string, options?: CallOptions): Promise<TaskSnapshot | undefined>;
  /**
   * DELETE /v1/tasks/{task_id}. A task also counts as deleted if the gateway replies with 404 and reading the task
   * confirms that it does not exist. Returns the task if the reply contains it, because some gateways cancel a
   * running task instead.
   *
   * @throws {GatewayError} also if the gateway reports that it has not deleted the task
   */
  deleteTask(taskId: string, options?: CallOptions): Promise<TaskSnapshot | undefined>;
  /**
   * Downloads a file whose address is in a reply. Only requests to the gateway carry the credential. Other
   * addresses must use https and be public, or belong to `resultOrigins`.
   *
   * @throws {GatewayError}
   * @throws any error that `target` throws
   */
  download(address: string, target: DownloadTarget, options?: DownloadOptions): Promise<Downloaded>;
  /** Closes idle connections at once, and the others after their replies. Does not wait for these replies. */
  close(): Promise<void>;
}

/** Creates a client of one gateway. It connects on the first call and reuses its connections. */
export function createGatewayClient(options: ClientOptions): GatewayClient {
  const sender = new Sender(options);
  const downloader = new Downloader(options);
  const sendFormatRequest: GatewayClient['sendFormatRequest'] = (request, onEvents, callOptions = {}) => {
    const { path } = sender.resolveRoute(request.route ?? request.format.route);
    const { headers } = options;
    const call = createTextCall(request, { path, headers, betas: callOptions.betas });
    return sendTextCall(sender, call, onEvents, callOptions);
  };
  return {
    listModels: (callOptions = {}) => listModels(sender, callOptions),
    readTokenPrices: (callOptions = {}) => readTokenPrices(sender, callOptions),
    sendFormatRequest,
    chatCompletions: (body, onEvents, callOptions) =>
      sendFormatRequest({ format: chatCompletions, body }, onEvents, callOptions),
    generateContent: (model, body, onEvents, callOptions) =>
      sendFormatRequest(
        { format: contentGeneration, model, body, route: contentGenerationRoutes.generateContent },
        onEvents,
        callOptions,
      ),
    streamGenerateContent: (model, body, onEvents, callOptions) =>
      sendFormatRequest({ format: contentGeneration, model, body }, onEvents, callOptions),
    messages: (body, onEvents, callOptions) =>
      sendFormatRequest({ format: messages, body }, onEvents, callOptions),
    responses: (body, onEvents, callOptions) =>
      sendFormatRequest({ format: responses, body }, onEvents, callOptions),
    interactions: (body, onEvents, callOptions) =>
      sendFormatRequest({ format: interactions, body }, onEvents, callOptions),
    makeVideo: (videoRoute, request, callOptions) => {
      const { route, vendorHeaders, backgroundField: field } = videoRoute;
      const isWaiting = isSynchronous(videoRoute, request);
      const body = field === undefined ? request : { ...request, [field]: !isWaiting };
      const creation = { route, body, ...(vendorHeaders && { vendorHeaders }) };
      return (isWaiting ? runTask : createTask)(sender, creation, callOptions);
    },
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
      sendTextCall(
        sender,
        createStoredResponseCall(storedResponsesRoutes.readResponse, id),
        onEvents,
        callOptions,
      ),
    cancelResponse: (id, onEvents, callOptions) => {
      const call = createStoredResponseCall(storedResponsesRoutes.cancelResponse, id);
      // Some servers refuse an empty body with a JSON content type.
      return sendTextCall(sender, { ...call, body: {} }, onEvents, callOptions);
    },
    download: (address, target, downloadOptions) => downloader.download(address, target, downloadOptions),
    close: async () => {
      sender.close();
      downloader.close();
    },
  };
}

function createStoredResponseCall(route: Route, id: string): TextCall {
  const decoder = responses.createDecoder();
  return { route, params: { response_id: id }, isStreamed: false, isUnstreamed: false, decoder };
}

/** A call whose reply is in a text format. */
interface TextCall extends Omit<Call, 'body' | 'accept' | 'sink' | 'identity' | 'options'> {
  readonly body?: object;
  /** Whether a stream is requested. The reply is read according to its actual type, a stream or a document. */
  readonly isStreamed: boolean;
  readonly decoder: FormatDecoder;
}

/** Builds the call that sends a request in its API format. */
function createTextCall(
  { format, model = '', body, route = format.route }: FormatRequest,
  destination: Destination,
): TextCall {
  const isStreamed = route.isStreamed ?? ('stream' in body && body.stream === true);
  return {
    route,
    ...(format.isModelInPath && { params: { model } }),
    ...(format.prepare?.(body, destination) ?? { body }),
    paid: { kind: 'reply', body },
    isStreamed,
    ...(format.isSlow && !isStreamed && { minTimeouts: generationTimeouts }),
    decoder: format.createDecoder(),
  };
}

/**
 * Sends a call and reports its reply as events. Failures of the gateway and the network are in the outcome.
 *
 * @throws only errors that `onEvents` throws
 */
async function sendTextCall(
  sender: Sender,
  { body, isStreamed, decoder, ...call }: TextCall,
  onEvents: OnEvents,
  options: CallOptions = {},
): Promise<ChatResult> {
  const identity = createCallIdentity(options);
  const { requestId, requestedAt, startedAt } = identity;
  const sink = new ChatSink(decoder, onEvents, options.thinkTags);
  const requestIdOrError = await sender
    .send({
      isUnstreamed: !isStreamed,
      ...call,
      ...(body && { body: JSON.stringify(body) }),
      accept: isStreamed ? 'text/event-stream, application/json' : 'application/json',
      sink,
      identity,
      options,
    })
    .catch(rethrowUnlessGatewayError);
  sink.release();
  const error = GatewayError.is(requestIdOrError) ? requestIdOrError : undefined;
  const gatewayRequestId = GatewayError.is(requestIdOrError)
    ? requestIdOrError.gatewayRequestId
    : requestIdOrError;
  const { id, model, usage, costUsd, serviceTier, endReason, finishReason } = sink;
  const { firstTokenAt, reasoningMs } = sink;
  return {
    outcome: sink.outcome(error),
    requestId,
    requestedAt,
    ...(gatewayRequestId !== undefined && { gatewayRequestId }),
    ...(id !== undefined && { id }),
    ...(model !== undefined && { model }),
    ...(usage && { usage }),
    ...(costUsd !== undefined && { costUsd }),
    ...(serviceTier !== undefined && { serviceTier }),
    ...(endReason !== undefined && { endReason }),
    ...(finishReason !== undefined && { finishReason }),
    ...(firstTokenAt !== undefined && { firstTokenMs: firstTokenAt - startedAt }),
    ...(reasoningMs !== undefined && { reasoningMs }),
    totalMs: performance.now() - startedAt,
  };
}

function rethrowUnlessGatewayError(error: unknown): GatewayError {
  if (GatewayError.is(error)) return error;
  throw error;
}
