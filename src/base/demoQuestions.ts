/** Questions that the extension suggests for the demo. The demo has a prepared reply to each, in English only. */
export const demoQuestions = {
  explain: 'Explain what a model gateway does',
  retry: 'Write a TypeScript function that retries a request with backoff',
  compare: 'Compare streaming with waiting for the whole reply, as a table',
  help: 'What can you do?',
} as const;
