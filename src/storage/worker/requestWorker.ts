import { Worker } from 'node:worker_threads';
import type { RequestKinds } from './requestKind.ts';
import { errorOf, type FromWorker, type ToWorker } from './workerMessage.ts';

export interface RequestWorkerOptions {
  /** The path of the program that runs in the worker, which calls `serveRequests`. */
  readonly program: string;
  /** What the program starts with, as its `workerData`. */
  readonly data?: unknown;
  /** The most memory of the worker, which ends when it needs more. */
  readonly memoryLimitMb?: number;
}

/** How an answer is waited for. */
export interface Waiting<Progress> {
  /** Ends the work in the worker as soon as that notices. */
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: Progress) => void;
}

interface Open {
  readonly onProgress: ((progress: never) => void) | undefined;
  readonly resolve: (answer: never) => void;
  readonly reject: (error: unknown) => void;
}

/** The worker ended before it answered: it crashed, or its window closes. */
export class WorkerEndedError extends Error {
  override readonly name = 'WorkerEndedError';
}

/**
 * A worker thread that answers requests. It starts with the first one, and anew with the first one after a
 * crash. It keeps no process alive while nothing is asked.
 */
export class RequestWorker<Kinds extends RequestKinds<Kinds>> {
  readonly #options: RequestWorkerOptions;
  readonly #open = new Map<number, Open>();
  #worker: Worker | undefined;
  #lastId = 0;
  #isClosed = false;

  constructor(options: RequestWorkerOptions) {
    this.#options = options;
  }

  /**
   * @throws the reason of the signal, at once, when it is aborted
   * @throws {WorkerEndedError} when the worker ends first: nothing is asked again by itself
   * @throws {StorageError} as the worker did; other errors keep their message only
   */
  async ask<Kind extends keyof Kinds & string>(
    kind: Kind,
    asked: Kinds[Kind]['asked'],
    { signal, onProgress }: Waiting<Kinds[Kind]['progress']> = {},
  ): Promise<Kinds[Kind]['answer']> {
    signal?.throwIfAborted();
    if (this.#isClosed) throw new WorkerEndedError('The window closes.');
    const worker = this.#started();
    const id = ++this.#lastId;
    const { promise, resolve, reject } = Promise.withResolvers<Kinds[Kind]['answer']>();
    const cancel = () => {
      post(worker, { type: 'cancel', id });
      reject(signal?.reason);
    };
    this.#open.set(id, { onProgress, resolve, reject });
    worker.ref();
    signal?.addEventListener('abort', cancel);
    try {
      post(worker, { type: 'ask', id, kind, asked });
      return await promise;
    } finally {
      signal?.removeEventListener('abort', cancel);
      this.#open.delete(id);
      if (this.#open.size === 0) this.#worker?.unref();
    }
  }

  /** Ends the worker with what it does; what is asked from now on fails. */
  async close(): Promise<void> {
    this.#isClosed = true;
    const worker = this.#worker;
    this.#end(worker, new WorkerEndedError('The window closes.'));
    await worker?.terminate();
  }

  #started(): Worker {
    if (this.#worker) return this.#worker;
    const { program, data, memoryLimitMb } = this.#options;
    // The flags of the window's process may be none that a worker takes.
    const worker = new Worker(program, {
      workerData: data,
      execArgv: [],
      ...(memoryLimitMb !== undefined && { resourceLimits: { maxOldGenerationSizeMb: memoryLimitMb } }),
    });
    worker.on('message', (message: FromWorker) => this.#receive(message));
    worker.on('error', (cause) => this.#end(worker, ended(cause)));
    worker.on('exit', () => this.#end(worker, ended()));
    this.#worker = worker;
    return worker;
  }

  #receive(message: FromWorker): void {
    const open = this.#open.get(message.id);
    // It was cancelled meanwhile.
    if (!open) return;
    if (message.type === 'progress') open.onProgress?.(message.progress as never);
    else if (message.type === 'answer') open.resolve(message.answer as never);
    else open.reject(errorOf(message.failure));
  }

  #end(worker: Worker | undefined, error: Error): void {
    if (worker !== this.#worker) return;
    this.#worker = undefined;
    for (const { reject } of this.#open.values()) reject(error);
    this.#open.clear();
  }
}

function post(worker: Worker, message: ToWorker): void {
  worker.postMessage(message);
}

function ended(cause?: unknown): WorkerEndedError {
  return new WorkerEndedError('The worker ended unexpectedly.', { cause });
}
