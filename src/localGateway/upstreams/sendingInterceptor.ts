import type { Dispatcher } from 'undici';

/**
 * Calls `onSending` when a request is about to be written to a connection. Before that it has certainly not
 * been sent.
 */
export function sendingInterceptor(onSending: () => void): Dispatcher.DispatcherComposeInterceptor {
  return (dispatch) => (options, handler) => dispatch(options, new SendingHandler(handler, onSending));
}

class SendingHandler implements Dispatcher.DispatchHandler {
  readonly #handler: Dispatcher.DispatchHandler;
  readonly #onSending: () => void;

  constructor(handler: Dispatcher.DispatchHandler, onSending: () => void) {
    this.#handler = handler;
    this.#onSending = onSending;
  }

  onRequestStart(...started: Parameters<Required<Dispatcher.DispatchHandler>['onRequestStart']>): void {
    this.#onSending();
    this.#handler.onRequestStart?.(...started);
  }

  onResponseStart(...head: Parameters<Required<Dispatcher.DispatchHandler>['onResponseStart']>): void {
    this.#handler.onResponseStart?.(...head);
  }

  onResponseData(...data: Parameters<Required<Dispatcher.DispatchHandler>['onResponseData']>): void {
    this.#handler.onResponseData?.(...data);
  }

  onResponseEnd(...end: Parameters<Required<Dispatcher.DispatchHandler>['onResponseEnd']>): void {
    this.#handler.onResponseEnd?.(...end);
  }

  onResponseError(...failed: Parameters<Required<Dispatcher.DispatchHandler>['onResponseError']>): void {
    this.#handler.onResponseError?.(...failed);
  }
}
