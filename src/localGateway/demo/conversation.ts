import type { Message } from '../../wire/message.ts';
import type { Prompt } from './prompt.ts';
import { estimateTokens } from './tokens.ts';

/** What a demo model understands of a request. */
export interface Conversation {
  /** The last thing the user said; empty when the user said nothing. */
  readonly question: string;
  /** The user's earlier questions, oldest first. */
  readonly earlier: readonly string[];
  /** System messages joined; empty when there are none. */
  readonly instructions: string;
  /** What tools returned since the question; nothing where something was said after that. */
  readonly results: readonly ToolResult[];
  /** Kinds of the pictures in the last question, such as image/png. */
  readonly attachments: readonly string[];
  readonly promptTokens: number;
  /** The same for the same conversation, whatever the shape of the request and whatever else it holds. */
  readonly fingerprint: string;
}

export interface ToolResult {
  /** Name of the tool; empty where the conversation does not tell. */
  readonly name: string;
  readonly text: string;
}

/** What a chat template adds to each message, in tokens. */
const tokensPerMessage = 4;

export function readConversation({ model, messages }: Pick<Prompt, 'model' | 'messages'>): Conversation {
  const said = messages.filter(({ role, parts }) => role === 'user' && !parts.every(isToolResult));
  const questions = said.map(textOf);
  const texts = messages.map(textOf);
  return {
    question: questions.at(-1) ?? '',
    earlier: questions.slice(0, -1),
    results: resultsOf(messages),
    instructions: messages
      .filter(({ role }) => role === 'system')
      .map(textOf)
      .join('\n'),
    attachments: (said.at(-1)?.parts ?? []).flatMap((part) => (part.type === 'image' ? part.mimeType : [])),
    promptTokens: texts.reduce((sum, text) => sum + tokensPerMessage + estimateTokens(text), 0),
    fingerprint: JSON.stringify([model, ...texts]),
  };
}

/** Calls and their results may come one after the other, or all calls first. */
function resultsOf(messages: readonly Message[]): readonly ToolResult[] {
  if (messages.at(-1)?.role !== 'user') return [];
  const asked = messages.findLastIndex(({ role, parts }) => role === 'user' && !parts.every(isToolResult));
  return messages
    .slice(asked + 1)
    .flatMap(({ parts }) => parts)
    .flatMap((part) => (part.type === 'toolResult' ? { name: part.name, text: part.text } : []));
}

function textOf({ parts }: Message): string {
  return parts
    .flatMap((part) => (part.type === 'text' || part.type === 'toolResult' ? part.text : []))
    .join('\n')
    .trim();
}

function isToolResult({ type }: Message['parts'][number]): boolean {
  return type === 'toolResult';
}
