/**
 * The reports of a child window to the test, each sent after the event. Times are in milliseconds of the child's
 * own clock.
 */
export type ChatChildReport =
  | {
      readonly type: 'question';
      readonly chat: string;
      readonly question: string;
      readonly text: string;
      /** One for each model. */
      readonly replies: readonly string[];
    }
  /** This many characters of the reply have arrived. */
  | { readonly type: 'arrived'; readonly reply: string; readonly length: number; readonly at: number }
  | { readonly type: 'finished'; readonly reply: string; readonly length: number };
