/** The words that a conversation in Markdown has beside its own. */
export interface MarkdownWords {
  readonly question: string;
  readonly answer: string;
  readonly systemPrompt: string;
  readonly toolResult: string;
  readonly reasoning: string;
  readonly image: string;
  readonly file: string;
  /** Under an answer that was stopped, or whose connection broke. */
  readonly stopped: string;
  /** Under one that its limit of tokens cut. */
  readonly truncated: string;
  /** Under one that failed. */
  readonly failed: string;
  readonly untitled: string;
  /** That only the path that is shown is in the file; with the number of messages that are not. */
  readonly onlyPath: (others: number) => string;
}

/** For files, which are read anywhere; an editor shows the user's own language. */
export const englishMarkdownWords: MarkdownWords = {
  question: 'Question',
  answer: 'Reply',
  systemPrompt: 'System prompt',
  toolResult: 'Result',
  reasoning: 'Reasoning',
  image: 'Image',
  file: 'File',
  stopped: 'Stopped',
  truncated: 'Cut by its limit of tokens',
  failed: 'Failed',
  untitled: 'Chat',
  onlyPath: (others) =>
    others === 0
      ? 'The whole conversation is in this file.'
      : `Only the path that was shown is in this file. Messages on other branches: ${others}.`,
};
