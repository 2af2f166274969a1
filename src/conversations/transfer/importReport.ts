import type { Explanation } from '../../wire/explanations/explanation.ts';
import type { ImportLocation } from '../formats/reading/importEvent.ts';
import type { Imported } from '../store/storeImported.ts';

/** The result for a conversation of an imported file, or for a file that could not be read. */
export interface ImportedChat {
  /** The name of the file, without its folder. */
  readonly file: string;
  readonly location: ImportLocation;
  /** Its title, or the beginning of its first question: untrusted text. */
  readonly title?: string;
  readonly kind: Imported['kind'] | 'skipped';
  /** The number of added messages. */
  readonly added: number;
  /** The reason for skipping it, or its problems. */
  readonly notes: readonly Explanation[];
}

/** The progress of an import. */
export interface ImportProgress {
  /** The results since the last report. */
  readonly chats: readonly ImportedChat[];
  /** The share of the files that was read, from 0 to 1. */
  readonly read: number;
}

/** How an import ended. Results reported before remain valid. */
export interface ImportEnd {
  /** `stopped`: by its signal. `refused`: storage accepts no more writes. */
  readonly kind: 'complete' | 'stopped' | 'refused';
  /** Present if it was refused. */
  readonly problem?: Explanation;
}
