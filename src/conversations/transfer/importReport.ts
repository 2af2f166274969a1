import type { Explanation } from '../../wire/explanations/explanation.ts';
import type { Place } from '../formats/reading/importEvent.ts';
import type { Imported } from '../store/importing.ts';

/** What became of a conversation in an imported file, or of a file that could not be read. */
export interface ImportedChat {
  /** The name of the file, without its folder. */
  readonly file: string;
  readonly place: Place;
  /** Its title, or the beginning of its first question: words of others. */
  readonly title?: string;
  readonly kind: Imported['kind'] | 'skipped';
  /** How many messages were added. */
  readonly added: number;
  /** Why it was skipped, or what of it was not as it should be. */
  readonly notes: readonly Explanation[];
}

/** How far an import is. */
export interface ImportProgress {
  /** What became of conversations since it was told last. */
  readonly chats: readonly ImportedChat[];
  /** How much of the files was read, from 0 to 1. */
  readonly read: number;
}

/** How an import ended. What it told until then is so. */
export interface ImportEnd {
  /** `stopped`: by its signal. `refused`: nothing can be kept any more. */
  readonly kind: 'complete' | 'stopped' | 'refused';
  /** Of a refused one. */
  readonly problem?: Explanation;
}
