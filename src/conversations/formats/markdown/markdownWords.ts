/** The fixed words of a conversation in Markdown. */
export interface MarkdownWords {
  readonly question: string;
  readonly reply: string;
  readonly systemPrompt: string;
  readonly toolResult: string;
  readonly reasoning: string;
  readonly image: string;
  readonly file: string;
  /** Below a reply that was stopped, or whose connection broke. */
  readonly stopped: string;
  /** Below a reply that its token limit cut off. */
  readonly truncated: string;
  /** Below a reply that failed. */
  readonly failed: string;
  readonly untitled: string;
  /** A note that the file contains only the path that is shown, with the number of messages on other branches. */
  readonly onlyPath: (others: number) => string;
}

/** For files, which may be read by anyone; an editor shows the user's language. */
export const englishMarkdownWords: MarkdownWords = {
  question: 'Question',
  reply: 'Reply',
  systemPrompt: 'System prompt',
  toolResult: 'Result',
  reasoning: 'Reasoning',
  image: 'Image',
  file: 'File',
  stopped: 'Stopped',
  truncated: 'Cut off at the token limit',
  failed: 'Failed',
  untitled: 'Chat',
  onlyPath: (others) =>
    others === 0
      ? 'The whole conversation is in this file.'
      : `Only the path that was shown is in this file. Messages on other branches: ${others}.`,
};
