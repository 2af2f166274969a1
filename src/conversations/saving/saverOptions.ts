import type { Clock } from '../../base/node/clock.ts';
import type { StorageError } from '../../storage/sqlite/storageError.ts';
import type { ConversationRecord } from '../conversation/conversationRecord.ts';
import type { ConversationStore } from '../store/conversationStore.ts';
import type { ConversationWorker } from '../worker/conversationWorker.ts';

/** The workspace, gateway and settings of a chat, which are stored with its messages. */
export type ChatFacts = Pick<
  ConversationRecord,
  'workspace' | 'gateway' | 'gatewayName' | 'model' | 'format' | 'parameters'
>;

export interface SaverOptions {
  /** Opens the store, or returns the open one. @throws {StorageError} */
  readonly openStore: () => Promise<ConversationStore>;
  /** Stores long replies. Without it, this thread stores them. */
  readonly worker?: Pick<ConversationWorker, 'request'> | undefined;
  /** Returns the current workspace, gateway and settings of the chat. */
  readonly readFacts: () => ChatFacts;
  /** Called with the problem when the chat cannot be stored, and with undefined once it can be stored again. */
  readonly onProblem: (problem: StorageError | undefined) => void;
  /** Called when another window, or an earlier tab of the chat, changed the chat in the store. */
  readonly onExternalChange?: () => void;
  /** Called with an error that is not a disk error. */
  readonly onError: (error: unknown) => void;
  /** Called after the last write. */
  readonly onClosed: () => void;
  readonly clock?: Clock;
}

/** The stored part of a conversation when its saver starts. */
export interface StoredConversationState {
  readonly id: string;
  /** The ids of its messages. */
  readonly messages: ReadonlySet<string>;
  /** The ids of the placeholder messages for the screen. */
  readonly placeholderIds: ReadonlySet<string>;
}
