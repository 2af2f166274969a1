import type { IncomingHttpHeaders } from 'node:http';
import type { Dispatcher } from 'undici';

/** A request that is under way. */
export interface RequestHandle {
  /** Closes the socket at once. The handler may still get an error. */
  abort(reason?: Error): void;
  pause(): void;
  resume(): void;
}

/**
 * One request over undici, with the proof whether it was sent. Its classes take the reply from undici's own calls,
 * without the stream, the promise and the listeners that undici's `request` creates for each request.
 */
export abstract class DispatchedRequest implements RequestHandle, Dispatcher.DispatchHandler {
  #controller: Dispatcher.DispatchController | undefined;
  #abortReason: Error | undefined;

  /** Whether the server may have received a part of the request. */
  get isSent(): boolean {
    return this.#controller !== undefined;
  }

  /** A request that is not sent by now is never sent. Its error comes only with its connection. */
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
    if (this.#abortReason) controller.abort(this.#abortReason);
    else this.#controller = controller;
  }

  onResponseStart(_: Dispatcher.DispatchController, status: number, headers: IncomingHttpHeaders): void {
    if (status >= 200) this.onHead(status, headers);
  }

  /** Called once for the reply, never for informational replies (1xx). */
  protected abstract onHead(status: number, headers: IncomingHttpHeaders): void;
  abstract onResponseData(controller: Dispatcher.DispatchController, bytes: Uint8Array): void;
  abstract onResponseEnd(): void;
  abstract onResponseError(controller: Dispatcher.DispatchController | undefined, error: Error): void;
}
