/// <reference path="../../http/undiciParts.d.ts" />
import type { Socket } from 'node:net';
import type { Dispatcher } from 'undici';
import buildConnector from 'undici/lib/core/connect.js';
import Agent from 'undici/lib/dispatcher/agent.js';
import type { ReplyHeaders } from '../../base/replyHeaders.ts';
import { DispatchedRequest, type RequestHandle } from '../../http/dispatchedRequest.ts';
import { lookUp } from '../../http/dnsLookup.ts';
import { acceptInterimReplies } from '../../http/interimReplies.ts';
import { createConnectOptions, createSecureContext } from '../../http/trustedCertificates.ts';
import {
  type ConnectionOptions,
  keepAliveMs,
  type Transport,
  type TransportHandler,
  type TransportRequest,
} from './transport.ts';

/**
 * Connects to origins of one scheme directly, over its own pool of connections. Closes pending connections when
 * requests no longer wait for them.
 */
export class UndiciTransport implements Transport {
  readonly name = 'undici';
  readonly #options: ConnectionOptions;
  readonly #waitingRequests = new Set<PooledRequest>();
  readonly #pendingSockets = new Set<Socket>();
  #agent: Agent | undefined;

  constructor(options: ConnectionOptions) {
    this.#options = options;
  }

  dispatch({ method, url, headers, body }: TransportRequest, handler: TransportHandler): RequestHandle {
    const handle = new PooledRequest(handler, this);
    this.#waitingRequests.add(handle);
    this.#agent ??= this.#createAgent(url);
    this.#agent.dispatch(
      {
        origin: url.origin,
        path: url.pathname + url.search,
        method: method as Dispatcher.HttpMethod,
        headers,
        body: body ?? null,
        headersTimeout: 0,
        bodyTimeout: 0,
      },
      handle,
    );
    return handle;
  }

  close(): void {
    void this.#agent?.close();
    this.#agent = undefined;
  }

  /**
   * Removes a request that no longer waits for a connection. If no request waits, pending connections are closed.
   */
  removeWaiting(request: PooledRequest): void {
    this.#waitingRequests.delete(request);
    if (this.#waitingRequests.size > 0) return;
    for (const socket of this.#pendingSockets)
      socket.destroy(new Error('the connection is no longer needed'));
  }

  #createAgent({ protocol }: URL): Agent {
    const { lookup = lookUp } = this.#options;
    const context = protocol === 'https:' ? createSecureContext(this.#options) : undefined;
    // `RequestTimeouts` ends each request and its connection attempt.
    const connect = acceptInterimReplies(
      buildConnector({ ...createConnectOptions(context), timeout: 0, lookup }),
    );
    return new Agent({
      keepAliveTimeout: keepAliveMs,
      connect: (options, callback) => {
        const socket = connect(options, (...result) => {
          this.#pendingSockets.delete(socket);
          callback(...result);
        });
        this.#pendingSockets.add(socket);
      },
    });
  }
}

/** Passes its reply to a handler, and notifies its transport when it no longer waits for a connection. */
class PooledRequest extends DispatchedRequest {
  readonly #handler: TransportHandler;
  readonly #transport: UndiciTransport;

  constructor(handler: TransportHandler, transport: UndiciTransport) {
    super();
    this.#handler = handler;
    this.#transport = transport;
  }

  override abort(): void {
    super.abort();
    if (!this.isSent) this.#transport.removeWaiting(this);
  }

  override onRequestStart(controller: Dispatcher.DispatchController): void {
    super.onRequestStart(controller);
    this.#transport.removeWaiting(this);
    if (this.isSent) this.#handler.onSent();
  }

  protected override onHead(status: number, headers: ReplyHeaders): void {
    this.#handler.onHead(status, headers);
  }

  override onResponseData(_: Dispatcher.DispatchController, bytes: Uint8Array): void {
    this.#handler.onData(bytes);
  }

  override onResponseEnd(): void {
    this.#handler.onEnd();
  }

  override onResponseError(_: Dispatcher.DispatchController | undefined, error: Error): void {
    this.#transport.removeWaiting(this);
    this.#handler.onError(error);
  }
}
