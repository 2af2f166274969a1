import type { Explanation } from '../../../wire/explanations/explanation.ts';
import type { PortableConversation } from '../../conversation/conversationRecord.ts';

/** The events of an import, in the order of the file. */
export type ImportEvent =
  | {
      readonly type: 'conversation';
      readonly location: ImportLocation;
      readonly imported: PortableConversation;
      /** The flaws of the conversation. */
      readonly warnings: readonly Explanation[];
    }
  /** The reason why a conversation was skipped, or why reading stopped. */
  | { readonly type: 'problem'; readonly location: ImportLocation; readonly problem: Explanation };

/** A location in an imported file. */
export interface ImportLocation {
  /** The name of a file within a zip file: untrusted text. */
  readonly file?: string;
  /** The number of the conversation in the file, from 1. */
  readonly conversation?: number;
  /** Its title in the file: untrusted text of any length. */
  readonly title?: string;
  /** The line, from 1. */
  readonly line?: number;
  /** The byte, from 0; for a UTF-16 file, the position in its UTF-8 form. */
  readonly byte?: number;
}
