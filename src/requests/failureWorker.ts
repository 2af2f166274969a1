import { RequestWorker } from '../storage/worker/requestWorker.ts';
import type { FailureRequests, UnhiddenFailure, UnhiddenRequest } from './failureStore.ts';
import type { RequestContent } from './requestContent.ts';
import {
  type OpenedRequest,
  type RequestFigures,
  type RequestRecord,
  requestState,
} from './requestRecord.ts';

/** The limit for each stored body, in bytes. */
const maxStoredBodyBytes = 64 * 1024;

interface FailureWorkerOptions {
  /** The file, which several windows share. */
  readonly file: string;
  /** The path of the bundle of `main.ts`. */
  readonly program: string;
  /** Whether to store a failure; called for each. */
  readonly shouldStore: () => boolean;
  /** Called when a failure cannot be stored, but not again until another failure was stored. */
  readonly onError: (error: unknown) => void;
}

/** The failed requests of all windows, on disk. A worker reads and writes them. It starts when it is first needed. */
export class FailureWorker {
  readonly #options: FailureWorkerOptions;
  readonly #worker: RequestWorker<FailureRequests>;
  #hasFailed = false;
  #storing: Promise<void> = Promise.resolve();

  constructor(options: FailureWorkerOptions) {
    this.#options = options;
    this.#worker = new RequestWorker({ program: options.program, data: { file: options.file } });
  }

  /** Stores a request if it failed and failures are stored. Never throws: `onError` receives a write error. */
  store({ figures, raw }: RequestRecord): void {
    if (requestState(figures) !== 'failed' || !this.#options.shouldStore()) return;
    // Hiding takes tens of milliseconds, so the worker does it.
    const failure = { figures, raw: raw(maxStoredBodyBytes) };
    this.#storing = Promise.all([this.#storing, this.#write(failure)]).then(() => {});
  }

  /** Hides the credential in the content of any request, which takes a second for megabytes. */
  hide(request: UnhiddenRequest): Promise<RequestContent> {
    return this.#worker.request('hide', request);
  }

  /** @throws {StorageError} */
  list(): Promise<readonly RequestFigures[]> {
    return this.#worker.request('list', undefined);
  }

  /**
   * @returns undefined for a failure that is no longer stored
   * @throws {StorageError}
   */
  get(id: string): Promise<OpenedRequest | undefined> {
    return this.#worker.request('get', id);
  }

  /**
   * Erases all failures, including those on the disk.
   *
   * @throws {StorageError}
   */
  async clear(): Promise<void> {
    await this.#storing;
    await this.#worker.request('clear', undefined);
  }

  /** Resolves once all pending failures are written. */
  settled(): Promise<void> {
    return this.#storing;
  }

  async close(): Promise<void> {
    await this.#storing;
    await this.#worker.close();
  }

  async #write(failure: UnhiddenFailure): Promise<void> {
    try {
      await this.#worker.request('store', failure);
      this.#hasFailed = false;
    } catch (error) {
      if (!this.#hasFailed) this.#options.onError(error);
      this.#hasFailed = true;
    }
  }
}
