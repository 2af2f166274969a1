import { WorkerEndedError } from '../../storage/worker/requestWorker.ts';
import type { Conversation } from '../conversation/conversation.ts';
import type { Prompt } from '../conversation/turn.ts';
import type { FinishedReply } from '../store/arrivingReplies.ts';
import type { Attachments } from '../store/attachments.ts';
import type { ConversationStore } from '../store/conversationStore.ts';
import type { NewQuestion } from '../store/newMessages.ts';
import type { ConversationWorker } from '../worker/conversationWorker.ts';
import { storePromptParts } from './messageRecords.ts';

/** The position of a reply at the time of its request: the conversation may change before the reply is written. */
interface ReplyPosition {
  /** The ids of the messages above it, the nearest one first. */
  readonly ancestors: readonly string[];
  /** Its question; absent for a reply that continues another one. */
  readonly prompt?: Prompt;
}

export function findReplyPosition(conversation: Conversation, reply: string): ReplyPosition {
  const ancestors: string[] = [];
  for (let id = conversation.tree.parent(reply); id !== undefined; id = conversation.tree.parent(id))
    ancestors.push(id);
  const [nearest] = ancestors;
  const hasQuestion = nearest !== undefined && conversation.isQuestion(nearest);
  return { ancestors, ...(hasQuestion && { prompt: conversation.prompt(nearest) }) };
}

/**
 * Determines the parent of a reply in the store: a new question, or else the nearest stored message above the
 * reply.
 *
 * @param storedIds the ids of the messages in the store, without placeholders
 */
export async function findStoredParent(
  { ancestors, prompt }: ReplyPosition,
  storedIds: ReadonlySet<string>,
  attachments: Attachments,
): Promise<Pick<NewQuestion, 'parent' | 'question'>> {
  const [question] = ancestors;
  const parent = ancestors.find((id) => storedIds.has(id));
  const isNew = prompt !== undefined && question !== undefined && question !== parent;
  return {
    ...(parent !== undefined && { parent }),
    ...(isNew && { question: { id: question, parts: await storePromptParts(prompt, attachments) } }),
  };
}

/** In characters. The worker stores longer replies, because they would block this thread for too long. */
const maxLengthHere = 1_000_000;

/**
 * Stores a complete reply with `ConversationStore.finish`.
 *
 * @param worker stores long replies; without it, or after it ended, this thread stores them
 * @returns whether this window received the reply
 * @throws {StorageError} if the reply cannot be stored
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

/** Counts the characters of texts and tool call arguments. */
function countCharacters(choices: FinishedReply['choices']): number {
  return choices.flat().reduce((sum, part) => {
    if ('text' in part) return sum + part.text.length;
    return 'arguments' in part ? sum + part.arguments.length : sum;
  }, 0);
}
