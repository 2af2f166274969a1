/// <reference path="../../http/undiciParts.d.ts" />
import type { Socket } from 'node:net';
import type { Dispatcher } from 'undici';
import buildConnector from 'undici/lib/core/connect.js';
import Agent from 'undici/lib/dispatcher/agent.js';
import { acceptInterimReplies } from '../../http/interimReplies.ts';
import { lookUp } from '../../http/lookup.ts';
import { connectOptions, secureContext } from '../../http/trust.ts';
import type { ReplyHeaders } from '../../wire/retryHint.ts';
import {
  type Connecting,
  keepAliveMs,
  type RequestHandle,
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
  readonly #waiting = new Set<UndiciHandle>();
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
    const handle = new UndiciHandle(handler, () => this.#leave(handle));
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
  #leave(handle: UndiciHandle): void {
    this.#waiting.delete(handle);
    if (this.#waiting.size > 0) return;
    for (const socket of this.#connecting) socket.destroy(new Error('nobody waits for this connection'));
  }
}

class UndiciHandle implements RequestHandle, Dispatcher.DispatchHandler {
  readonly #handler: TransportHandler;
  readonly #leave: () => void;
  #controller: Dispatcher.DispatchController | undefined;
  #aborted = false;

  constructor(handler: TransportHandler, leave: () => void) {
    this.#handler = handler;
    this.#leave = leave;
  }

  abort(): void {
    this.#aborted = true;
    if (this.#controller) this.#controller.abort(new Error('aborted'));
    else this.#leave();
  }

  pause(): void {
    this.#controller?.pause();
  }

  resume(): void {
    this.#controller?.resume();
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#aborted) {
      controller.abort(new Error('aborted'));
      return;
    }
    this.#leave();
    this.#handler.onSent();
  }

  onResponseStart(_: Dispatcher.DispatchController, status: number, headers: ReplyHeaders): void {
    if (status >= 200) this.#handler.onHead(status, headers);
  }

  onResponseData(_: Dispatcher.DispatchController, bytes: Buffer): void {
    this.#handler.onData(bytes);
  }

  onResponseEnd(): void {
    this.#handler.onEnd();
  }

  onResponseError(_: Dispatcher.DispatchController, error: Error): void {
    this.#leave();
    this.#handler.onError(error);
  }
}
