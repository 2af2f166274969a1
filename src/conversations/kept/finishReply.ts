import { WorkerEndedError } from '../../storage/worker/requestWorker.ts';
import type { Finish } from '../store/arriving.ts';
import type { ConversationStore } from '../store/conversationStore.ts';
import type { ConversationWorker } from '../worker/conversationWorker.ts';

/** A longer reply, in characters, is stored by the worker: this thread would be busy with it for too long. */
const maxLengthHere = 1_000_000;

/**
 * As `finish` of the store.
 *
 * @param worker stores long replies; without it, or after it ended, this thread does
 * @returns whether this window received the answer
 * @throws {StorageError}
 */
export async function finishReply(
  store: ConversationStore,
  worker: Pick<ConversationWorker, 'ask'> | undefined,
  { conversation, answer, finish }: { conversation: string; answer: string; finish: Finish },
): Promise<boolean> {
  if (worker && lengthOf(finish.choices) > maxLengthHere) {
    try {
      return await worker.ask('finishReply', { window: store.window, conversation, answer, finish });
    } catch (error) {
      if (!(error instanceof WorkerEndedError)) throw error;
    }
  }
  return store.finish(conversation, answer, finish);
}

/** The characters of texts and of the arguments of tool calls. */
function lengthOf(choices: Finish['choices']): number {
  return choices.flat().reduce((sum, part) => {
    if ('text' in part) return sum + part.text.length;
    return 'arguments' in part ? sum + part.arguments.length : sum;
  }, 0);
}
