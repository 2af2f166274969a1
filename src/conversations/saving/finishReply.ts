import { WorkerEndedError } from '../../storage/worker/requestWorker.ts';
import type { FinishedReply } from '../store/arrivingReplies.ts';
import type { ConversationStore } from '../store/conversationStore.ts';
import type { ConversationWorker } from '../worker/conversationWorker.ts';

/** In characters. A longer reply is stored by the worker, because it would block this thread for too long. */
const maxLengthHere = 1_000_000;

/**
 * Like `finish` of the store.
 *
 * @param worker stores long replies; without it, or after it ended, this thread stores them
 * @returns whether this window received the reply
 * @throws {StorageError}
 */
export async function finishReply(
  store: ConversationStore,
  worker: Pick<ConversationWorker, 'request'> | undefined,
  { conversation, message, finish }: { conversation: string; message: string; finish: FinishedReply },
): Promise<boolean> {
  if (worker && countCharacters(finish.choices) > maxLengthHere) {
    try {
      return await worker.request('finishReply', { window: store.window, conversation, message, finish });
    } catch (error) {
      if (!(error instanceof WorkerEndedError)) throw error;
    }
  }
  return store.finish(conversation, message, finish);
}

/** The number of characters of texts and tool call arguments. */
function countCharacters(choices: FinishedReply['choices']): number {
  return choices.flat().reduce((sum, part) => {
    if ('text' in part) return sum + part.text.length;
    return 'arguments' in part ? sum + part.arguments.length : sum;
  }, 0);
}
