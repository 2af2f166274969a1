/** The form of a prompt file whose inputs the user writes before it fills the message box. */
import * as z from 'zod';
import { id, text } from './pageMessage.ts';

export interface PromptField {
  readonly name: string;
  /** What it stands for where nothing is written; one without has to be written. */
  readonly fallback?: string;
  /** What stands in it at first: that of the last run. */
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
