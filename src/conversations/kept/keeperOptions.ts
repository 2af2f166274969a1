import type { Clock } from '../../base/node/clock.ts';
import type { StorageError } from '../../storage/sqlite/storageError.ts';
import type { ConversationRecord } from '../conversation/record.ts';
import type { ConversationStore } from '../store/conversationStore.ts';
import type { ConversationWorker } from '../worker/conversationWorker.ts';

/** What is kept of a chat beside its messages. */
export type ChatFacts = Pick<
  ConversationRecord,
  'workspace' | 'gateway' | 'gatewayName' | 'model' | 'format' | 'parameters'
>;

export interface KeeperOptions {
  /** Opens the store, or returns the open one. @throws {StorageError} */
  readonly store: () => Promise<ConversationStore>;
  /** Stores long replies. Without it this thread does. */
  readonly worker?: Pick<ConversationWorker, 'ask'> | undefined;
  /** What the chat is asked with now. */
  readonly facts: () => ChatFacts;
  /** Called when the chat cannot be kept for now, and with nothing once it is kept again. */
  readonly onProblem: (problem: StorageError | undefined) => void;
  /** Called when another window, or another tab of the chat before, changed the chat in the store. */
  readonly onStored?: () => void;
  /** Called with an error that is not the disk's. */
  readonly onError: (error: unknown) => void;
  /** Called once all was written that could be, and nothing more comes. */
  readonly onClosed: () => void;
  readonly clock?: Clock;
}

/** What is in the store already. */
export interface KeptBefore {
  readonly id: string;
  /** The ids of its messages. */
  readonly messages: ReadonlySet<string>;
  /** The ids of those that were filled in for the screen. */
  readonly filled: ReadonlySet<string>;
}
