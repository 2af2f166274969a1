import { isObject, type JsonObject, nonEmptyString } from '../../../base/json.ts';
import type { RequestTool } from '../../../wire/apis/shared/functionTools.ts';
import type { RequestSettings } from '../../../wire/apis/shared/requestSettings.ts';
import { effortOption, modelDefault, verbosityOption } from './list/modelOptions.ts';
import type { UnpublishedOptions } from './list/unpublishedFields.ts';
import { sentToolName } from './toolNames.ts';

/** The options of VS Code, or of another extension, in addition to the messages. */
export interface VsCodeOptions extends Pick<UnpublishedOptions, 'modelConfiguration'> {
  readonly modelOptions?: Readonly<Record<string, unknown>> | undefined;
  readonly tools?: readonly VsCodeTool[] | undefined;
  readonly toolMode?: number;
}

export interface VsCodeTool {
  readonly name: string;
  readonly description?: string;
  readonly inputSchema?: object | undefined;
}

/** `LanguageModelChatToolMode.Required`: the model has to call a tool. */
const requiredMode = 2;

type Reader<Name extends keyof RequestSettings> = (value: unknown) => RequestSettings[Name] | undefined;

/** The supported options, each with its reader and its names in extensions. */
const readers: { readonly [Name in keyof RequestSettings]?: readonly [Reader<Name>, ...string[]] } = {
  temperature: [numberReader(0, 2), 'temperature'],
  topP: [numberReader(0, 1), 'top_p', 'topP'],
  topK: [integerReader(1), 'top_k', 'topK'],
  presencePenalty: [numberReader(-2, 2), 'presence_penalty', 'presencePenalty'],
  frequencyPenalty: [numberReader(-2, 2), 'frequency_penalty', 'frequencyPenalty'],
  seed: [integerReader(0), 'seed'],
  stop: [readTexts, 'stop', 'stop_sequences', 'stopSequences'],
  outputLimit: [
    integerReader(1),
    'max_tokens',
    'max_completion_tokens',
    'max_output_tokens',
    'maxTokens',
    'maxOutputTokens',
  ],
  reasoningEffort: [readWord, 'reasoning_effort', effortOption],
  parallelCalls: [readFlag, 'parallel_tool_calls', 'parallelToolCalls'],
  verbosity: [readWord, 'verbosity'],
};

/** Reads the settings of a request. Unknown options and options of the wrong type are dropped. */
export function readRequestSettings({
  modelOptions = {},
  modelConfiguration,
  tools = [],
  toolMode,
}: VsCodeOptions): Partial<RequestSettings> {
  const chosen = isObject(modelConfiguration) ? modelConfiguration : {};
  const [reasoningEffort, verbosity] = [effortOption, verbosityOption].map((name) => readWord(chosen[name]));
  const settings = Object.entries(readers).flatMap(([name, [read, ...names]]) => {
    const values = names
      .filter((each) => Object.hasOwn(modelOptions, each))
      .map((each) => read(modelOptions[each]));
    const value = values.find((each) => each !== undefined);
    return value === undefined ? [] : [[name, value] as const];
  });
  return {
    ...Object.fromEntries(settings),
    ...(readResponseFormat(modelOptions.response_format) ?? readResponseFormat(modelOptions.responseFormat)),
    ...(reasoningEffort !== undefined && { reasoningEffort }),
    ...(verbosity !== undefined && { verbosity }),
    // In VS Code's order, because providers cache the beginning of a request.
    ...(tools.length > 0 && { tools: tools.map(requestTool) }),
    ...(tools.length > 0 && toolMode === requiredMode && { toolChoice: { mode: 'required' } }),
  };
}

/** The tool, with the schema of an object with properties. Providers require it even for a tool without input. */
function requestTool({ name, description, inputSchema }: VsCodeTool): RequestTool {
  const { $schema: _, ...schema } = (inputSchema ?? {}) as JsonObject;
  return {
    name: sentToolName(name),
    ...(description && { description: description.toWellFormed() }),
    parameters: { properties: {}, ...schema, type: 'object' },
  };
}

function numberReader(minimum: number, maximum: number) {
  return (value: unknown) =>
    typeof value === 'number' && value >= minimum && value <= maximum ? value : undefined;
}

function integerReader(minimum: number) {
  return (value: unknown) =>
    Number.isSafeInteger(value) && (value as number) >= minimum ? (value as number) : undefined;
}

function readWord(value: unknown): string | undefined {
  const text = nonEmptyString(value);
  return text !== undefined && text !== modelDefault && /^[\w.-]{1,64}$/.test(text) ? text : undefined;
}

function readFlag(value: unknown): boolean | undefined {
  return typeof value === 'boolean' ? value : undefined;
}

function readTexts(value: unknown): readonly string[] | undefined {
  const list = [value].flat().filter((each): each is string => typeof each === 'string' && each !== '');
  return list.length > 0 ? list : undefined;
}

function readResponseFormat(value: unknown): Partial<RequestSettings> | undefined {
  if (!isObject(value)) return undefined;
  if (value.type === 'json_object') return { responseFormat: 'json' };
  const jsonSchema = isObject(value.json_schema) ? value.json_schema : {};
  const name = nonEmptyString(jsonSchema.name);
  if (value.type !== 'json_schema' || !isObject(jsonSchema.schema)) return undefined;
  return {
    responseFormat: 'json_schema',
    responseSchema: jsonSchema.schema,
    ...(name !== undefined && { schemaName: name }),
  };
}
