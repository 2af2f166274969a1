import type { ApiFormat } from '../wire/apis/shared/apiFormat.ts';
import type { TaskSnapshot } from '../wire/apis/taskRecord/snapshot.ts';
import type { ChatEvent, FinishReason, Outcome, Usage } from '../wire/chatEvent.ts';
import type { GatewayError } from '../wire/failures/gatewayError.ts';
import type { HeaderChoice } from '../wire/headerNames.ts';
import type { CredentialHeader, Route } from '../wire/routes.ts';
import type { ThinkTags } from '../wire/stream/thinkTags.ts';
import type { PlainHttp } from './gatewayAddress.ts';
import type { Transcript } from './transcript.ts';
import type { TransportOptions } from './transports/transport.ts';

/** Timeouts of one call in milliseconds; 0 means no limit. */
export interface Timeouts {
  /** Limit for making the connection, including name lookup and TLS. */
  readonly connect: number;
  /** From the start of sending the request to the headers of the reply. */
  readonly firstByte: number;
  /**
   * Replaces `firstByte` for a reply that is not streamed, because the gateway sends it only when it is complete.
   */
  readonly wholeReply: number;
  /** Between two reads of the body. */
  readonly idle: number;
  /** Between two pieces of data. Keep-alive comments do not count as data. */
  readonly noData: number;
  /** For the whole call, from its start to the last byte. */
  readonly total: number;
}

/** Options of every call. */
export interface CallOptions {
  /** Aborting it closes the socket and ends the call as cancelled. */
  readonly signal?: AbortSignal;
  /** Overrides the timeouts of the client. */
  readonly timeouts?: Partial<Timeouts>;
  /** Sent as X-Request-Id; random by default. */
  readonly requestId?: string;
  /**
   * Error statuses that the caller expects. Such an exchange is recorded with `isExpected` and does not count as
   * failed.
   */
  readonly expects?: readonly number[];
  /**
   * How the model marks reasoning in the text of its reply; `paired` by default. Ignored for a reply that has
   * reasoning of its own, and by calls that are not in a text format.
   */
  readonly thinkTags?: ThinkTags;
  /** The part of the program that a request is counted for; see `SpendingGuard`. */
  readonly initiator?: string;
}

/** Counts the requests of a client that may cost money, and refuses some of them. */
export interface SpendingGuard {
  /**
   * Called before a request that may cost money is sent.
   *
   * @throws {GatewayError} if it must not be sent
   */
  reserve(request: PaidRequest): Promise<SpendingReservation>;
}

/** A request that may cost money. */
export interface PaidRequest {
  /** `task` for a request that creates a task or waits for its result. */
  readonly kind: 'reply' | 'task';
  /** The name of its route. */
  readonly route: string;
  readonly model: string | undefined;
  readonly body: object;
  readonly initiator: string | undefined;
  readonly requestId: string;
  readonly requestedAt: Date;
}

/** A request that a guard has counted. */
export interface SpendingReservation {
  /**
   * Called once, when the request has ended.
   *
   * @param spent undefined if it is certain that nothing was generated
   */
  settle(spent: PaidReply | undefined): void;
}

/** The reported costs of a reply. If values are reported repeatedly, the largest counts. */
export interface PaidReply {
  readonly model?: string;
  readonly usage?: Usage;
  /** In US dollars. */
  readonly costUsd?: number;
  readonly serviceTier?: string;
  /** Whether the reply reported its end. */
  readonly hasEnded?: true;
  /** The received text in UTF-16 units; 0 if nothing was received, which does not mean that nothing was generated. */
  readonly textLength: number;
}

