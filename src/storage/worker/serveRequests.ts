import { setImmediate } from 'node:timers/promises';
import type { MessagePort } from 'node:worker_threads';
import type { RequestKinds } from './requestKind.ts';
import { type FromWorker, failureOf, type ToWorker } from './workerMessage.ts';

/** One request, as its handler sees it. */
export interface Handling<Progress> {
  /** Aborted when nobody waits for the answer any more. */
  readonly signal: AbortSignal;
  readonly tell: (progress: Progress) => void;
  /**
   * Lets other requests, and the word that this one is cancelled, come in. Call it about every 10 ms of work.
   *
   * @throws the reason of the signal when this request is cancelled
   */
  readonly pause: () => Promise<void>;
}

/** What answers each kind. */
export type RequestHandlers<Kinds extends RequestKinds<Kinds>> = {
  readonly [Kind in keyof Kinds]: (
    asked: Kinds[Kind]['asked'],
    handling: Handling<Kinds[Kind]['progress']>,
  ) => Promise<Kinds[Kind]['answer']>;
};

/** Answers what `RequestWorker` asks, several requests at a time. Runs in the worker, until its window ends. */
export function serveRequests<Kinds extends RequestKinds<Kinds>>(
  port: MessagePort,
  handlers: RequestHandlers<Kinds>,
): void {
  const running = new Map<number, AbortController>();
  const send = (message: FromWorker) => port.postMessage(message);

  const answer = async ({ id, kind, asked }: ToWorker & { type: 'ask' }) => {
    const cancelling = new AbortController();
    const { signal } = cancelling;
    running.set(id, cancelling);
    const pause = async () => {
      await setImmediate();
      signal.throwIfAborted();
    };
    const tell = (progress: unknown) => send({ type: 'progress', id, progress });
    try {
      const handler = handlers[kind as keyof Kinds];
      send({ type: 'answer', id, answer: await handler(asked, { signal, tell, pause }) });
    } catch (error) {
      if (!signal.aborted) send({ type: 'failure', id, failure: failureOf(error) });
    } finally {
      running.delete(id);
    }
  };

  port.on('message', (message: ToWorker) => {
    if (message.type === 'cancel') running.get(message.id)?.abort();
    else void answer(message);
  });
}
