import type { ApiFormat } from '../wire/apis/format/apiFormat.ts';
import type { TaskSnapshot } from '../wire/apis/taskRecord/snapshot.ts';
import type { ChatEvent, FinishReason, Outcome, Usage } from '../wire/chatEvent.ts';
import type { GatewayError } from '../wire/failure.ts';
import type { HeaderChoice } from '../wire/headerNames.ts';
import type { CredentialHeader, Route } from '../wire/routes.ts';
import type { PlainHttp } from './address.ts';
import type { Transcript } from './transcript.ts';
import type { TransportOptions } from './transports/transport.ts';

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
  /** For the whole call, from its start to the last byte. */
  readonly total: number;
}

/** What any call takes. */
export interface CallOptions {
  /** Aborting closes the socket. The call ends as cancelled. */
  readonly signal?: AbortSignal;
  /** In place of the client's own timeouts. */
  readonly timeouts?: Partial<Timeouts>;
  /** Sent as X-Request-Id; random by default. */
  readonly requestId?: string;
  /** Statuses of a refusal that is an answer to the caller: the exchange does not count as failed. */
  readonly expects?: readonly number[];
}

/** The gateway of a client, and how it is reached. */
export interface ClientOptions extends TransportOptions {
  /** The gateway's address, such as `https://gateway.example`. It may have a path. */
  readonly baseUrl: string;
  /** Called once for each request. The credential goes to the origin of `baseUrl` only. */
  readonly credential: () => Promise<string | undefined>;
  /**
   * By default 10 s for the connection, 60 s for the first byte and 600 s for that of a whole reply, 90 s idle,
   * 300 s without data, and no limit in all. Interactions that are waited for may be
   * silent for half an hour at least.
   */
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
  /**
   * How far plain http may go: to this machine only, the default, or also to a host whose addresses are all
   * private when the connection is made.
   */
  readonly plainHttp?: PlainHttp;
  /** Called after each exchange. It holds no credentials, and a body only in the error of a failed one. */
  readonly onExchange?: (exchange: ExchangeRecord) => void;
  /** Whether these records carry transcripts, which hold bodies; false by default. */
  readonly recordsTranscripts?: boolean;
}

/** The route of a format whose path the gateway decides. */
export interface OpenRoute {
  /**
   * The path below the base URL, beginning with a slash. A messages path may hold the model, as in
   * `/models/{model}:rawPredict`. The body then lacks the model.
   */
  readonly path?: string;
  /** The header for the credential; a bearer token by default. */
  readonly credential?: CredentialHeader;
}

/** Where a gateway has the formats whose path it decides. */
export interface OpenRouteChoice {
  readonly messages?: OpenRoute;
  /** Responses are read and cancelled below the same path. */
  readonly responses?: OpenRoute;
}

/** What `listModels` takes. */
export interface ListModelsOptions extends CallOptions {
  /** Called with the number of models beyond the first 10,000, which are all that is read. */
  readonly onOmitted?: (count: number) => void;
}

/** How a chat call ended. The events carried its content. */
export interface ChatResult {
  readonly outcome: Outcome;
  /** What was sent as X-Request-Id. */
  readonly requestId: string;
  readonly requestedAt: Date;
  /** The gateway's own id of the request, where it differs from ours. */
  readonly gatewayRequestId?: string;
  /** The reply's own id, by which a response of the responses format is read and cancelled. */
  readonly id?: string;
  readonly model?: string;
  readonly usage?: Usage;
  /** What the gateway says that it charges for the reply, in US dollars. */
  readonly costUsd?: number;
  /** The provider's own word for how it processed the request, such as `flex` or `priority`. */
  readonly serviceTier?: string;
  /** Why the first choice ended. */
  readonly endReason?: FinishReason;
  /** The provider's own word for why the first choice ended. */
  readonly finishReason?: string;
  /** From sending to the first text or reasoning, in milliseconds. */
  readonly firstTokenMs?: number;
  /** From the first reasoning to the first text after it, in milliseconds. */
  readonly reasoningMs?: number;
  /** From the call to its end, in milliseconds. */
  readonly totalMs: number;
}

/** Receives the content of a reply in batches: one for each network read, in order, before the call ends. */
export type OnEvents = (events: readonly ChatEvent[]) => void;

/** What a call of the messages format takes. */
export interface MessagesOptions extends CallOptions {
  /** Beta features to turn on, by their names. */
  readonly betas?: readonly string[];
}