/** The gateway of a client, and how the client connects to it. */
export interface ClientOptions extends TransportOptions {
  /** The gateway's address, such as `https://gateway.example`. It may have a path. */
  readonly baseUrl: string;
  /** Called before each request. The credential is sent to the origin of `baseUrl` only. */
  readonly credential: () => Promise<string | undefined>;
  /**
   * Called with the credential that the gateway refused with 401, which proves that nothing was generated. The request
   * is sent once more if this returns another credential.
   */
  readonly renewCredential?: (refused: string) => Promise<string | undefined>;
  /**
   * Extra headers for requests to the origin of `baseUrl`. A request fails before it is sent if one of them is already
   * set by HTTP, by the client or for the credential.
   */
  readonly extraHeaders?: () => Promise<readonly ExtraHeader[]>;
  /**
   * Defaults: `connect` 10 s, `firstByte` 60 s, `wholeReply` 600 s, `idle` 90 s, `noData` 300 s, `total`
   * unlimited. In a call that waits for a generated result, `firstByte`, `idle` and `noData` are at least half an
   * hour.
   */
  readonly timeouts?: Partial<Timeouts>;
  /** Whether this is the local gateway of this project. Its reports that nothing was generated are trusted. */
  readonly isLocalGateway?: boolean;
  /** The gateway's names for the headers that contain a provider's name. Neutral names are the default. */
  readonly headers?: HeaderChoice;
  /**
   * Paths and credential headers of the messages and responses formats; /v1/messages and /v1/responses by
   * default.
   */
  readonly openRoutes?: OpenRouteChoice;
  /**
   * Origins from which results may be downloaded even if they use plain http or a private network, such as
   * `https://files.internal:8443`. Requests to them do not carry the credential.
   */
  readonly resultOrigins?: readonly string[];
  /**
   * Where plain http is allowed: `this-machine` (the default), or `private-network`, which also allows a host if
   * all its addresses are private when the connection is made.
   */
  readonly plainHttp?: PlainHttp;
  /**
   * Called after each exchange. The record does not contain the credential. It contains a body only in the error of a
   * failed exchange, or in a transcript.
   */
  readonly onExchange?: (exchange: ExchangeRecord) => void;
  /** Counts the requests that may cost money. By default, all requests are sent. */
  readonly spending?: SpendingGuard;
  /** Whether the records contain transcripts, which contain bodies. False by default. */
  readonly recordsTranscripts?: boolean;
}

/** A header that a gateway requires in addition to those of the API formats. */
export interface ExtraHeader {
  readonly name: string;
  readonly value: string;
  /** Whether its value is hidden like a credential. */
  readonly isSecret: boolean;
}

/** The route of an API format whose path differs between gateways. */
export interface OpenRoute {
  /**
   * The path below the base URL, beginning with a slash. The path of the messages format may contain the model, as
   * in `/models/{model}:rawPredict`. The body then omits the model.
   */
  readonly path?: string;
  /** The header for the credential; a bearer token by default. */
  readonly credential?: CredentialHeader;
}

/** The routes of the API formats whose path differs between gateways. */
export interface OpenRouteChoice {
  readonly messages?: OpenRoute;
  /** Responses are read and cancelled below the same path. */
  readonly responses?: OpenRoute;
}

/** Options of `listModels`. */
export interface ListModelsOptions extends CallOptions {
  /** Called with the number of omitted models. Only the first 10,000 models are read. */
  readonly onOmitted?: (count: number) => void;
}

/** The end of a call in a text format. The content of the reply is reported to `onEvents`. */
export interface ChatResult {
  readonly outcome: Outcome;
  /** The id that was sent as X-Request-Id. */
  readonly requestId: string;
  readonly requestedAt: Date;
  /** The gateway's own id of the request, if it differs from `requestId`. */
  readonly gatewayRequestId?: string;
  /** The id of the reply. `readResponse` and `cancelResponse` accept the id of a reply in the responses format. */
  readonly id?: string;
  readonly model?: string;
  readonly usage?: Usage;
  /** The cost of the reply that the gateway reports, in US dollars. */
  readonly costUsd?: number;
  /** The service tier of the request as the provider reports it, such as `flex` or `priority`. */
  readonly serviceTier?: string;
  /** Why the first choice ended. */
  readonly endReason?: FinishReason;
  /** Why the first choice ended, as the provider reports it. */
  readonly finishReason?: string;
  /** From the call to the first text or reasoning, in milliseconds. */
  readonly firstTokenMs?: number;
  /** From the first reasoning to the first text after it, in milliseconds. */
  readonly reasoningMs?: number;
  /** From the call to its end, in milliseconds. */
  readonly totalMs: number;
}

/** Receives the content of a reply in batches: one batch for each network read, in order, before the call ends. */
export type OnEvents = (events: readonly ChatEvent[]) => void;

/** Options of a call in the messages format. */
export interface MessagesOptions extends CallOptions {
  /** Names of the beta features to turn on. */
  readonly betas?: readonly string[];
}

/** A request in any API format. */
export interface FormatRequest {
  readonly format: ApiFormat;
  /** The model, for formats that have it in the path. */
  readonly model?: string;
  readonly body: object;
  /** Another route of the format than its default route. */
  readonly route?: Route;
}

