import type { JsonObject } from '../../../base/json.ts';
import { functionOf, type RequestTool, type ToolFunction } from './functionTools.ts';

// The settings of a request besides its conversation, by the same names in every API format.

/** Whether tools may or must be called. */
export interface ToolChoice {
  readonly mode: 'auto' | 'none' | 'required';
  /** The only tools that may be called. */
  readonly names?: readonly string[];
}

export type ResponseFormat = 'text' | 'json' | 'json_schema';

/** The settings that requests may have. A setting that is not set is absent. */
export interface RequestSettings {
  readonly temperature: number;
  readonly topP: number;
  readonly topK: number;
  readonly presencePenalty: number;
  readonly frequencyPenalty: number;
  readonly seed: number;
  readonly stop: readonly string[];
  /** The most tokens to write, reasoning included. */
  readonly outputLimit: number;
  /** How many answers to write. */
  readonly choices: number;
  /** A word of the provider's, such as `low`, or the most tokens to think. */
  readonly reasoningEffort: string | number;
  /** Whether the text of the reasoning is wanted in the reply. */
  readonly thoughts: boolean;
  readonly tools: readonly RequestTool[];
  readonly toolChoice: ToolChoice;
  /** Whether several tools may be called at once. */
  readonly parallelCalls: boolean;
  readonly responseFormat: ResponseFormat;
  /** The JSON Schema of the answer, for the response format `json_schema`. */
  readonly responseSchema: JsonObject;
  /** The name of the schema, for formats that send one. */
  readonly schemaName: string;
  /** Whether the answer has to match the schema exactly. */
  readonly strictSchema: true;
  readonly verbosity: string;
  /** Whether pictures are wanted besides text. */
  readonly pictures: boolean;
}

export type SettingName = keyof RequestSettings;

/** The settings in a form of parameters, in its order. */
export const commonNames = [
  'temperature',
  'outputLimit',
  'reasoningEffort',
  'tools',
  'responseFormat',
  'responseSchema',
] as const satisfies readonly SettingName[];

export type CommonName = (typeof commonNames)[number];

/** The settings that people change in a form. */
export interface CommonParameters extends Partial<Pick<RequestSettings, Exclude<CommonName, 'tools'>>> {
  /** Tools in the form of any format. */
  readonly tools?: readonly JsonObject[];
}

/** The names from the top of a request to one of its fields. */
export type FieldPath = readonly string[];

/** A field of a request with its value. */
export interface PlacedField {
  readonly path: FieldPath;
  readonly value: unknown;
}

/** How one format takes a common parameter. */
export interface CommonField {
  /** JSON Schema of the values that it takes. */
  readonly schema: JsonObject;
  /** The fields of the request that hold the parameter and nothing else. */
  readonly paths: readonly FieldPath[];
  /** Where a request holds it, for one that is read back; absent where that is not needed. */
  readonly heldAt?: FieldPath;
  /** The fields of a request for `model`; none where the parameter is not set, or does not fit. */
  place(parameters: CommonParameters, model: string): readonly PlacedField[];
}

/** The common parameters that a format has. */
export type CommonFields = Readonly<Partial<Record<CommonName, CommonField>>>;

/** A temperature from 0 to `maximum`. */
export function temperatureAt(path: FieldPath, maximum: number): CommonField {
  return {
    schema: { type: 'number', minimum: 0, maximum },
    paths: [path],
    place: ({ temperature }) =>
      temperature !== undefined && temperature >= 0 && temperature <= maximum
        ? [{ path, value: temperature }]
        : [],
  };
}

/** A limit in tokens. */
export function outputLimitAt(path: FieldPath): CommonField {
  return {
    schema: outputLimitSchema,
    paths: [path],
    place: ({ outputLimit }) => (outputLimit === undefined ? [] : [{ path, value: outputLimit }]),
  };
}

export const outputLimitSchema = { type: 'integer', minimum: 1 };

/** A word that is none of the usual ones. */
export const otherWord = { type: 'string', minLength: 1, maxLength: 64 };

/**
 * Tools as a list.
 *
 * @param isOwn whether a tool is written as this format takes it
 * @param write writes functions in the form of this format
 */
export function toolsAt(
  isOwn: (tool: JsonObject) => boolean,
  write: (functions: readonly ToolFunction[]) => readonly JsonObject[],
): CommonField {
  const path = ['tools'];
  return {
    schema: { type: 'array', items: { type: 'object' }, minItems: 1 },
    paths: [path],
    place({ tools = [] }) {
      const own = tools.filter(isOwn);
      const written = write(tools.filter((tool) => !isOwn(tool)).flatMap(functionOf));
      const value = [...own, ...written];
      return value.length === 0 ? [] : [{ path, value }];
    },
  };
}

/**
 * The form of the answer.
 *
 * @param paths the fields that hold it and nothing else
 * @param schemaAt the field that holds the JSON Schema
 * @param write the fields for a form; `schema` is the JSON Schema for `json_schema`, and absent for the others
 * @param formats those that the API format knows
 */
export function responseFormatAt(
  paths: readonly FieldPath[],
  schemaAt: FieldPath,
  write: (format: ResponseFormat, schema: JsonObject | undefined) => readonly PlacedField[],
  formats: readonly ResponseFormat[] = ['text', 'json', 'json_schema'],
): Required<Pick<CommonFields, 'responseFormat' | 'responseSchema'>> {
  return {
    responseFormat: {
      schema: { type: 'string', enum: formats },
      paths,
      place({ responseFormat, responseSchema }) {
        if (responseFormat === undefined || !formats.includes(responseFormat)) return [];
        if (responseFormat !== 'json_schema') return write(responseFormat, undefined);
        return responseSchema === undefined ? [] : write(responseFormat, responseSchema);
      },
    },
    // It goes along with the form that it belongs to.
    responseSchema: { schema: { type: 'object' }, paths: [], heldAt: schemaAt, place: () => [] },
  };
}

/** The name of a schema, as providers take one: from its title, else `answer`. */
export function schemaName({ title }: JsonObject): string {
  const name = typeof title === 'string' ? title.replaceAll(/[^\w-]+/g, '_').slice(0, 64) : '';
  return name === '' ? 'answer' : name;
}

/** How much to think in a word, also for a budget in tokens. */
export function effortWord(effort: string | number): string {
  if (typeof effort === 'string') return effort;
  if (effort < 4096) return 'low';
  return effort < 16_384 ? 'medium' : 'high';
}

const near: Readonly<Record<string, string>> = { minimal: 'low', xhigh: 'high', max: 'high' };

/** The nearest of the words low, medium and high, which most models know; another word stays as it is. */
export function plainEffort(word: string): string {
  return (Object.hasOwn(near, word) ? near[word] : undefined) ?? word;
}
