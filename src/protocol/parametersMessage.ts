/** The parameters of a chat on its page: the sheet, the system prompt, and the resulting request. */
import * as z from 'zod';
import { draftText } from './messageBox.ts';
import { type ParameterValues, parameterValues } from './pageMessage.ts';
import { commonName, type DefaultState, parametersAction, systemPrompt } from './parameters.ts';

/** The content of the parameters sheet. */
export interface ParametersView {
  /** JSON Schema of the common parameters that the format supports. */
  readonly commonSchema: object;
  /** The common parameters that are set, including those that the format does not support. */
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
