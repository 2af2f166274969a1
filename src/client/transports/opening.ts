import { AsyncLocalStorage } from 'node:async_hooks';
import { subscribe } from 'node:diagnostics_channel';
import type { Socket } from 'node:net';

const current = new AsyncLocalStorage<Opening>();

/**
 * The sockets that are opened for one request before it has one. An agent that opens a tunnel holds its
 * socket until the proxy has answered, so aborting the request cannot close it.
 */
export class Opening {
  readonly #sockets = new Set<Socket>();
  #abandoned = false;

  /** Calls back in the context of the request, so that later sockets do not count as opened for it. */
  readonly outside: (tell: () => void) => void = AsyncLocalStorage.snapshot();

  /** Calls `act` and records the sockets that it opens. */
  watch<T>(act: () => T): T {
    listen();
    return current.run(this, act);
  }

  opened(socket: Socket): void {
    this.#sockets.add(socket);
    socket.once('close', () => this.#sockets.delete(socket));
    // A socket that is destroyed before it begins to connect connects all the same.
    if (this.#abandoned) process.nextTick(() => socket.destroy());
  }

  /** Called when the request has its socket and closes that itself. */
  done(): void {
    this.#sockets.clear();
  }

  /** Closes the open sockets, and those that open later. */
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
