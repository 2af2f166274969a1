import type { ChatEvent, Outcome, Usage } from '../wire/chatEvent.ts';
import { diagnoseInnerError, malformedReply } from '../wire/classify.ts';
import { readErrorValue } from '../wire/errorBody.ts';
import { GatewayError } from '../wire/failure.ts';
import type { ChatCompletionsRequest } from '../wire/shapes/chatCompletions.ts';
import { ChatCompletionsReader } from '../wire/shapes/chatCompletionsReader.ts';
import { decodeModelList, type Model } from '../wire/shapes/models.ts';
import { ChatSink } from './chatSink.ts';
import { DocumentSink } from './replySink.ts';
import { identify, Sender } from './send.ts';

export type { ChatEvent, FinishReason, Outcome, Usage } from '../wire/chatEvent.ts';
// biome-ignore lint/performance/noBarrelFile: this file is the entry of the client library
export { GatewayError } from '../wire/failure.ts';
export type { ChatCompletionsRequest } from '../wire/shapes/chatCompletions.ts';
export type { Model } from '../wire/shapes/models.ts';

/** Time limits of one call in milliseconds; 0 means none. */
export interface Budgets {
  /** Until the connection stands, name lookup and TLS included. */
  readonly connect: number;
  /** From the sent request to the reply's first header. */
  readonly firstByte: number;
  /** Between two reads of the body. */
  readonly idle: number;
  /** Between two pieces of real data; comments alone do not count. */
  readonly noData: number;
  readonly total: number;
}

export interface CallOptions {
  /** Aborting closes the socket; the call ends as cancelled. */
  readonly signal?: AbortSignal;
  readonly budgets?: Partial<Budgets>;
  /** Sent as X-Request-Id; made up when absent. */
  readonly requestId?: string;
}

export interface ClientOptions {
  /** The gateway's address without a path, such as `https://gateway.example`. */
  readonly baseUrl: string;
  /** Asked once per request; the answer goes to the origin of `baseUrl` and nowhere else. */
  readonly credential: () => Promise<string | undefined>;
  readonly budgets?: Partial<Budgets>;
  readonly transport?: 'auto' | 'direct' | 'host';
  /** Whether a proxy is set up for this origin; asked before each request. */
  readonly proxied?: (origin: string) => boolean;
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
  readonly model?: string;
  readonly usage?: Usage;
  /** The provider's own word for why the first choice ended. */
  readonly finishReason?: string;
  /** From sending to the first text or reasoning, in milliseconds. */
  readonly firstTokenMs?: number;
  readonly totalMs: number;
}

export interface GatewayClient {
  /** GET /v1/models. Throws a GatewayError. */
  listModels(options?: CallOptions): Promise<readonly Model[]>;
  /**
   * POST /v1/chat/completions, streamed when `request.stream` is true. Events come in batches, one for
   * each network read, in order, before the promise settles. Never throws for what the gateway or the
   * network did: that is the outcome.
   */
  chat(
    request: ChatCompletionsRequest,
    onEvents: (events: readonly ChatEvent[]) => void,
    options?: CallOptions,
  ): Promise<ChatResult>;
  /** Closes idle connections. */
  close(): Promise<void>;
}

/** A client of one gateway. It connects when it is first called, and keeps connections for the next call. */
export function createGatewayClient(options: ClientOptions): GatewayClient {
  const sender = new Sender(options);
  return {
    listModels: (callOptions = {}) => listModels(sender, callOptions),
    chat: (request, onEvents, callOptions = {}) => chat(sender, request, onEvents, callOptions),
    close: async () => sender.close(),
  };
}

async function listModels(sender: Sender, options: CallOptions): Promise<readonly Model[]> {
  let models: readonly Model[] | undefined;
  const sink = new DocumentSink((reply) => {
    models = decodeModelList(reply);
    if (models) return undefined;
    return readErrorValue(reply).message
      ? diagnoseInnerError(reply)
      : malformedReply('it holds no model list');
  });
  const call = { route: 'listModels', accept: 'application/json' } as const;
  await sender.send({ ...call, sink, identity: identify(options), options });
  return models ?? [];
}

async function chat(
  sender: Sender,
  request: ChatCompletionsRequest,
  onEvents: (events: readonly ChatEvent[]) => void,
  options: CallOptions,
): Promise<ChatResult> {
  const identity = identify(options);
  const { requestId, requestedAt, startedAt } = identity;
  const sink = new ChatSink(new ChatCompletionsReader(), onEvents);
  const error = await sender
    .send({
      route: 'chatCompletions',
      body: JSON.stringify(request),
      accept: request.stream ? 'text/event-stream, application/json' : 'application/json',
      sink,
      identity,
      options,
    })
    .catch(rethrowUnlessGatewayError);
  const { model, usage, finishReason, firstTokenAt } = sink;
  return {
    outcome: sink.outcome(error ?? undefined),
    requestId,
    requestedAt,
    ...(model !== undefined && { model }),
    ...(usage && { usage }),
    ...(finishReason !== undefined && { finishReason }),
    ...(firstTokenAt !== undefined && { firstTokenMs: firstTokenAt - startedAt }),
    totalMs: performance.now() - startedAt,
  };
}

function rethrowUnlessGatewayError(error: unknown): GatewayError {
  if (GatewayError.is(error)) return error;
  throw error;
}