/** A request in any API format. */
export interface FormatRequest {
  readonly format: ApiFormat;
  /** Named in the path where the format has it there. */
  readonly model?: string;
  readonly body: object;
  /** Another one of the format's routes than the one it is usually sent by. */
  readonly route?: Route;
}

/** What a call that creates a task takes. */
export interface CreateOptions extends CallOptions {
  /** Sent as Idempotency-Key. Few gateways know it, so nothing may depend on it. */
  readonly idempotencyKey?: string;
  /** Called with the task's id as soon as the reply holds one, before anything else of the reply is read. */
  readonly onCreated?: (taskId: string) => void;
}

/** A task that was just created. */
export type CreatedTask = TaskSnapshot & { readonly id: string };

/** The part of a client that waiting for a task needs. */
export interface TaskReader {
  readTask(taskId: string, options?: CallOptions): Promise<TaskSnapshot>;
}

/** How long to wait for a task, and how often to read it meanwhile. */
export interface WaitOptions {
  /** Between two reads in milliseconds; 5,000 by default. Longer while the gateway fails or asks for more. */
  readonly intervalMs?: number;
  /** For the whole wait in milliseconds; an hour by default. */
  readonly timeoutMs?: number;
  /** Aborting ends the wait at once. The task goes on. */
  readonly signal?: AbortSignal;
  /** Called with each snapshot, the last one included. What it throws ends the wait. */
  readonly onSnapshot?: (snapshot: TaskSnapshot) => void;
}

/** What a reply says about the file it brings. */
export interface DownloadHead {
  /** Offset of the first byte in the file: 0, or the one that was asked for. */
  readonly from: number;
  /** Bytes of the whole file, if known. */
  readonly total?: number;
  /** The media type without parameters, in lower case. */
  readonly mimeType?: string;
  /** Identifies this version of the file: a strong ETag or a Last-Modified date. */
  readonly validator?: string;
}

/** Receives a file. What it throws ends the download and reaches the caller unchanged. */
export interface DownloadTarget {
  /** Called once, before the first write. */
  begin(head: DownloadHead): Promise<void>;
  /** Called for one piece at a time. While its promise is pending, little more is read. */
  write(bytes: Uint8Array): Promise<void>;
}

/** What `download` takes. */
export interface DownloadOptions extends CallOptions {
  /** The header for the credential at the gateway itself; a bearer token by default. */
  readonly credential?: CredentialHeader;
  /** What an earlier download left. The rest is asked for, provided that the file is still the same. */
  readonly from?: { readonly bytes: number; readonly validator: string };
  /** The largest size of the decoded file in bytes; absent means no limit. */
  readonly maxBytes?: number;
  /** Called at most ten times a second with the bytes received and the size of the file. */
  readonly onProgress?: (received: number, total: number | undefined) => void;
}

/** A file that was downloaded to its end. */
export interface Downloaded extends DownloadHead {
  /** Bytes of the whole file, those of earlier downloads included. */
  readonly bytes: number;
  /** Where the file came from after redirects: origin and path, without the query, which may be a secret. */
  readonly source: string;
}

/** The record of one request and its reply. */
export interface ExchangeRecord {
  /** The name of the route, such as `listModels`. */
  readonly route: string;
  readonly method: string;
  readonly url: string;
  /** The model that the request names, which may not have left. */
  readonly model?: string;
  readonly requestId: string;
  /** The gateway's own id of the request, where it differs from ours. */
  readonly gatewayRequestId?: string;
  readonly requestedAt: Date;
  readonly status?: number;
  /** From the call to a connection that takes the request, in milliseconds; absent without one. */
  readonly sentMs?: number;
  /** From the call to the head of the reply, in milliseconds; absent without a reply. */
  readonly headersMs?: number;
  /** From the call to the first and to the last byte of the body, in milliseconds; where there is a transcript. */
  readonly firstByteMs?: number;
  readonly lastByteMs?: number;
  /** From the call to its end, in milliseconds. */
  readonly totalMs: number;
  /** Bytes of the body as they came, compressed or not. */
  readonly bytesReceived: number;
  /** Absent where the request failed before anything was tried. */
  readonly transport?: 'undici' | 'https';
  /** The message of the failure; absent when the exchange succeeded. */
  readonly failure?: string;
  /** Whether the caller expected this status. */
  readonly isExpected?: boolean;
  /** The failure itself, whose `body` and `gatewayMessage` hold words of the gateway. */
  readonly error?: GatewayError;
  /** Where the client records it. */
  readonly transcript?: Transcript;
}
