import type * as z from 'zod';
import type { ApiFormat } from './apiFormat.ts';
import { chatCompletions } from './chatCompletions/format.ts';
import { contentGeneration } from './contentGeneration/format.ts';
import { interactions } from './interactions/format.ts';
import { messages } from './messages/format.ts';
import { responses } from './responses/format.ts';

/** The formats that a conversation can be sent in, in the order in which they are offered. */
const formats = [chatCompletions, contentGeneration, messages, responses, interactions] as const;

export type TextFormatId = (typeof formats)[number]['id'];

/** An API format, and the schema of its requests. */
export interface TextFormat extends ApiFormat {
  readonly id: TextFormatId;
  /** Loaded when it is first asked for: with its library it is larger than everything else at start-up. */
  requestSchema(): Promise<z.ZodObject>;
}

const requestSchemas: Readonly<Record<TextFormatId, TextFormat['requestSchema']>> = {
  chatCompletions: async () => (await import('./chatCompletions/request.ts')).chatCompletionsRequest,
  contentGeneration: async () => (await import('./contentGeneration/request.ts')).contentGenerationRequest,
  messages: async () => (await import('./messages/request.ts')).messagesRequest,
  responses: async () => (await import('./responses/request.ts')).responsesRequest,
  interactions: async () => (await import('./interactions/request.ts')).interactionsRequest,
};

/** All text formats, in the order in which they are offered. The first is the one that every gateway speaks. */
export const textFormats: readonly TextFormat[] = formats.map((format) => ({
  ...format,
  requestSchema: requestSchemas[format.id],
}));

/** The format that every gateway speaks. */
export const usualFormat: TextFormatId = 'chatCompletions';

export function textFormat(id: TextFormatId): TextFormat {
  const format = textFormats.find((each) => each.id === id);
  if (!format) throw new TypeError(`no text format ${id}`);
  return format;
}

/** The format of a name, also in the spelling in which older versions kept it; undefined for another name. */
export function textFormatId(name: unknown): TextFormatId | undefined {
  if (typeof name !== 'string') return undefined;
  const spelled = name.replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());
  return textFormats.find(({ id }) => id === spelled)?.id;
}
