import type { JsonObject } from '../../../base/json.ts';
import type {
  ChatRequestRecord,
  MessageRecord,
  OriginSource,
  PartRecord,
} from '../../conversation/conversationRecord.ts';
import type { ConversationReading } from './conversationReading.ts';

/** A conversation as an importer reads it. */
export interface ConversationDraft {
  /** Its id in the program that wrote the file; undefined if the file does not contain a valid id. */
  readonly id: string | undefined;
  readonly title: string | undefined;
  readonly createdAt: number | undefined;
  readonly changedAt: number | undefined;
  /** The id of the message at the end of the shown path; undefined for the newest leaf. */
  readonly head: string | undefined;
  readonly model?: string;
  /** The user's system prompt for this conversation. */
  readonly systemPrompt?: string;
  readonly isPinned?: boolean;
  readonly isArchived?: boolean;
  readonly messages: readonly MessageDraft[];
  /** Whether a reply may consist of several consecutive messages, for example with tool calls. */
  readonly hasMultiStepReplies?: boolean;
  readonly extra?: JsonObject;
}

/** A message as an importer reads it, before it is placed in the tree. */
export interface MessageDraft {
  /** Undefined or not unique in faulty files. */
  readonly id: string | undefined;
  /** The id of its parent; undefined for a root. */
  readonly parent: string | undefined;
  /** The ids of its children in order, if the file lists them. They determine only the order, not the parents. */
  readonly children?: readonly unknown[];
  readonly role: MessageRecord['role'];
  /** Undefined if the file contains no plausible time. */
  readonly createdAt: number | undefined;
  readonly state?: 'done' | 'stopped';
  readonly parts: readonly PartRecord[];
  readonly request?: DraftRequest;
  readonly extra?: JsonObject;
  /** Whether the message is a node without content in the file's tree. Its children move to its parent. */
  readonly isPlaceholder?: boolean;
}

/** The request of a reply. By default it has the id and time of the message. */
export type DraftRequest = Omit<ChatRequestRecord, 'id' | 'requestedAt'> &
  Partial<Pick<ChatRequestRecord, 'id' | 'requestedAt'>>;

/** The bytes of a file that belongs to the conversations. */
export interface DraftFile {
  readonly name: string;
  readonly bytes: Uint8Array;
}

/** The context of an importer. */
export interface ReadingContext {
  readonly reading: ConversationReading;
  /** Files that belong to the conversations, by the ids that `listFileIds` returned. */
  readonly files: ReadonlyMap<string, DraftFile>;
}

/** A JSON format of another program. */
export interface JsonFormat {
  readonly source: OriginSource;
  /** Whether the members of an object identify it as a conversation of this format. */
  recognizes(object: JsonObject): boolean;
  /** Lists the ids of files that a conversation references, and that may be in the same zip file. */
  listFileIds?(object: JsonObject): Iterable<string>;
  /** Reads a recognized object. Accepts any content, and does not throw. */
  read(object: JsonObject, context: ReadingContext): ConversationDraft;
}
