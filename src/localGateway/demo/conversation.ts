import type { Message } from '../../wire/message.ts';
import { estimateTokens } from './tokens.ts';

/** What a demo model reads from the messages of a request. */
export interface Conversation {
  /** The last message of the user; empty without one. */
  readonly question: string;
  /** The user's earlier questions, oldest first. */
  readonly earlier: readonly string[];
  /** All system messages, joined; empty without one. */
  readonly instructions: string;
  /** Results of tools since the question; empty when a message follows them. */
  readonly results: readonly ToolResult[];
  /** Media types of the pictures in the last question. */
  readonly attachments: readonly string[];
  readonly promptTokens: number;
  /** Equal for equal conversations, whatever the format and the parameters of the request. */
  readonly fingerprint: string;
}

export interface ToolResult {
  /** Name of the tool; empty when the conversation does not tell it. */
  readonly name: string;
  readonly text: string;
}

/** The part of a prompt that a conversation is read from. */
interface PromptMessages {
  readonly model: string;
  readonly messages: readonly Message[];
}

/** Tokens that a chat template adds to each message. */
const tokensPerMessage = 4;

export function readConversation({ model, messages }: PromptMessages): Conversation {
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

/** Calls and results may alternate, or all calls may come first. */
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
