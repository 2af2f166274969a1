import { startOf } from '../../../base/truncate.ts';
import { textRequest } from '../../../client/textRequest.ts';
import type { MessageRecord } from '../../../conversations/conversation/record.ts';
import type { ConversationService } from '../../../conversations/conversationService.ts';
import { textFormat } from '../../../wire/apis/textFormats.ts';
import { type Asked, countRequest } from '../asking/countRequest.ts';
import { titleFrom } from './titleText.ts';

/** How much of the first question and its reply goes along, in UTF-16 units each. */
const maxToldLength = 2_000;
/** A model that writes, or thinks, on and on makes no title, in UTF-16 units. */
const maxWrittenLength = 20_000;
const maxHeardLength = 200_000;
const instruction =
  'Write a title for this conversation: at most six words, in its language. Answer with the title alone.';

/** What a title is made of; undefined for a chat without a question. */
export function titlePrompt(path: readonly MessageRecord[]): string | undefined {
  const [question, reply] = ['user', 'assistant'].map((role) => {
    const first = path.find((message) => message.role === role);
    return first ? startOf(spoken(first), maxToldLength) : '';
  });
  if (!question) return undefined;
  return [instruction, `Question:\n${question}`, ...(reply ? [`Reply:\n${reply}`] : [])].join('\n\n');
}

/**
 * Asks a model for a title, once. What it cost is counted with the chat.
 *
 * @returns undefined when it wrote none
 * @throws {GatewayError} when the request failed
 */
export async function askForTitle(
  conversations: ConversationService,
  chat: string,
  prompt: string,
  { connection, model, format }: Asked,
): Promise<string | undefined> {
  const client = await connection.client();
  const messages = [{ role: 'user', parts: [{ type: 'text', text: prompt }] }] as const;
  const ending = new AbortController();
  let written = '';
  let heard = 0;
  const result = await client.ask(
    textRequest(textFormat(format), model, messages, {}),
    (events) => {
      for (const event of events) {
        if (event.type === 'text' && event.choice === 0) written += event.text;
        if ('text' in event) heard += event.text.length;
      }
      if (written.length > maxWrittenLength || heard > maxHeardLength) ending.abort();
    },
    { signal: ending.signal },
  );
  await countRequest(conversations, chat, 'title', { connection, model, format }, result);
  if ('error' in result.outcome && result.outcome.kind === 'failed') throw result.outcome.error;
  return titleFrom(written);
}

function spoken({ choices: [parts = []] }: MessageRecord): string {
  return parts.flatMap((part) => (part.type === 'text' ? part.text : [])).join('\n');
}
