import type { ChatCompletionsRequest } from '../../wire/shapes/chatCompletions.ts';
import { estimateTokens } from './tokens.ts';

type Message = ChatCompletionsRequest['messages'][number];

/** What a demo model understands of a request. */
export interface Conversation {
  /** The last thing the user said; empty when the user said nothing. */
  readonly question: string;
  /** The user's earlier questions, oldest first. */
  readonly earlier: readonly string[];
  /** System and developer messages joined; empty when there are none. */
  readonly instructions: string;
  /** Kinds of the parts beside text in the last question, such as image_url. */
  readonly attachments: readonly string[];
  readonly promptTokens: number;
  /** The same for the same conversation, whatever else the request holds. */
  readonly fingerprint: string;
}

/** What a chat template adds to each message, in tokens. */
const tokensPerMessage = 4;

export function readConversation({ model, messages }: ChatCompletionsRequest): Conversation {
  const said = messages.filter(({ role }) => role === 'user');
  const questions = said.map(textOf);
  const instructions = messages.filter(({ role }) => role === 'system' || role === 'developer').map(textOf);
  const texts = messages.map(textOf);
  return {
    question: questions.at(-1) ?? '',
    earlier: questions.slice(0, -1),
    instructions: instructions.join('\n'),
    attachments: attachmentsOf(said.at(-1)),
    promptTokens: texts.reduce((sum, text) => sum + tokensPerMessage + estimateTokens(text), 0),
    fingerprint: JSON.stringify([model, ...texts]),
  };
}

function textOf({ content }: Message): string {
  if (!Array.isArray(content)) return (content ?? '').trim();
  return content
    .flatMap(({ text }) => text ?? [])
    .join('\n')
    .trim();
}

function attachmentsOf(message: Message | undefined): readonly string[] {
  if (!Array.isArray(message?.content)) return [];
  return message.content.flatMap(({ type }) => (type === 'text' ? [] : type));
}
