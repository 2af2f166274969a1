/**
 * Questions that the extension suggests while the demo is asked. The demo has an answer to each written
 * down, in English alone.
 */
export const demoQuestions = {
  explain: 'Explain what a model gateway does',
  retry: 'Write a TypeScript function that retries a request with backoff',
  compare: 'Compare streaming with waiting for the whole reply, as a table',
  help: 'What can you do?',
} as const;
