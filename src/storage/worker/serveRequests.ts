import { setImmediate } from 'node:timers/promises';
import type { MessagePort } from 'node:worker_threads';
import { type FromWorker, type RequestKinds, type ToWorker, toFailure } from './requestWorker.ts';

/** The context of one request, for its handler. */
interface RequestContext<Progress> {
  /** Aborted if the request is cancelled. */
  readonly signal: AbortSignal;
  readonly reportProgress: (progress: Progress) => void;
  /**
   * Lets the thread receive other requests and the cancellation of this one. Call it about every 10 ms of work.
   *
   * @throws the reason of the signal, if this request is cancelled
   */
  readonly pause: () => Promise<void>;
}

/** The handlers of the requests, by kind. */
export type RequestHandlers<Kinds extends RequestKinds<Kinds>> = {
  readonly [Kind in keyof Kinds]: (
    argument: Kinds[Kind]['argument'],
    context: RequestContext<Kinds[Kind]['progress']>,
  ) => Promise<Kinds[Kind]['result']>;
};

/** Handles the requests of `RequestWorker`, several at a time. Runs in the worker until its window ends. */
export function serveRequests<Kinds extends RequestKinds<Kinds>>(
  port: MessagePort,
  handlers: RequestHandlers<Kinds>,
): void {
  const running = new Map<number, AbortController>();
  const send = (message: FromWorker) => port.postMessage(message);

  const handle = async ({ id, kind, argument }: ToWorker & { type: 'request' }) => {
    const controller = new AbortController();
    const { signal } = controller;
    running.set(id, controller);
    const pause = async () => {
      await setImmediate();
      signal.throwIfAborted();
    };
    const reportProgress = (progress: unknown) => send({ type: 'progress', id, progress });
    try {
      const handler = handlers[kind as keyof Kinds];
      send({ type: 'result', id, result: await handler(argument, { signal, reportProgress, pause }) });
    } catch (error) {
      if (!signal.aborted) send({ type: 'failure', id, failure: toFailure(error) });
    } finally {
      running.delete(id);
    }
  };

  port.on('message', (message: ToWorker) => {
    if (message.type === 'cancel') running.get(message.id)?.abort();
    else void handle(message);
  });
}
