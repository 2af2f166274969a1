import type { StoredForm } from './composer/promptForm.ts';
import type { FindOptions } from './find/findPattern.ts';
import type { StoredEdits } from './turns/messageEditor.ts';

/** The state that the chat page stores itself. */
export interface StoredChat {
  /** Absent for a long draft, which only the host stores. */
  readonly draft?: string | undefined;
  /** The text in the form of a prompt. */
  readonly promptForm?: StoredForm | undefined;
  /** The texts in the edit boxes of messages. */
  readonly edits?: StoredEdits;
  /** Identifies the chat to the host when VS Code restores the page. */
  readonly chat?: string;
  /**
   * The turn at the top of the page, and the distance from its beginning to the top, in pixels; absent at the end of
   * the chat.
   */
  readonly place?: { readonly turnId: string; readonly offset: number } | undefined;
  /** The options of the last search. */
  readonly find?: FindOptions;
}