/** Options of a call that creates a task. */
export interface CreateOptions extends CallOptions {
  /** Sent as Idempotency-Key. Few gateways support it, so do not depend on it. */
  readonly idempotencyKey?: string;
  /** Called with the task's id as soon as the reply contains it, before the call returns. */
  readonly onCreated?: (taskId: string) => void;
}

/** A new task. */
export type CreatedTask = TaskSnapshot & { readonly id: string };

/** The method of a client that is needed to wait for a task. */
export interface TaskReader {
  readTask(taskId: string, options?: CallOptions): Promise<TaskSnapshot>;
}

/** How long to wait for a task, and how often to read it. */
export interface WaitOptions {
  /**
   * Between two reads in milliseconds; 5,000 by default. The interval is longer while the gateway fails or
   * requests a longer one.
   */
  readonly intervalMs?: number;
  /** Limit of the whole wait in milliseconds; an hour by default. */
  readonly timeoutMs?: number;
  /** Aborting it ends the wait at once. The task continues. */
  readonly signal?: AbortSignal;
  /** Called with each snapshot, including the last one. An error that it throws ends the wait. */
  readonly onSnapshot?: (snapshot: TaskSnapshot) => void;
}

/** Facts about a file from the headers of the reply. */
export interface DownloadHead {
  /** Offset of the first byte in the file: 0, or the requested offset. */
  readonly from: number;
  /** Bytes of the whole file, if known. */
  readonly total?: number;
  /** The media type in lower case, without parameters. */
  readonly mimeType?: string;
  /** Identifies this version of the file: a strong ETag or a Last-Modified date. */
  readonly validator?: string;
}

/** Receives a file. An error that it throws ends the download and reaches the caller unchanged. */
export interface DownloadTarget {
  /** Called once, before the first write. */
  begin(head: DownloadHead): Promise<void>;
  /** Called for one piece at a time. While its promise is pending, the download reads little more. */
  write(bytes: Uint8Array): Promise<void>;
}

/** Options of `download`. */
export interface DownloadOptions extends CallOptions {
  /** The header for the credential in requests to the gateway itself; a bearer token by default. */
  readonly credential?: CredentialHeader;
  /** The part of the file that an earlier download stored. The rest is requested if the file has not changed. */
  readonly from?: { readonly bytes: number; readonly validator: string };
  /** The largest size of the decoded file in bytes. No limit by default. */
  readonly maxBytes?: number;
  /** Called at most ten times a second with the number of bytes received and the size of the file. */
  readonly onProgress?: (received: number, total: number | undefined) => void;
}

/** A completely downloaded file. */
export interface Downloaded extends DownloadHead {
  /** Bytes of the whole file, including earlier downloads. */
  readonly bytes: number;
  /** The address of the file after redirects: origin and path. The query is omitted because it may be a secret. */
  readonly source: string;
}

/** The record of one request and its reply. */
export interface ExchangeRecord {
  /** The name of the route, such as `listModels`. */
  readonly route: string;
  readonly method: string;
  readonly url: string;
  /** The model in the request. The request may not have been sent. */
  readonly model?: string;
  readonly requestId: string;
  /** The gateway's own id of the request, if it differs from `requestId`. */
  readonly gatewayRequestId?: string;
  readonly requestedAt: Date;
  readonly status?: number;
  /** From the call to the start of sending the request, in milliseconds; absent if there was no connection. */
  readonly sentMs?: number;
  /** From the call to the headers of the reply, in milliseconds; absent without a reply. */
  readonly headersMs?: number;
  /** From the call to the first byte of the body, in milliseconds. Only if the record has a transcript. */
  readonly firstByteMs?: number;
  /** From the call to the last byte of the body, in milliseconds. Only if the record has a transcript. */
  readonly lastByteMs?: number;
  /** From the call to its end, in milliseconds. */
  readonly totalMs: number;
  /** Bytes of the body as received, before decompression. */
  readonly bytesReceived: number;
  /** The transport that was used; absent if the request failed before a connection was tried. */
  readonly transport?: 'undici' | 'https';
  /** The message of the failure; absent if the exchange succeeded. */
  readonly failure?: string;
  /** Whether the caller expected this status. */
  readonly isExpected?: boolean;
  /** The failure. Its `body` and `gatewayMessage` contain text from the gateway. */
  readonly error?: GatewayError;
  /** Present only if `recordsTranscripts` is set. */
  readonly transcript?: Transcript;
}
