import type { WholeConversation } from '../../conversation/record.ts';

/** A conversation with all its data, including the bytes of attachments, for imports and exports. */
export interface PortableConversation extends WholeConversation {
  /** The bytes that parts reference by their hash. Some may be missing. */
  readonly attachments: readonly Attachment[];
}

/** The bytes of an image or a file. */
export interface Attachment {
  /** Their SHA-256, in hexadecimal digits. */
  readonly hash: string;
  readonly bytes: Uint8Array;
}
