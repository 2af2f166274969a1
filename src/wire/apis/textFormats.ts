import type * as z from 'zod';
import { chatCompletions } from './chatCompletions/format.ts';
import { chatCompletionsForm } from './chatCompletions/writeRequest.ts';
import { contentGeneration } from './contentGeneration/format.ts';
import { contentGenerationForm } from './contentGeneration/writeRequest.ts';
import { interactions } from './interactions/format.ts';
import { interactionsForm } from './interactions/writeRequest.ts';
import { messages } from './messages/format.ts';
import { messagesForm } from './messages/writeRequest.ts';
import { responses } from './responses/format.ts';
import { responsesForm } from './responses/writeRequest.ts';
import type { ApiFormat } from './shared/apiFormat.ts';
import type { RequestForm } from './shared/requestForm.ts';

const formats = [chatCompletions, contentGeneration, messages, responses, interactions] as const;

export type TextFormatId = (typeof formats)[number]['id'];

/** An API format with the schema of its requests. */
export interface TextFormat extends ApiFormat {
  readonly id: TextFormatId;
  /** Loads the schema. The schema and its library are larger than everything else that is loaded at start-up. */
  requestSchema(): Promise<z.ZodObject>;
}

const requestSchemas: Readonly<Record<TextFormatId, TextFormat['requestSchema']>> = {
  chatCompletions: async () => (await import('./chatCompletions/schema.ts')).chatCompletionsRequest,
  contentGeneration: async () => (await import('./contentGeneration/schema.ts')).contentGenerationRequest,
  messages: async () => (await import('./messages/schema.ts')).messagesRequest,
  responses: async () => (await import('./responses/schema.ts')).responsesRequest,
  interactions: async () => (await import('./interactions/schema.ts')).interactionsRequest,
};

/** All formats for conversations, in the order of the picker. */
export const textFormats: readonly TextFormat[] = formats.map((format) => ({
  ...format,
  requestSchema: requestSchemas[format.id],
}));

/** The format that every gateway serves. */
export const defaultFormat: TextFormatId = 'chatCompletions';

export function textFormat(id: TextFormatId): TextFormat {
  const format = textFormats.find((each) => each.id === id);
  if (!format) throw new TypeError(`no text format ${id}`);
  return format;
}

/**
 * Reads the id of a format from any value.
 *
 * @returns undefined if there is no such format
 */
export function readTextFormatId(name: unknown): TextFormatId | undefined {
  return textFormats.find(({ id }) => id === name)?.id;
}

/** How each API format writes requests for conversations that another program stores. */
export const requestForms: Readonly<Record<TextFormatId, RequestForm>> = {
  chatCompletions: chatCompletionsForm,
  contentGeneration: contentGenerationForm,
  messages: messagesForm,
  responses: responsesForm,
  interactions: interactionsForm,
};
