import type { ConversationRecord, MessageRecord } from '../record.ts';

/** A conversation with all that belongs to it, also the bytes of attachments, as imports yield it and exports take it. */
export interface PortableConversation {
  readonly conversation: ConversationRecord;
  /** Each after the message that it follows; siblings in their order. */
  readonly messages: readonly MessageRecord[];
  /** The bytes that parts name by their hash. Some may be missing. */
  readonly attachments: readonly Attachment[];
}

/** The bytes of an image or a file. */
export interface Attachment {
  /** Their SHA-256, in hexadecimal digits. */
  readonly hash: string;
  readonly bytes: Uint8Array;
}
