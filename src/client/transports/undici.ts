/// <reference path="../../http/undiciParts.d.ts" />
import type { Socket } from 'node:net';
import type { Dispatcher } from 'undici';
import buildConnector from 'undici/lib/core/connect.js';
import Agent from 'undici/lib/dispatcher/agent.js';
import { DispatchedRequest, type RequestHandle } from '../../http/dispatchedRequest.ts';
import { acceptInterimReplies } from '../../http/interimReplies.ts';
import { lookUp } from '../../http/lookup.ts';
import { connectOptions, secureContext } from '../../http/trust.ts';
import {
  type Connecting,
  keepAliveMs,
  type Transport,
  type TransportHandler,
  type TransportRequest,
} from './transport.ts';

/** Creates a transport that connects to the gateway directly, over its own pool of connections. */
export function createUndiciTransport(connecting: Connecting = {}): Transport {
  let pool: Pool | undefined;
  return {
    name: 'undici',
    dispatch(request, handler) {
      pool ??= new Pool(request.url, connecting);
      return pool.dispatch(request, handler);
    },
    close() {
      pool?.close();
      pool = undefined;
    },
  };
}

/** The connections to origins of one scheme, also those still being made. */
class Pool {
  readonly #agent: Agent;
  readonly #waiting = new Set<PooledRequest>();
  readonly #connecting = new Set<Socket>();

  constructor(url: URL, connecting: Connecting) {
    const { lookup = lookUp } = connecting;
    const context = url.protocol === 'https:' ? secureContext(connecting) : undefined;
    // `RequestTimeouts` ends each request, and with it the attempt to connect.
    const options = { ...connectOptions(context), timeout: 0, lookup };
    const connect = acceptInterimReplies(buildConnector(options));
    this.#agent = new Agent({
      keepAliveTimeout: keepAliveMs,
      connect: (options, callback) => {
        const socket = connect(options, (...result) => {
          this.#connecting.delete(socket);
          callback(...result);
        });
        this.#connecting.add(socket);
      },
    });
  }

  dispatch({ method, url, headers, body }: TransportRequest, handler: TransportHandler): RequestHandle {
    const handle = new PooledRequest(handler, () => this.#leave(handle));
    this.#waiting.add(handle);
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
    void this.#agent.close();
  }

  /** Removes a request that no longer waits for a connection. A connection without a request is given up. */
  #leave(handle: PooledRequest): void {
    this.#waiting.delete(handle);
    if (this.#waiting.size > 0) return;
    for (const socket of this.#connecting) socket.destroy(new Error('nobody waits for this connection'));
  }
}

/** Tells the pool when it no longer waits for a connection. */
class PooledRequest extends DispatchedRequest {
  readonly #leave: () => void;

  constructor(handler: TransportHandler, leave: () => void) {
    super(handler);
    this.#leave = leave;
  }

  override abort(): void {
    super.abort();
    if (!this.isSent) this.#leave();
  }

  override onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#leave();
    super.onRequestStart(controller);
  }

  override onResponseError(controller: Dispatcher.DispatchController | undefined, error: Error): void {
    this.#leave();
    super.onResponseError(controller, error);
  }
}
