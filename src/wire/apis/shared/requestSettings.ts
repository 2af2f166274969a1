import type { JsonObject } from '../../../base/json.ts';
import type { CacheMark } from '../../message.ts';
import { type RequestTool, readFunctions, type ToolFunction } from './functionTools.ts';

// The settings of a request besides its conversation, with the same names for all API formats.

/** Whether tools may or must be called. */
export interface ToolChoice {
  readonly mode: 'auto' | 'none' | 'required';
  /** The only tools that may be called. */
  readonly names?: readonly string[];
}

type ResponseFormat = 'text' | 'json' | 'json_schema';

/** The settings that requests may have. Unset settings are absent. */
export interface RequestSettings {
  readonly temperature: number;
  readonly topP: number;
  readonly topK: number;
  readonly presencePenalty: number;
  readonly frequencyPenalty: number;
  readonly seed: number;
  readonly stop: readonly string[];
  /** The maximum number of output tokens, including reasoning. */
  readonly outputLimit: number;
  /** The number of replies. */
  readonly choices: number;
  /** The provider's effort word, such as `low`, or the maximum number of thinking tokens. */
  readonly reasoningEffort: string | number;
  /** Whether the reply should contain the text of the reasoning. */
  readonly thoughts: boolean;
  readonly tools: readonly RequestTool[];
  readonly toolChoice: ToolChoice;
  /** Whether several tools may be called at once. */
  readonly parallelCalls: boolean;
  readonly responseFormat: ResponseFormat;
  /** The JSON Schema of the reply, for the response format `json_schema`. */
  readonly responseSchema: JsonObject;
  /** The name of the schema, for formats that send one. */
  readonly schemaName: string;
  /** Whether the reply has to match the schema exactly. */
  readonly strictSchema: true;
  readonly verbosity: string;
  /** Whether the reply may contain pictures in addition to text. */
  readonly pictures: boolean;
  /** A cache mark for the last part of the request. */
  readonly endMark: CacheMark;
  /** The name of content that the provider stores, and that precedes the conversation. */
  readonly cachedContent: string;
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

/** The settings that users change in a form. */
export interface CommonParameters extends Partial<Pick<RequestSettings, Exclude<CommonName, 'tools'>>> {
  /** Tools in the form of any format. */
  readonly tools?: readonly JsonObject[];
}

/** The path of a field: the names of the members from the top of the request. */
export type FieldPath = readonly string[];

/** A field of a request with its value. */
export interface PlacedField {
  readonly path: FieldPath;
  readonly value: unknown;
}

/** How one format writes a common parameter. */
export interface CommonField {
  /** The JSON Schema of valid values. */
  readonly schema: JsonObject;
  /** The fields of the request that contain only this parameter. */
  readonly paths: readonly FieldPath[];
  /** The field from which the parameter can be read back; absent if that is not needed. */
  readonly readPath?: FieldPath;
  /** The fields of a request for `model`; empty if the parameter is not set, or does not fit. */
  place(parameters: CommonParameters, model: string): readonly PlacedField[];
}

/** The common parameters of a format. */
export type CommonFields = Readonly<Partial<Record<CommonName, CommonField>>>;

/** A temperature from 0 to `maximum`. */
export function createTemperatureField(path: FieldPath, maximum: number): CommonField {
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
export function createOutputLimitField(path: FieldPath): CommonField {
  return {
    schema: outputLimitSchema,
    paths: [path],
    place: ({ outputLimit }) => (outputLimit === undefined ? [] : [{ path, value: outputLimit }]),
  };
}

export const outputLimitSchema = { type: 'integer', minimum: 1 };

/** The JSON Schema of words that are not listed. */
export const otherWordSchema = { type: 'string', minLength: 1, maxLength: 64 };

/**
 * Tools as a list.
 *
 * @param isOwn whether a tool already has the form of this format
 * @param write writes functions in the form of this format
 */
export function createToolsField(
  isOwn: (tool: JsonObject) => boolean,
  write: (functions: readonly ToolFunction[]) => readonly JsonObject[],
): CommonField {
  const path = ['tools'];
  return {
    schema: { type: 'array', items: { type: 'object' }, minItems: 1 },
    paths: [path],
    place({ tools = [] }) {
      const ownTools = tools.filter(isOwn);
      const writtenTools = write(tools.filter((tool) => !isOwn(tool)).flatMap(readFunctions));
      const value = [...ownTools, ...writtenTools];
      return value.length === 0 ? [] : [{ path, value }];
    },
  };
}

/**
 * The response format.
 *
 * @param paths the fields that contain only the response format
 * @param schemaPath the field that contains the JSON Schema
 * @param write the fields for a response format; `schema` is the JSON Schema for `json_schema`, and absent for the
 * others
 * @param formats the supported response formats
 */
export function createResponseFormatFields(
  paths: readonly FieldPath[],
  schemaPath: FieldPath,
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
    // `responseFormat` writes it.
    responseSchema: { schema: { type: 'object' }, paths: [], readPath: schemaPath, place: () => [] },
  };
}

/** A valid name for a schema: its title with only valid characters, otherwise `answer`. */
export function createSchemaName({ title }: JsonObject): string {
  const name = typeof title === 'string' ? title.replaceAll(/[^\w-]+/g, '_').slice(0, 64) : '';
  return name === '' ? 'answer' : name;
}

/** The effort as a word. A budget in tokens becomes a word. */
export function toEffortWord(effort: string | number): string {
  if (typeof effort === 'string') return effort;
  if (effort < 4096) return 'low';
  return effort < 16_384 ? 'medium' : 'high';
}

const plainEfforts: ReadonlyMap<string, string> = new Map([
  ['minimal', 'low'],
  ['xhigh', 'high'],
  ['max', 'high'],
]);

/** The nearest of the words low, medium and high, which most models accept. Other words are not changed. */
export function toPlainEffort(word: string): string {
  return plainEfforts.get(word) ?? word;
}
