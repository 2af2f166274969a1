/** Suggestions for a word in the message box that begins with a trigger character. */
import * as z from 'zod';

/** A character that opens the list of suggestions. */
export interface CompletionTrigger {
  readonly character: string;
  /** `start`: only as the first character of the message. `word`: at the beginning of any word. */
  readonly where: 'start' | 'word';
}

export interface CompletionItem {
  /** Identifies the item to the host; unique among the items of its trigger. */
  readonly id: string;
  readonly label: string;
  /** Shown dimmed after the label. */
  readonly description?: string;
  /** The name of a codicon, without `codicon-`. */
  readonly icon?: string;
  /**
   * Replaces the typed word when the user chooses the item; suggestions for the new word follow. Without it the page
   * removes the word and reports the choice to the host.
   */
  readonly continuesAs?: string;
}

const character = z.string().length(1);

/** Requests suggestions. The page ignores replies to all but its last request. */
const complete = z.strictObject({
  type: z.literal('complete'),
  /** The number of the request, which the reply repeats. */
  number: z.int().min(0),
  trigger: character,
  /** The text after the trigger, without white space. */
  query: z.string().max(200),
});

/** A suggestion was chosen. */
const acceptCompletion = z.strictObject({
  type: z.literal('accept-completion'),
  trigger: character,
  id: z.string().max(4096),
});

export const completionMessages = [complete, acceptCompletion] as const;

export type CompletionMessage = Readonly<z.infer<typeof complete> | z.infer<typeof acceptCompletion>>;

/** The reply to `complete`. */
export interface CompletionsView {
  readonly number: number;
  /** Best first. */
  readonly items: readonly CompletionItem[];
}
