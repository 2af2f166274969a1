import { RequestWorker } from '../../storage/worker/requestWorker.ts';
import type { WorkerFiles } from './requestHandlers.ts';
import type { ConversationRequests } from './requestKinds.ts';

/** The worker of a window: one thread for all that takes time with the conversations that are kept. */
export class ConversationWorker extends RequestWorker<ConversationRequests> {
  /** @param program the path of the bundle of `main.ts` */
  constructor(program: string, files: WorkerFiles) {
    super({ program, data: files });
  }
}
