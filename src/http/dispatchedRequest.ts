import type { IncomingHttpHeaders } from 'node:http';
import type { Dispatcher } from 'undici';

/** A running request. */
export interface RequestHandle {
  /** Closes the socket at once. The handler may still receive an error. */
  abort(reason?: Error): void;
  pause(): void;
  resume(): void;
}

/**
 * One request over undici that records whether it was sent. Subclasses receive the reply directly from undici's
 * callbacks, without the stream, the promise and the listeners that undici's `request` creates for each request.
 */
export abstract class DispatchedRequest implements RequestHandle, Dispatcher.DispatchHandler {
  #controller: Dispatcher.DispatchController | undefined;
  #abortReason: Error | undefined;

  /** Whether the server may have received a part of the request. */
  get isSent(): boolean {
    return this.#controller !== undefined;
  }

  /**
   * Aborts the request. If it is not sent yet, it will never be sent, and its error is reported only when its
   * connection is ready.
   */
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
    // undici opens a connection even for an aborted request.
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
