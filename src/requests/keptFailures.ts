import { RequestWorker } from '../storage/worker/requestWorker.ts';
import type { FailureRequests, UnhiddenFailure, UnhiddenRequest } from './failureRequests.ts';
import type { KeptFailure } from './failureStore.ts';
import type { RequestContent } from './requestContent.ts';
import { type RequestFigures, type RequestRecord, requestState } from './requestRecord.ts';

/** The most of each body that is kept, in bytes. */
const maxKeptBytes = 64 * 1024;

export interface KeptFailuresOptions {
  /** The file, which several windows share. */
  readonly file: string;
  /** The path of the bundle of `main.ts`. */
  readonly program: string;
  /** Whether failures are to be kept, asked for each. */
  readonly isWanted: () => boolean;
  /** Told once when failures cannot be kept, and again after one could. */
  readonly onError: (error: unknown) => void;
}

/** The failed requests of all windows, on disk. All work is done in a worker, which starts when it is first needed. */
export class KeptFailures {
  readonly #options: KeptFailuresOptions;
  readonly #worker: RequestWorker<FailureRequests>;
  #hasFailed = false;
  #keeping: Promise<void> = Promise.resolve();

  constructor(options: KeptFailuresOptions) {
    this.#options = options;
    this.#worker = new RequestWorker({ program: options.program, data: { file: options.file } });
  }

  /** Keeps a failed request. Never throws: what cannot be written is told once. */
  keep({ figures, raw }: RequestRecord): void {
    if (requestState(figures) !== 'failed' || !this.#options.isWanted()) return;
    // Hiding takes tens of milliseconds: it is done where nobody waits for it.
    const failure = { figures, raw: raw(maxKeptBytes) };
    this.#keeping = Promise.all([this.#keeping, this.#write(failure)]).then(() => {});
  }

  /** Hides the credential in the content of any request, which takes a second for megabytes. */
  hide(request: UnhiddenRequest): Promise<RequestContent> {
    return this.#worker.ask('hide', request);
  }

  /** @throws {StorageError} */
  list(): Promise<readonly RequestFigures[]> {
    return this.#worker.ask('list', undefined);
  }

  /**
   * @returns undefined for a failure that is not kept any more
   * @throws {StorageError}
   */
  get(id: string): Promise<KeptFailure | undefined> {
    return this.#worker.ask('get', id);
  }

  /**
   * Erases all of them, on the disk too.
   *
   * @throws {StorageError}
   */
  async clear(): Promise<void> {
    await this.#keeping;
    await this.#worker.ask('clear', undefined);
  }

  /** Resolves once all is written that was to be kept. */
  settled(): Promise<void> {
    return this.#keeping;
  }

  async close(): Promise<void> {
    await this.#keeping;
    await this.#worker.close();
  }

  async #write(failure: UnhiddenFailure): Promise<void> {
    try {
      await this.#worker.ask('keep', failure);
      this.#hasFailed = false;
    } catch (error) {
      if (!this.#hasFailed) this.#options.onError(error);
      this.#hasFailed = true;
    }
  }
}
