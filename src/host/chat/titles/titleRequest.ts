import { limitLength } from '../../../base/truncate.ts';
import { createTextRequest } from '../../../client/textRequest.ts';
import type { MessageRecord } from '../../../conversations/conversation/conversationRecord.ts';
import type { ConversationService } from '../../../conversations/conversationService.ts';
import { textFormat } from '../../../wire/apis/textFormats.ts';
import { readModelRules } from '../../models/modelSettings.ts';
import { type CountedTarget, countRequest } from '../session/countRequest.ts';
import { extractTitle } from './titleText.ts';

/** The maximum length of the first question in the request, and of its reply, in UTF-16 units. */
const maxInputLength = 2_000;

/** The maximum length of the reply's text, in UTF-16 units. A longer reply is aborted. */
const maxTextLength = 20_000;

/** The maximum length of the reply with its reasoning, in UTF-16 units. A longer reply is aborted. */
const maxOutputLength = 200_000;

const instruction =
  'Write a title for this conversation: at most six words, in its language. Answer with the title alone.';

/** Creates the prompt for a title; undefined for a chat without a question. */
export function createTitlePrompt(path: readonly MessageRecord[]): string | undefined {
  const [question, reply] = ['user', 'assistant'].map((role) => {
    const first = path.find((message) => message.role === role);
    return first ? limitLength(readText(first), maxInputLength) : '';
  });
  if (!question) return undefined;
  return [instruction, `Question:\n${question}`, ...(reply ? [`Reply:\n${reply}`] : [])].join('\n\n');
}

/**
 * Requests a title from a model. The cost is counted for the chat.
 *
 * @param chat the id of the chat
 * @returns undefined if the reply contains no title
 * @throws {GatewayError} if the request failed
 */
export async function requestTitle(
  conversations: ConversationService,
  chat: string,
  prompt: string,
  { connection, model, format }: CountedTarget,
): Promise<string | undefined> {
  const client = await connection.getClient();
  const messages = [{ role: 'user', parts: [{ type: 'text', text: prompt }] }] as const;
  const controller = new AbortController();
  let text = '';
  let outputLength = 0;
  const result = await client.sendFormatRequest(
    createTextRequest(textFormat(format), model, messages, {}),
    (events) => {
      for (const event of events) {
        if (event.type === 'text' && event.choice === 0) text += event.text;
        if ('text' in event) outputLength += event.text.length;
      }
      if (text.length > maxTextLength || outputLength > maxOutputLength) controller.abort();
    },
    { signal: controller.signal, thinkTags: readModelRules().thinkTags(model) },
  );
  await countRequest(conversations, chat, 'title', { connection, model, format }, result);
  if ('error' in result.outcome && result.outcome.kind === 'failed') throw result.outcome.error;
  return extractTitle(text);
}

/** Reads the text of a message, without reasoning and attachments. */
function readText({ choices: [parts = []] }: MessageRecord): string {
  return parts.flatMap((part) => (part.type === 'text' ? part.text : [])).join('\n');
}
