import { AsyncLocalStorage } from 'node:async_hooks';
import { subscribe } from 'node:diagnostics_channel';
import type { Socket } from 'node:net';

const current = new AsyncLocalStorage<Opening>();

/**
 * The sockets that are opened for one request before it has one. An agent that opens a tunnel keeps its socket
 * to itself until the proxy has answered, so that a request that is aborted meanwhile cannot close it.
 */
export class Opening {
  readonly #sockets = new Set<Socket>();
  #abandoned = false;

  /** Calls back as if from where the request was made, so that what follows is not taken for a part of it. */
  readonly outside: (tell: () => void) => void = AsyncLocalStorage.snapshot();

  /** Calls `act`, and watches for the sockets that follow from it. */
  watch<T>(act: () => T): T {
    listen();
    return current.run(this, act);
  }

  opened(socket: Socket): void {
    this.#sockets.add(socket);
    socket.once('close', () => this.#sockets.delete(socket));
    // Before it begins to connect, a socket does not stay destroyed.
    if (this.#abandoned) process.nextTick(() => socket.destroy());
  }

  /** The request has its socket, and closes that itself. */
  done(): void {
    this.#sockets.clear();
  }

  /** Nobody waits any more: what is open is closed, and what is opened yet. */
  abandon(): void {
    this.#abandoned = true;
    for (const socket of this.#sockets) socket.destroy();
  }
}

let listening = false;

function listen(): void {
  if (listening) return;
  listening = true;
  subscribe('net.client.socket', (message) => {
    current.getStore()?.opened((message as { readonly socket: Socket }).socket);
  });
}
