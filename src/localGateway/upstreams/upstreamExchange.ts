import type { IncomingHttpHeaders } from 'node:http';
import type { Dispatcher } from 'undici';
import type { Cancellation } from '../../base/cancellation.ts';
import { ReplyBody } from './replyBody.ts';

/** What an upstream answers, when its head has arrived. */
export interface HttpReply {
  readonly statusCode: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: ReplyBody;
}

/**
 * One request to an upstream. It does by itself what undici's `request` does with a stream, a promise and several
 * listeners for each request, because this is what a reply takes longest on the way through the gateway.
 */
export class UpstreamExchange implements Dispatcher.DispatchHandler {
  /** Rejects when no head of a reply comes, or when the signal is aborted before. */
  readonly reply: Promise<HttpReply>;
  readonly #signal: Cancellation;
  readonly #head = Promise.withResolvers<HttpReply>();
  #controller: Dispatcher.DispatchController | undefined;
  #body: ReplyBody | undefined;

  /** @param signal when it is aborted, the connection is closed and the body ends with its reason */
  constructor(dispatcher: Dispatcher, options: Dispatcher.DispatchOptions, signal: Cancellation) {
    this.#signal = signal;
    this.reply = this.#head.promise;
    if (signal.aborted) {
      this.#head.reject(signal.reason);
      return;
    }
    signal.addEventListener('abort', this.#abort);
    dispatcher.dispatch(options, this);
  }

  /** Whether the upstream may have received a part of the request. */
  get isSent(): boolean {
    return this.#controller !== undefined;
  }

  readonly #abort = () => {
    const reason = this.#reason;
    if (this.#controller) this.#controller.abort(reason);
    else this.#fail(reason);
  };

  get #reason(): Error {
    const { reason } = this.#signal;
    return reason instanceof Error ? reason : new Error(String(reason));
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    // undici asks for a connection whether or not anybody still waits. Nothing is sent then.
    if (this.#signal.aborted) controller.abort(this.#reason);
    else this.#controller = controller;
  }

  onResponseStart(
    controller: Dispatcher.DispatchController,
    statusCode: number,
    headers: IncomingHttpHeaders,
  ): void {
    // Replies before the answer say that it is on its way.
    if (statusCode < 200) return;
    this.#body = new ReplyBody(controller);
    this.#head.resolve({ statusCode, headers: singleHeaders(headers), body: this.#body });
  }

  onResponseData(_controller: Dispatcher.DispatchController, bytes: Uint8Array): void {
    this.#body?.arrive(bytes);
  }

  onResponseEnd(): void {
    this.#signal.removeEventListener('abort', this.#abort);
    this.#body?.finish();
  }

  onResponseError(_controller: Dispatcher.DispatchController | undefined, error: unknown): void {
    this.#fail(error);
  }

  #fail(error: unknown): void {
    this.#signal.removeEventListener('abort', this.#abort);
    this.#head.reject(error);
    this.#body?.cut(error);
  }
}

/** Of these the first counts, as for Node's own client; the values of all others are one list. */
const firstCounts = new Set([
  'content-type',
  'content-length',
  'retry-after',
  'location',
  'etag',
  'last-modified',
]);

/** The headers of a reply with one value each: undici tells those that are there several times as arrays. */
export function singleHeaders(headers: IncomingHttpHeaders): IncomingHttpHeaders {
  const names = Object.keys(headers).filter((name) => Array.isArray(headers[name]) && name !== 'set-cookie');
  if (names.length === 0) return headers;
  const single = names.map((name) => {
    const values = [headers[name]].flat();
    return [name, firstCounts.has(name) ? values[0] : values.join(', ')] as const;
  });
  return { ...headers, ...Object.fromEntries(single) };
}
