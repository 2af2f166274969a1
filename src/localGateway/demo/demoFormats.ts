import type { TextFormatId } from '../../wire/apis/textFormats.ts';
import { chatCompletionsDemo } from './formats/chatCompletions.ts';
import { contentGenerationDemo } from './formats/contentGeneration.ts';
import type { DemoFormat } from './formats/demoFormat.ts';
import { interactionsDemo } from './formats/interactions.ts';
import { messagesDemo } from './formats/messages.ts';
import { responsesDemo } from './formats/responses.ts';

/** The API formats that the demo serves. */
export const demoFormats: ReadonlyMap<TextFormatId, DemoFormat> = new Map<TextFormatId, DemoFormat>([
  ['chatCompletions', chatCompletionsDemo],
  ['contentGeneration', contentGenerationDemo],
  ['interactions', interactionsDemo],
  ['messages', messagesDemo],
  ['responses', responsesDemo],
]);
