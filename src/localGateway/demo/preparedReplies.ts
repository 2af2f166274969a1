import { demoQuestions } from '../../base/demoQuestions.ts';

/** Replies in Markdown, each with a pattern of the questions that it answers. */
const preparedReplies: readonly (readonly [pattern: RegExp, reply: string])[] = [
  [
    createPattern(demoQuestions.explain),
    `A **model gateway** provides one address and one credential for the models of many providers.

Without one, each provider has an address, a key and a request format of its own. With one, a request goes to the gateway, which

1. **checks the credential** that you were given, so that providers' own keys stay with the gateway,
2. **finds the provider** of the model that the request names,
3. **passes the request on**, and streams the reply back as it arrives,
4. **counts the usage**, so that limits and costs can be managed in one place.

> A gateway does not improve the models. It makes them *interchangeable*: to try another one, change the name.

In this window, the **Models** view lists the models of the gateway, and each chat can use a different one.`,
  ],
  [
    createPattern(demoQuestions.retry),
    `This function retries a request, each time after a longer pause:

\`\`\`typescript
interface RetryOptions {
  /** The total number of attempts. */
  readonly attempts?: number;
  /** The pause before the second attempt, in milliseconds. It doubles each time. */
  readonly pauseMs?: number;
  readonly signal?: AbortSignal;
}

/** Sends a GET request, and retries it while the server is busy or cannot be reached. */
export async function fetchWithRetry(
  url: string,
  { attempts = 4, pauseMs = 500, signal }: RetryOptions = {},
): Promise<Response> {
  for (let attempt = 1; ; attempt++) {
    try {
      const response = await fetch(url, { signal });
      const isBusy = response.status === 429 || response.status >= 500;
      if (!isBusy || attempt === attempts) return response;
    } catch (error) {
      if (signal?.aborted || attempt === attempts) throw error;
    }
    const longest = pauseMs * 2 ** (attempt - 1);
    await new Promise((resolve) => setTimeout(resolve, longest * (0.5 + Math.random() / 2)));
  }
}
\`\`\`

Why it is written this way:

- **The pause doubles**, so that an overloaded server gets more and more time to recover.
- **Each pause is shortened at random**; otherwise all clients would retry at the same moment.
- **Only \`429\` and \`5xx\` are retried.** Any other \`4xx\` would fail again.
- **It sends GET only.** Before you repeat a \`POST\`, make sure that sending it twice does no harm.`,
  ],
  [
    createPattern(demoQuestions.compare),
    `| | Streaming | Waiting for the whole reply |
| --- | --- | --- |
| First word | after a fraction of a second | after the whole reply is written |
| Total time | the same | the same |
| If you stop early | the text received so far stays | there is no text |
| In code | read events, join the pieces | one JSON body |
| If the connection breaks | part of the reply is there | the reply is lost |
| Best for | chats, long texts | scripts, JSON, short answers |

**In short:** stream when a person is waiting, and request the whole reply when a program is.

The reply that you are reading was streamed: the figures below it show how long its first word took.`,
  ],
];

/** Finds the prepared reply to a question; undefined if no reply was prepared. */
export function findPreparedReply(question: string): string | undefined {
  const questionWords = normalizeWords(question);
  return preparedReplies.find(([pattern]) => pattern.test(questionWords))?.[1];
}

/** Creates a pattern for questions that start with the same words, such as "…, in three sentences". */
function createPattern(question: string): RegExp {
  return new RegExp(`^${normalizeWords(question)}\\b`);
}

/** Reduces a text to lower-case words, so that punctuation does not matter. */
function normalizeWords(text: string): string {
  return text
    .slice(0, 200)
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, ' ')
    .trim();
}
