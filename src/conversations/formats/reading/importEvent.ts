import type { Explanation } from '../../../wire/explanations/explanation.ts';
import type { PortableConversation } from './portableConversation.ts';

/** What an import tells, one by one, in the order of the file. */
export type ImportEvent =
  | {
      readonly type: 'conversation';
      readonly place: Place;
      readonly imported: PortableConversation;
      /** What of the conversation was not as it should be. */
      readonly warnings: readonly Explanation[];
    }
  /** Why a conversation was skipped, or why reading went no further. */
  | { readonly type: 'problem'; readonly place: Place; readonly problem: Explanation };

/** Where something is in an imported file. */
export interface Place {
  /** The name of a file within a zip file: words of others. */
  readonly file?: string;
  /** Which conversation of the file it is, from 1. */
  readonly conversation?: number;
  /** Its title, as the file tells it: words of others, of any length. */
  readonly title?: string;
  /** The line, from 1. */
  readonly line?: number;
  /** The byte, from 0; of a file in UTF-16, as if it were in UTF-8. */
  readonly byte?: number;
}
