import type { JsonObject } from '../../../base/json.ts';
import type { MessageRecord, OriginSource, PartRecord, RequestRecord } from '../../conversation/record.ts';
import type { ConversationReading } from './conversationReading.ts';

/** A conversation as an importer reads it. */
export interface ConversationDraft {
  /** Its id in the program that wrote the file; undefined where it has none, or a bad one. */
  readonly id: string | undefined;
  readonly title: string | undefined;
  readonly createdAt: number | undefined;
  readonly changedAt: number | undefined;
  /** The id of the message at the end of the path that was shown; undefined for the newest leaf. */
  readonly head: string | undefined;
  readonly model?: string;
  /** What the user set for this conversation to stand above it. */
  readonly systemPrompt?: string;
  readonly isPinned?: boolean;
  readonly isArchived?: boolean;
  readonly messages: readonly MessageDraft[];
  /** Whether an answer may be several messages one after another, as of a model that called tools. */
  readonly hasAnswersInSteps?: boolean;
  readonly extra?: JsonObject;
}

/** A message as an importer reads it, before its place in the tree is known. */
export interface MessageDraft {
  /** Undefined, or not unique, where the file is wrong. */
  readonly id: string | undefined;
  /** The id of the message that it follows; undefined at a root. */
  readonly parent: string | undefined;
  /** The ids of those that follow it, in their order, where the file tells. It is not believed as to who follows whom. */
  readonly children?: readonly unknown[];
  readonly role: MessageRecord['role'];
  /** Undefined where the file tells none that makes sense. */
  readonly createdAt: number | undefined;
  readonly state?: 'done' | 'stopped';
  readonly parts: readonly PartRecord[];
  readonly request?: DraftRequest;
  readonly extra?: JsonObject;
  /** Part of the tree in the file, but nothing to read: its children follow its parent instead. */
  readonly isPlaceholder?: boolean;
}

/** How an answer was asked for; its id and time are those of the message, where the file tells no others. */
export type DraftRequest = Omit<RequestRecord, 'id' | 'askedAt'> &
  Partial<Pick<RequestRecord, 'id' | 'askedAt'>>;

/** The bytes of a file that came with the conversations. */
export interface AttachedFile {
  readonly name: string;
  readonly bytes: Uint8Array;
}

/** What an importer reads by. */
export interface ReadingContext {
  readonly reading: ConversationReading;
  /** Files that came with the conversations, by the ids that `fileIds` found. */
  readonly files: ReadonlyMap<string, AttachedFile>;
}

/** A format whose files are JSON. The file that implements it is in the folder of formats. */
export interface JsonFormat {
  readonly source: OriginSource;
  /** Whether an object is a conversation of this format, by its members alone. */
  recognizes(object: JsonObject): boolean;
  /** The ids of the files that a conversation names and that may be beside it in a zip file. */
  fileIds?(object: JsonObject): Iterable<string>;
  /** Reads a recognized object. Takes whatever is in it, and throws nothing. */
  read(object: JsonObject, context: ReadingContext): ConversationDraft;
}
