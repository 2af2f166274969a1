import { chatCompletionsForm } from './chatCompletions/writeRequest.ts';
import { contentGenerationForm } from './contentGeneration/writeRequest.ts';
import { interactionsForm } from './interactions/writeRequest.ts';
import { messagesForm } from './messages/writeRequest.ts';
import { responsesForm } from './responses/writeRequest.ts';
import type { RequestForm } from './shared/requestForm.ts';
import type { TextFormatId } from './textFormats.ts';

/** How each API format writes requests for conversations that another program stores. */
export const requestForms: Readonly<Record<TextFormatId, RequestForm>> = {
  chatCompletions: chatCompletionsForm,
  contentGeneration: contentGenerationForm,
  messages: messagesForm,
  responses: responsesForm,
  interactions: interactionsForm,
};
