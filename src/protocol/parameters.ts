/**
 * The parameters of a chat, as the page and the saved presets contain them. The host validates both by these
 * schemas.
 */
import * as z from 'zod';
import { jsonText } from '../base/json.ts';
import type { CommonName, CommonParameters } from '../wire/apis/shared/requestSettings.ts';
import { draftText } from './messageBox.ts';
import { type ParameterValues, parameterValues } from './pageMessage.ts';

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
const parametersAction = z.enum([
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

/** The content of the parameters sheet, next to the chat. */
export interface ParametersView {
  /** JSON Schema of the common parameters that the format supports. */
  readonly commonSchema: object;
  /** The common parameters that are set, including parameters that the format does not support. */
  readonly common: ParameterValues;
  /** JSON Schema of all other fields of the format's request. */
  readonly schema: object;
  readonly values: ParameterValues;
  /** Names of set common parameters that the format does not support. */
  readonly unused: readonly string[];
  readonly model: string | undefined;
  /** The name of the API format. */
  readonly format: string;
}

/** How the parameters of a chat differ from its model's defaults, and how often they changed. */
export interface ParametersState {
  readonly defaults: DefaultState;
  /** Whether a reset can be undone. */
  readonly wasReset: boolean;
  /** Grows with each change of the parameters. */
  readonly changes: number;
  /** Grows with each change outside the sheet: an open sheet then requests the parameters again. */
  readonly externalChanges: number;
}

/** The index of a model in the list of models that receive the next question. */
const modelIndex = z.int().min(0).max(63);

export const parametersMessages = [
  z.strictObject({ type: z.literal('open-parameters') }),
  /** Sets the fields of the format that are not common parameters. */
  z.strictObject({ type: z.literal('set-parameters'), values: parameterValues }),
  /** Sets a common parameter from the sheet; an absent value removes it. */
  z.strictObject({
    type: z.literal('set-common-parameter'),
    name: z.union([commonName, z.literal('systemPrompt')]),
    value: z.unknown().optional(),
  }),
  /** Sets the system prompt from the box above the conversation. */
  z.strictObject({ type: z.literal('set-system-prompt'), text: systemPrompt }),
  z.strictObject({ type: z.literal('parameters-action'), action: parametersAction }),
  /** Requests a preview of the request that would be sent. The text is in the message box. */
  z.strictObject({ type: z.literal('preview-request'), text: draftText, nth: modelIndex }),
  z.strictObject({ type: z.literal('copy-request'), text: draftText, nth: modelIndex }),
] as const;

export type ParametersMessage = Readonly<z.infer<(typeof parametersMessages)[number]>>;

function isShort(value: object): boolean {
  return (jsonText(value)?.length ?? Number.POSITIVE_INFINITY) <= maxValueLength;
}
