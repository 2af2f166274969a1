import { RequestWorker } from '../../storage/worker/requestWorker.ts';
import type { WorkerFiles } from './requestHandlers.ts';
import type { ConversationRequests } from './requestKinds.ts';

/** The worker thread of a window for time-consuming work with stored conversations. */
export class ConversationWorker extends RequestWorker<ConversationRequests> {
  /** @param program the path of the bundle of `main.ts` */
  constructor(program: string, files: WorkerFiles) {
    super({ program, data: files });
  }
}
