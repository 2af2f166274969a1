import type { TurnView } from '../../../../src/protocol/chatTurn.ts';
import { createTurn } from './chatPage.ts';

const text = `## Retrying a request

A request is tried again only when it **provably** was not sent, or the server *asked* for it:

1. connecting failed, so nothing was sent;
2. the answer was \`429\` or \`503\` with \`Retry-After\`;
   - wait at least as long as it says,
   - never longer than a minute;
3. everything else is shown to you.

\`\`\`ts
/** Waits as long as the server asked, but never more than a minute. */
export async function retry<T>(send: () => Promise<T>, signal: AbortSignal): Promise<T> {
  const limit = 60_000;
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await send();
    } catch (error) {
      if (attempt === 3 || !isRetryable(error)) throw error;
      await delay(Math.min(limit, 2 ** attempt * 500), signal); // \`full\` jitter
    }
  }
}
\`\`\`

| Status | Meaning | Tried again |
|:--|:--|--:|
| 401 | the credential was refused | no |
| 429 | too many requests | after 3 s |
| 503 | overloaded | after 500 ms |

> Task creation is never sent twice.

See [the manual](https://example.com/manual/retry), https://example.com/status and ![a chart](https://collector.example/c.png).
Hidden\u{e0073}\u{e0065} text is marked.

\`\`\`json
{ "model": "gpt-x-mini", "stream": true, "n": 1, "stop": null }
\`\`\`

That is all.`;

/** A conversation with every kind of content that a page can show. */
export const showcase: readonly TurnView[] = [
  createTurn({
    id: 'first',
    question: 'And in one line?',
    text: 'Retry only what was not sent.',
    notice: {
      title: 'The reply was cut off',
      detail: 'The connection closed before the end of the reply; the text so far is kept.',
      requestId: 'req_0123456789abcdef',
      buttons: [
        { action: 'continue', label: 'Continue' },
        { action: 'again', label: 'Ask Again' },
      ],
      severity: 'error',
    },
  }),
  createTurn({
    id: 'second',
    question: 'How do I retry a request safely?\nPlease show some TypeScript.',
    reasoning: 'The user wants a retry function.',
    text,
    toolCalls: [{ name: 'search_manual', arguments: '{"query": "retry"}' }],
    figures: {
      inputTokens: 1204,
      outputTokens: 318,
      firstTokenMs: 410,
      tokensPerSecond: 86,
      finishReason: 'stop',
    },
  }),
];

/** A chat with turns that are not sent with the next question, and one with two choices. */
export const notSent: readonly TurnView[] = [
  createTurn({
    id: 'failed',
    question: 'Is anybody there?',
    notice: {
      title: 'The gateway cannot be reached',
      detail: 'Nothing listens at 127.0.0.1:4711.',
      requestId: 'req_0123456789abcdef',
      buttons: [
        { action: 'again', label: 'Ask Again' },
        { action: 'show-log', label: 'Show Log' },
      ],
      severity: 'error',
    },
  }),
  createTurn({
    id: 'kept',
    question: 'And now?',
    text: 'Now there is.',
    figures: { inputTokens: 19, outputTokens: 172, firstTokenMs: 410, tokensPerSecond: 86, end: 'complete' },
  }),
  createTurn({
    id: 'old',
    question: 'What is a gateway?',
    text: 'An answer that was `asked for` again. [A link](https://example.com)',
    figures: { inputTokens: 240, outputTokens: 12, end: 'stopped' },
    notice: {
      title: 'Stopped',
      detail: 'You stopped this reply. The received part is saved.',
      buttons: [
        { action: 'continue', label: 'Continue' },
        { action: 'again', label: 'Ask Again' },
      ],
      severity: 'info',
    },
  }),
  {
    ...createTurn({
      id: 'last',
      question: 'What is a gateway?',
      figures: { inputTokens: 240, outputTokens: 1, end: 'tool call', finishReason: 'tool_calls' },
    }),
    replies: ['A newer answer.', 'Another newer answer.'].map((text) => ({
      text,
      reasoning: '',
      toolCalls: [],
      images: [],
      citations: [],
    })),
  },
];
