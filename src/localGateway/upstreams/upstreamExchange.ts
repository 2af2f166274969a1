import type { IncomingHttpHeaders } from 'node:http';
import type { Dispatcher } from 'undici';
import type { Cancellation } from '../../base/cancellation.ts';
import { DispatchedRequest } from '../../http/dispatchedRequest.ts';
import { UpstreamReplyBody } from './replyBody.ts';

/** An upstream's reply, available when its head has arrived. */
export interface HttpReply {
  readonly statusCode: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: UpstreamReplyBody;
}

/** One request to an upstream. The body of its reply is read as it arrives. */
export class UpstreamExchange extends DispatchedRequest {
  /** Rejects if no head of a reply arrives, or if the signal is aborted before. */
  readonly reply: Promise<HttpReply>;
  readonly #signal: Cancellation;
  readonly #head = Promise.withResolvers<HttpReply>();
  #body: UpstreamReplyBody | undefined;

  /** @param signal when it is aborted, the connection is closed and the body ends with its reason */
  constructor(dispatcher: Dispatcher, options: Dispatcher.DispatchOptions, signal: Cancellation) {
    super();
    this.#signal = signal;
    this.reply = this.#head.promise;
    if (signal.aborted) {
      this.#head.reject(signal.reason);
      return;
    }
    signal.addEventListener('abort', this.#onAbort);
    dispatcher.dispatch(options, this);
  }

  readonly #onAbort = () => {
    const { reason } = this.#signal;
    const error = reason instanceof Error ? reason : new Error(String(reason));
    this.abort(error);
    if (!this.isSent) this.#fail(error);
  };

  protected override onHead(statusCode: number, headers: IncomingHttpHeaders): void {
    this.#body = new UpstreamReplyBody(this);
    this.#head.resolve({ statusCode, headers: joinRepeatedHeaders(headers), body: this.#body });
  }

  override onResponseData(_: Dispatcher.DispatchController, bytes: Uint8Array): void {
    this.#body?.receive(bytes);
  }

  override onResponseEnd(): void {
    this.#signal.removeEventListener('abort', this.#onAbort);
    this.#body?.finish();
  }

  override onResponseError(_: Dispatcher.DispatchController | undefined, error: Error): void {
    this.#fail(error);
  }

  #fail(error: Error): void {
    this.#signal.removeEventListener('abort', this.#onAbort);
    this.#head.reject(error);
    this.#body?.cut(error);
  }
}

/** Only the first value of these headers is used, as in Node's own client. The values of other headers are joined. */
const firstValueHeaders = new Set([
  'content-type',
  'content-length',
  'retry-after',
  'location',
  'etag',
  'last-modified',
]);

/** Reduces each repeated header, which undici reports as an array, to one value. */
function joinRepeatedHeaders(headers: IncomingHttpHeaders): IncomingHttpHeaders {
  const names = Object.keys(headers).filter((name) => Array.isArray(headers[name]) && name !== 'set-cookie');
  if (names.length === 0) return headers;
  const single = names.map((name) => {
    const values = [headers[name]].flat();
    return [name, firstValueHeaders.has(name) ? values[0] : values.join(', ')] as const;
  });
  return { ...headers, ...Object.fromEntries(single) };
}
