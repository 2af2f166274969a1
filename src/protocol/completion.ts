/** What the message box offers to complete the word that is typed, by the character that the word begins with. */
import * as z from 'zod';

/** A character that opens the list of suggestions. */
export interface CompletionTrigger {
  readonly character: string;
  /** `start`: as the first character of the message. `word`: there, and after white space. */
  readonly where: 'start' | 'word';
}

export interface CompletionItem {
  /** Names it to the host, among the items for its trigger. */
  readonly id: string;
  readonly label: string;
  /** Dimmed, after the label. */
  readonly description?: string;
  /** A codicon, without its prefix. */
  readonly icon?: string;
  /**
   * What stands in the place of the typed word once this is chosen, and is completed further. By default the word
   * is taken out, and the host is told of the choice.
   */
  readonly continuesAs?: string;
}

const character = z.string().length(1);

/** Asks for suggestions. Of several answers, only the one to the highest number counts. */
const complete = z.strictObject({
  type: z.literal('complete'),
  number: z.int().min(0),
  trigger: character,
  /** What is typed after the trigger, without white space. */
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

/** Answers `complete`. */
export interface CompletionsView {
  readonly number: number;
  /** Best first. */
  readonly items: readonly CompletionItem[];
}
