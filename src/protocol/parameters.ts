/**
 * The parameters of a chat, as the page and the saved presets contain them. The host validates both by these
 * schemas.
 */
import * as z from 'zod';
import { jsonText } from '../base/json.ts';
import type { CommonName, CommonParameters } from '../wire/apis/shared/requestSettings.ts';

/** The longest value of one common parameter as JSON, in UTF-16 units. */
const maxValueLength = 1024 * 1024;

const jsonObject = z.record(z.string(), z.unknown());

/** The schema of each common parameter's value. */
export const commonValues = {
  // The widest range of all formats.
  temperature: z.number().min(0).max(2),
  outputLimit: z.int().min(1),
  reasoningEffort: z.union([z.string().min(1).max(64), z.int().min(-1)]),
  tools: z.array(jsonObject).min(1).refine(isShort),
  responseFormat: z.enum(['text', 'json', 'json_schema']),
  responseSchema: jsonObject.refine(isShort),
} satisfies { readonly [Name in CommonName]-?: z.ZodType<CommonParameters[Name]> };

export const commonName = z.enum(Object.keys(commonValues) as CommonName[]);

export const systemPrompt = z.string().max(maxValueLength);

/** The actions of the buttons of the parameters sheet. */
export const parametersAction = z.enum([
  'reset',
  'undo-reset',
  'save-default',
  'remove-default',
  'presets',
  'edit-schema',
]);

export type ParametersAction = z.infer<typeof parametersAction>;

/** Whether the parameters of a chat equal the default of its model. */
export type DefaultState = 'none' | 'same' | 'other';

/** The system prompt of a chat as the page shows it. */
export interface SystemPromptView {
  readonly text: string;
  /** Whether the questions so far were sent with another system prompt. */
  readonly isNew: boolean;
}

function isShort(value: object): boolean {
  return (jsonText(value)?.length ?? Number.POSITIVE_INFINITY) <= maxValueLength;
}
