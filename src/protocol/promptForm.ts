/** The form of a prompt file. The user fills in the inputs, then the prompt fills the message box. */
import * as z from 'zod';
import { id, text } from './pageMessage.ts';

export interface PromptField {
  readonly name: string;
  /** The value of an empty field. A field without a fallback is required. */
  readonly fallback?: string;
  /** The initial value: the value of the last run. */
  readonly value: string;
}

export interface PromptFormView {
  readonly id: string;
  readonly title: string;
  readonly description: string;
  readonly fields: readonly PromptField[];
}

const values = z.record(z.string().max(1000), text);

/** Fills the message box with the prompt. */
const fillPrompt = z.strictObject({ type: z.literal('fill-prompt'), id, values });

const closePrompt = z.strictObject({ type: z.literal('close-prompt'), id });

export const promptFormMessages = [fillPrompt, closePrompt] as const;

export type PromptFormMessage = Readonly<z.infer<typeof fillPrompt> | z.infer<typeof closePrompt>>;
