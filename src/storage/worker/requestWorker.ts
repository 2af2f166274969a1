import { setImmediate } from 'node:timers/promises';
import { type MessagePort, Worker } from 'node:worker_threads';
import { errorMessage } from '../../base/errors.ts';
import { StorageError, type StorageErrorKind } from '../sqlite/storageError.ts';

/** The types of one kind of request: its argument, its response, and its progress. */
export interface RequestKind<Argument, Result, Progress = never> {
  readonly argument: Argument;
  readonly result: Result;
  readonly progress: Progress;
}

/** Request kinds by name. */
type RequestKinds<Kinds> = { readonly [Kind in keyof Kinds]: RequestKind<unknown, unknown, unknown> };

/** A message to the worker. */
type ToWorker =
  | { readonly type: 'request'; readonly id: number; readonly kind: string; readonly argument: unknown }
  | { readonly type: 'cancel'; readonly id: number };

/** A message from the worker. */
type FromWorker =
  | { readonly type: 'progress'; readonly id: number; readonly progress: unknown }
  | { readonly type: 'result'; readonly id: number; readonly result: unknown }
  | { readonly type: 'failure'; readonly id: number; readonly failure: Failure }
  /** Posted by the program of the worker, and not about a request. */
  | { readonly type: 'notice'; readonly notice: unknown };

/** An error of a handler. */
interface Failure {
  readonly message: string;
  readonly trace?: string;
  /** The kind of a `StorageError`. */
  readonly storage?: StorageErrorKind;
}

/** Prepares an error for a message, because a structured clone of it would lose its kind. */
function toFailure(thrown: unknown): Failure {
  if (!(thrown instanceof Error)) return { message: errorMessage(thrown) };
  const { message, stack } = thrown;
  return {
    message,
    ...(stack !== undefined && { trace: stack }),
    ...(thrown instanceof StorageError && { storage: thrown.kind }),
  };
}

/** Recreates the error that was thrown in the worker. */
function toError({ message, trace, storage }: Failure): Error {
  const error = storage === undefined ? new Error(message) : new StorageError(storage, message);
  if (trace !== undefined) error.stack = trace;
  return error;
}

interface RequestWorkerOptions {
  /** The path of the worker's program, which calls `serveRequests`. */
  readonly program: string;
  /** The `workerData` of the program. */
  readonly data?: unknown;
  /** The memory limit of the worker. The worker ends if it needs more. */
  readonly memoryLimitMb?: number;
  /** Called with the notices of the worker. */
  readonly onNotice?: ((notice: never) => void) | undefined;
}

interface RequestOptions<Progress> {
  /** Aborting it ends the work in the worker as soon as the worker notices. */
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: Progress) => void;
}

interface OpenRequest {
  readonly onProgress: ((progress: never) => void) | undefined;
  readonly resolve: (result: never) => void;
  readonly reject: (error: unknown) => void;
}

/** The worker ended before it responded: it crashed, or its window closes. */
export class WorkerEndedError extends Error {
  override readonly name = 'WorkerEndedError';
}

/**
 * A worker thread that handles requests. It starts with the first request, and restarts with the first request
 * after a crash. It does not keep the process alive unless a request is open.
 */
export class RequestWorker<Kinds extends RequestKinds<Kinds>> {
  readonly #options: RequestWorkerOptions;
  readonly #openRequests = new Map<number, OpenRequest>();
  #worker: Worker | undefined;
  #lastId = 0;
  #isClosed = false;

  constructor(options: RequestWorkerOptions) {
    this.#options = options;
  }

  /**
   * @throws the reason of the signal, as soon as it is aborted
   * @throws {WorkerEndedError} if the worker ends first; the request is not retried
   * @throws {StorageError} if the worker threw one; other errors have only the original message and stack
   */
  async request<Kind extends keyof Kinds & string>(
    kind: Kind,
    argument: Kinds[Kind]['argument'],
    { signal, onProgress }: RequestOptions<Kinds[Kind]['progress']> = {},
  ): Promise<Kinds[Kind]['result']> {
    signal?.throwIfAborted();
    if (this.#isClosed) throw new WorkerEndedError('The window is closing.');
    const worker = this.#getWorker();
    const id = ++this.#lastId;
    const { promise, resolve, reject } = Promise.withResolvers<Kinds[Kind]['result']>();
    const cancel = () => {
      post(worker, { type: 'cancel', id });
      reject(signal?.reason);
    };
    this.#openRequests.set(id, { onProgress, resolve, reject });
    worker.ref();
    signal?.addEventListener('abort', cancel);
    try {
      post(worker, { type: 'request', id, kind, argument });
      return await promise;
    } finally {
      signal?.removeEventListener('abort', cancel);
      this.#openRequests.delete(id);
      if (this.#openRequests.size === 0) this.#worker?.unref();
    }
  }

  /** Ends the worker and its open requests. Later requests fail. */
  async close(): Promise<void> {
    this.#isClosed = true;
    const worker = this.#worker;
    this.#end(worker, new WorkerEndedError('The window is closing.'));
    await worker?.terminate();
  }

  #getWorker(): Worker {
    if (this.#worker) return this.#worker;
    const { program, data, memoryLimitMb } = this.#options;
    // A worker may not support the flags of the window's process.
    const worker = new Worker(program, {
      workerData: data,
      execArgv: [],
      ...(memoryLimitMb !== undefined && { resourceLimits: { maxOldGenerationSizeMb: memoryLimitMb } }),
    });
    worker.on('message', (message: FromWorker) => this.#receive(message));
    worker.on('error', (cause) => this.#end(worker, createEndedError(cause)));
    worker.on('exit', () => this.#end(worker, createEndedError()));
    this.#worker = worker;
    return worker;
  }

  #receive(message: FromWorker): void {
    if (message.type === 'notice') {
      this.#options.onNotice?.(message.notice as never);
      return;
    }
    const request = this.#openRequests.get(message.id);
    // The request was cancelled.
    if (!request) return;
    if (message.type === 'progress') request.onProgress?.(message.progress as never);
    else if (message.type === 'result') request.resolve(message.result as never);
    else request.reject(toError(message.failure));
  }

  #end(worker: Worker | undefined, error: Error): void {
    if (worker !== this.#worker) return;
    this.#worker = undefined;
    for (const { reject } of this.#openRequests.values()) reject(error);
    this.#openRequests.clear();
  }
}

function post(worker: Worker, message: ToWorker): void {
  worker.postMessage(message);
}

function createEndedError(cause?: unknown): WorkerEndedError {
  return new WorkerEndedError('The worker ended unexpectedly.', { cause });
}

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
