import type { JsonObject } from '../../../base/json.ts';
import type { MessageRecord, PartRecord, RequestRecord } from '../../record.ts';

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
