/** What a child window tells the test, once it is so. Times are in milliseconds of the child's own clock. */
export type ChatChildReport =
  | {
      readonly type: 'asked';
      readonly chat: string;
      readonly question: string;
      readonly text: string;
      /** One for each model. */
      readonly answers: readonly string[];
    }
  /** So many characters of the answer have come. */
  | { readonly type: 'arrived'; readonly answer: string; readonly length: number; readonly at: number }
  | { readonly type: 'finished'; readonly answer: string; readonly length: number };
