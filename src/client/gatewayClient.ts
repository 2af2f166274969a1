import { chatCompletions } from '../wire/apis/chatCompletions/format.ts';
import type { ChatCompletionsRequest } from '../wire/apis/chatCompletions/request.ts';
import { contentGeneration, contentGenerationRoutes } from '../wire/apis/contentGeneration/format.ts';
import type { ContentGenerationRequest } from '../wire/apis/contentGeneration/request.ts';
import { isSynchronous, type VideoRoute } from '../wire/apis/format/videoRoute.ts';
import { interactions } from '../wire/apis/interactions/format.ts';
import type { InteractionsRequest } from '../wire/apis/interactions/request.ts';
import { messages } from '../wire/apis/messages/format.ts';
import type { MessagesRequest, PartnerMessagesRequest } from '../wire/apis/messages/request.ts';
import type { TokenPrices } from '../wire/apis/models/modelInfo.ts';
import type { Model } from '../wire/apis/models/modelList.ts';
import { responses, storedResponsesRoutes } from '../wire/apis/responses/format.ts';
import type { ResponsesRequest } from '../wire/apis/responses/request.ts';
import type { TaskPage, TaskQuery } from '../wire/apis/taskRecord/list.ts';
import type { TaskSnapshot } from '../wire/apis/taskRecord/snapshot.ts';
import { videoSynthesisRoutes } from '../wire/apis/videoSynthesis/format.ts';
import type { VideoSynthesisRequest } from '../wire/apis/videoSynthesis/request.ts';
import type { Route } from '../wire/routes.ts';
import { Downloader } from './download.ts';
import { listModels, readTokenPrices } from './modelList.ts';
import { Sender } from './send.ts';
import { cancelTask, createTask, deleteTask, listTasks, readPage, readTask, runTask } from './taskCalls.ts';
import { formatCall, sendTextCall, type TextCall } from './textCall.ts';
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
 * One method for each route of a gateway. A method that takes `onEvents` reports the content of a reply by it, and
 * every failure in the result; the others throw. A request that may cost money is never sent twice.
 */
export interface GatewayClient {
  /**
   * GET /v1/models.
   *
   * @throws {GatewayError}
   */
  listModels(options?: ListModelsOptions): Promise<readonly Model[]>;
  /**
   * GET /v1/model/info, where LiteLLM tells what models cost: the prices by the ids of its model list. A model whose
   * deployments differ in price has none. Takes 15 s at most.
   *
   * @throws {GatewayError} also where the gateway is no LiteLLM
   */
  readTokenPrices(options?: CallOptions): Promise<TokenPrices>;
  /**
   * Sends a request in any text format, as the method of that format does. Settles like `chatCompletions`.
   */
  ask(request: FormatRequest, onEvents: OnEvents, options?: MessagesOptions): Promise<ChatResult>;
  /**
   * POST /v1/chat/completions, streamed when `request.stream` is true. Failures of the gateway, the network
   * or a timeout are in the outcome of the result, and so is cancellation.
   *
   * @throws only what `onEvents` throws
   */
  chatCompletions(
    request: ChatCompletionsRequest,
    onEvents: OnEvents,
    options?: CallOptions,
  ): Promise<ChatResult>;
  /** POST /v1beta/models/{model}:generateContent. Settles like `chatCompletions`. */
  generateContent(
    model: string,
    request: ContentGenerationRequest,
    onEvents: OnEvents,
    options?: CallOptions,
  ): Promise<ChatResult>;
  /** POST /v1beta/models/{model}:streamGenerateContent. Settles like `chatCompletions`. */
  streamGenerateContent(
    model: string,
    request: ContentGenerationRequest,
    onEvents: OnEvents,
    options?: CallOptions,
  ): Promise<ChatResult>;
  /**
   * POST /v1beta/interactions, waiting for the result, for up to half an hour of silence. Settles like
   * `chatCompletions`; the outcome is `pending` when the gateway moved the request to the background.
   */
  interactions(request: InteractionsRequest, onEvents: OnEvents, options?: CallOptions): Promise<ChatResult>;
  /**
   * The messages format: a request in the direct form, or in that of a partner-model route. Settles like
   * `chatCompletions`.
   */
  messages(
    request: MessagesRequest | PartnerMessagesRequest,
    onEvents: OnEvents,
    options?: MessagesOptions,
  ): Promise<ChatResult>;
  /**
   * The responses format. Settles like `chatCompletions`; a request with `background` ends as `pending` and is then read
   * by its id.
   */
  responses(request: ResponsesRequest, onEvents: OnEvents, options?: CallOptions): Promise<ChatResult>;
  /** Reads a response so far, from its beginning. Not every gateway keeps responses. Settles like `chatCompletions`. */
  readResponse(id: string, onEvents: OnEvents, options?: CallOptions): Promise<ChatResult>;
  /** Stops a response in the background and reads what there is of it, perhaps all. Settles like `chatCompletions`. */
  cancelResponse(id: string, onEvents: OnEvents, options?: CallOptions): Promise<ChatResult>;
  /**
   * Asks for a video by one of the routes for that, in the background unless the request wants to wait for it.
   * Settles like `startInteraction`, or like `runInteraction` where it waits.
   *
   * @throws {GatewayError}
   */
  makeVideo(route: VideoRoute, request: object, options?: CreateOptions): Promise<TaskSnapshot>;
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
   * Downloads a file that a reply names: from the gateway with the credential, from elsewhere without it, and then
   * only over https and from public addresses, or from the `resultOrigins`.
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
    const { path } = sender.resolveRoute(request.route ?? request.format.route);
    const { headers } = options;
    const call = formatCall(request, { path, headers, betas: callOptions.betas });
    return text(call, onEvents, callOptions);
  };
  return {
    listModels: (callOptions = {}) => listModels(sender, callOptions),
    readTokenPrices: (callOptions = {}) => readTokenPrices(sender, callOptions),
    ask,
    chatCompletions: (body, onEvents, callOptions) =>
      ask({ format: chatCompletions, body }, onEvents, callOptions),
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
    makeVideo: (videoRoute, request, callOptions) => {
      const { route, vendorHeaders, backgroundField: field } = videoRoute;
      const awaited = isSynchronous(videoRoute, request);
      const body = field === undefined ? request : { ...request, [field]: !awaited };
      const creation = { route, body, ...(vendorHeaders && { vendorHeaders }) };
      return (awaited ? runTask : createTask)(sender, creation, callOptions);
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
      text(storedResponseCall(storedResponsesRoutes.readResponse, id), onEvents, callOptions),
    cancelResponse: (id, onEvents, callOptions) => {
      const call = storedResponseCall(storedResponsesRoutes.cancelResponse, id);
      // Some servers refuse an empty body with a JSON content type.
      return text({ ...call, body: {} }, onEvents, callOptions);
    },
    download: (address, target, downloadOptions) => downloader.download(address, target, downloadOptions),
    close: async () => {
      sender.close();
      downloader.close();
    },
  };
}

function storedResponseCall(route: Route, id: string): TextCall {
  const decoder = responses.createDecoder();
  return { route, params: { response_id: id }, stream: false, whole: false, decoder };
}
