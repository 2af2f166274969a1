/// <reference path="./undiciParts.d.ts" />
import type { Socket } from 'node:net';
import tls from 'node:tls';
import type { Dispatcher } from 'undici';
import buildConnector from 'undici/lib/core/connect.js';
import Agent from 'undici/lib/dispatcher/agent.js';
import type { ReplyHeaders } from '../../wire/retryHint.ts';
import { skipInterimReplies } from './interimReplies.ts';
import type { Connecting, Flight, Transport, TransportHandler, TransportRequest } from './transport.ts';

/** An idle connection is kept this long, unless the gateway names a time of its own. */
const KEEP_ALIVE_MS = 30_000;

/** Goes to the gateway directly, over a pool of connections of its own. */
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

/** The connections to origins of one scheme, those included that are still being made. */
class Pool {
  readonly #agent: Agent;
  readonly #waiting = new Set<UndiciFlight>();
  readonly #connecting = new Set<Socket>();

  constructor(url: URL, { lookup, ca }: Connecting) {
    const connect = buildConnector({
      allowH2: false,
      // Each request keeps its own time, and lets go of the connection when that is over.
      timeout: 0,
      // Said aloud, so that no environment variable can switch the check off.
      rejectUnauthorized: true,
      ...(url.protocol === 'https:' && {
        secureContext: ca ? tls.createSecureContext({ ca: [...ca] }) : trustingTheSystem(),
      }),
      ...(lookup && { lookup }),
    });
    this.#agent = new Agent({
      keepAliveTimeout: KEEP_ALIVE_MS,
      connect: (options, callback) => {
        const socket = connect(options, (...result) => {
          this.#connecting.delete(socket);
          callback(...result);
        });
        skipInterimReplies(socket);
        this.#connecting.add(socket);
      },
    });
  }

  dispatch({ method, url, headers, body }: TransportRequest, handler: TransportHandler): Flight {
    const flight = new UndiciFlight(handler, () => this.#leave(flight));
    this.#waiting.add(flight);
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
      flight,
    );
    return flight;
  }

  close(): void {
    void this.#agent.close();
  }

  /** A request no longer waits for a connection. One that nobody waits for is not made to the end. */
  #leave(flight: UndiciFlight): void {
    this.#waiting.delete(flight);
    if (this.#waiting.size > 0) return;
    for (const socket of this.#connecting) socket.destroy(new Error('nobody waits for this connection'));
  }
}

/** Trusts the authorities of the operating system beside the bundled ones, where the runtime can list them. */
function trustingTheSystem(): tls.SecureContext | undefined {
  const system = tls.getCACertificates?.('system') ?? [];
  if (system.length === 0) return undefined;
  return tls.createSecureContext({ ca: [...new Set([...tls.getCACertificates('default'), ...system])] });
}

class UndiciFlight implements Flight, Dispatcher.DispatchHandler {
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
