import { demoQuestions } from '../../base/demoQuestions.ts';

/** Answers that were written by people, as Markdown, by what a question must be about. */
const knownAnswers: readonly (readonly [about: RegExp, answer: string])[] = [
  [
    about(demoQuestions.explain),
    `A **model gateway** is one address and one credential that stand in front of many providers' models.

Without one, each provider has an address, a key and a request format of its own. With one, a request goes to the gateway, which

1. **checks the credential** that you were given, so that providers' own keys stay with the gateway,
2. **finds the provider** of the model that the request names,
3. **passes the request on**, and streams the reply back as it arrives,
4. **counts what was used**, so that limits and costs can be kept in one place.

> A gateway makes no model better. It makes models *interchangeable*: to try another one, change a name.

In this window, the **Models** view lists what the gateway offers, and each chat can ask another model.`,
  ],
  [
    about(demoQuestions.retry),
    `Here is a function that tries again, each time after a longer pause:

\`\`\`typescript
interface RetryOptions {
  /** How often to try in all. */
  readonly attempts?: number;
  /** The pause before the second attempt, in milliseconds. It doubles each time. */
  readonly pauseMs?: number;
  readonly signal?: AbortSignal;
}

/** Sends a GET request, and again while the server is busy or cannot be reached. */
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

Why it is written so:

- **The pause doubles**, so that a server in trouble gets more and more time.
- **Chance shortens each pause** a little; otherwise all clients would come back at the same moment.
- **Only \`429\` and \`5xx\` are tried again.** Another \`4xx\` is the same the second time.
- **It sends GET only.** Before you repeat a \`POST\`, make sure that doing it twice does no harm.`,
  ],
  [
    about(demoQuestions.compare),
    `| | Streaming | Waiting for the whole reply |
| --- | --- | --- |
| First word | after a fraction of a second | after all of it is written |
| Time in all | the same | the same |
| Stopping halfway | yes, and what came is kept | nothing to keep |
| In code | read events, join the pieces | one JSON body |
| A connection that breaks | part of the reply is there | nothing is there |
| Fits | chats, long texts | scripts, JSON, short answers |

**In short:** stream where a person is waiting, and take the whole reply where a program is.

The reply that you are reading was streamed: the figures below it say how long its first word took.`,
  ],
];

/** The written answer to a question; undefined for any other question. */
export function knownAnswer(question: string): string | undefined {
  const asked = words(question);
  return knownAnswers.find(([pattern]) => pattern.test(asked))?.[1];
}

/** Matches a question with these words, which may go on, as in "…, in three sentences". */
function about(question: string): RegExp {
  return new RegExp(`^${words(question)}\\b`);
}

function words(text: string): string {
  return text
    .slice(0, 200)
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, ' ')
    .trim();
}
