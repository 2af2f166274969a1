import type { IncomingHttpHeaders } from 'node:http';
import type { Dispatcher } from 'undici';

/** Receives the events of one request, in this order. Nothing follows `onEnd` or `onError`. */
export interface ReplyHandler {
  /** The connection is made and the request is about to be written. From here on the server may receive it. */
  onSent?(): void;
  /** Called once for the reply, never for informational replies (1xx). */
  onHead(status: number, headers: IncomingHttpHeaders): void;
  onData(bytes: Uint8Array): void;
  onEnd(): void;
  onError(error: Error): void;
}

/** A request that is under way. */
export interface RequestHandle {
  /** Closes the socket at once. The handler may still get an error. */
  abort(reason?: Error): void;
  pause(): void;
  resume(): void;
}

/**
 * One request over undici, with the proof whether it was sent. It does by itself what undici's `request` does with a
 * stream, a promise and several listeners for each request, because those cost more than the rest of the way.
 */
export class DispatchedRequest implements RequestHandle, Dispatcher.DispatchHandler {
  readonly #handler: ReplyHandler;
  #controller: Dispatcher.DispatchController | undefined;
  #abortReason: Error | undefined;

  constructor(handler: ReplyHandler) {
    this.#handler = handler;
  }

  /** Whether the server may have received a part of the request. */
  get isSent(): boolean {
    return this.#controller !== undefined;
  }

  /** A request that is not sent yet is never sent then, and its handler gets no error before it has a connection. */
  abort(reason = new Error('aborted')): void {
    this.#abortReason = reason;
    this.#controller?.abort(reason);
  }

  pause(): void {
    this.#controller?.pause();
  }

  resume(): void {
    this.#controller?.resume();
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    // undici asks for a connection even if the request is no longer wanted.
    if (this.#abortReason) {
      controller.abort(this.#abortReason);
      return;
    }
    this.#controller = controller;
    this.#handler.onSent?.();
  }

  onResponseStart(_: Dispatcher.DispatchController, status: number, headers: IncomingHttpHeaders): void {
    if (status >= 200) this.#handler.onHead(status, headers);
  }

  onResponseData(_: Dispatcher.DispatchController, bytes: Uint8Array): void {
    this.#handler.onData(bytes);
  }

  onResponseEnd(): void {
    this.#handler.onEnd();
  }

  onResponseError(_: Dispatcher.DispatchController | undefined, error: Error): void {
    this.#handler.onError(error);
  }
}
