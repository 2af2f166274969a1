import { chatCompletionsForm } from './chatCompletions/form.ts';
import { contentGenerationForm } from './contentGeneration/form.ts';
import { interactionsForm } from './interactions/form.ts';
import { messagesForm } from './messages/form.ts';
import type { RequestForm } from './requestForm.ts';
import { responsesForm } from './responses/form.ts';
import type { TextFormatId } from './textFormats.ts';

/** How each API format asks, for conversations that another program holds. */
export const requestForms: Readonly<Record<TextFormatId, RequestForm>> = {
  chatCompletions: chatCompletionsForm,
  contentGeneration: contentGenerationForm,
  messages: messagesForm,
  responses: responsesForm,
  interactions: interactionsForm,
};
