import { parentPort, threadId, workerData } from 'node:worker_threads';
import { StorageError } from '../../src/storage/sqlite/storageError.ts';
import type { RequestKind } from '../../src/storage/worker/requestWorker.ts';
import { serveRequests } from '../../src/storage/worker/requestWorker.ts';

/** The requests and replies of this worker. */
export interface TestRequests {
  readonly echo: RequestKind<
    string,
    { readonly text: string; readonly thread: number; readonly data: unknown }
  >;
  readonly count: RequestKind<number, number, number>;
  readonly forever: RequestKind<undefined, never, 'begun'>;
  readonly cancelled: RequestKind<undefined, number>;
  readonly full: RequestKind<undefined, never>;
  readonly crash: RequestKind<undefined, never>;
}

let cancelled = 0;

if (parentPort) {
  serveRequests<TestRequests>(parentPort, {
    echo: async (text) => ({ text, thread: threadId, data: workerData }),
    count: async (to, { reportProgress, pause }) => {
      for (let n = 1; n <= to; n++) {
        reportProgress(n);
        await pause();
      }
      return to;
    },
    forever: async (_, { signal, reportProgress, pause }) => {
      signal.addEventListener('abort', () => cancelled++);
      reportProgress('begun');
      for (;;) await pause();
    },
    cancelled: async () => cancelled,
    full: async () => {
      throw new StorageError('full', 'The disk is full.');
    },
    crash: async () => {
      setImmediate(() => {
        throw new Error('the worker breaks');
      });
      return new Promise<never>(() => undefined);
    },
  });
}
