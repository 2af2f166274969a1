import type { WholeConversation } from '../../conversation/record.ts';

/** A conversation with all that belongs to it, also the bytes of attachments, as imports yield it and exports take it. */
export interface PortableConversation extends WholeConversation {
  /** The bytes that parts name by their hash. Some may be missing. */
  readonly attachments: readonly Attachment[];
}

/** The bytes of an image or a file. */
export interface Attachment {
  /** Their SHA-256, in hexadecimal digits. */
  readonly hash: string;
  readonly bytes: Uint8Array;
}
