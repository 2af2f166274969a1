import type { IncomingHttpHeaders } from 'node:http';
import type { Dispatcher } from 'undici';
import type { Cancellation } from '../../base/cancellation.ts';
import { DispatchedRequest, type ReplyHandler } from '../../http/dispatchedRequest.ts';
import { ReplyBody } from './replyBody.ts';

/** What an upstream answers, when its head has arrived. */
export interface HttpReply {
  readonly statusCode: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: ReplyBody;
}

/** One request to an upstream, whose body is read as it arrives. */
export class UpstreamExchange implements ReplyHandler {
  /** Rejects when no head of a reply comes, or when the signal is aborted before. */
  readonly reply: Promise<HttpReply>;
  readonly #signal: Cancellation;
  readonly #head = Promise.withResolvers<HttpReply>();
  readonly #request = new DispatchedRequest(this);
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
    dispatcher.dispatch(options, this.#request);
  }

  /** Whether the upstream may have received a part of the request. */
  get isSent(): boolean {
    return this.#request.isSent;
  }

  readonly #abort = () => {
    const { reason } = this.#signal;
    const error = reason instanceof Error ? reason : new Error(String(reason));
    this.#request.abort(error);
    if (!this.isSent) this.onError(error);
  };

  onHead(statusCode: number, headers: IncomingHttpHeaders): void {
    this.#body = new ReplyBody(this.#request);
    this.#head.resolve({ statusCode, headers: singleHeaders(headers), body: this.#body });
  }

  onData(bytes: Uint8Array): void {
    this.#body?.arrive(bytes);
  }

  onEnd(): void {
    this.#signal.removeEventListener('abort', this.#abort);
    this.#body?.finish();
  }

  onError(error: Error): void {
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
