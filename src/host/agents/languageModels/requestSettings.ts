import { isObject, type JsonObject, nonEmptyString } from '../../../base/json.ts';
import type { RequestTool } from '../../../wire/apis/shared/functionTools.ts';
import type { RequestSettings } from '../../../wire/apis/shared/requestSettings.ts';
import { effortOption, ownChoice, verbosityOption } from './list/modelOptions.ts';
import { sentToolName } from './toolNames.ts';

/** The options of VS Code, or of another extension, in addition to the messages. */
export interface VsCodeOptions {
  readonly modelOptions?: Readonly<Record<string, unknown>> | undefined;
  /** The user's choices for the model in VS Code's picker; not in the typings. */
  readonly modelConfiguration?: unknown;
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

/** The options that are sent, with the names that extensions use. All others are dropped. */
const readers: { readonly [Name in keyof RequestSettings]?: readonly [Reader<Name>, ...string[]] } = {
  temperature: [numberIn(0, 2), 'temperature'],
  topP: [numberIn(0, 1), 'top_p', 'topP'],
  topK: [integerFrom(1), 'top_k', 'topK'],
  presencePenalty: [numberIn(-2, 2), 'presence_penalty', 'presencePenalty'],
  frequencyPenalty: [numberIn(-2, 2), 'frequency_penalty', 'frequencyPenalty'],
  seed: [integerFrom(0), 'seed'],
  stop: [texts, 'stop', 'stop_sequences', 'stopSequences'],
  outputLimit: [
    integerFrom(1),
    ...['max_tokens', 'max_completion_tokens', 'max_output_tokens', 'maxTokens', 'maxOutputTokens'],
  ],
  reasoningEffort: [word, 'reasoning_effort', effortOption],
  parallelCalls: [flag, 'parallel_tool_calls', 'parallelToolCalls'],
  verbosity: [word, 'verbosity'],
};

/** The settings of a request. Unknown options and options of the wrong type are dropped. */
export function settingsOf({
  modelOptions = {},
  modelConfiguration,
  tools = [],
  toolMode,
}: VsCodeOptions): Partial<RequestSettings> {
  const chosen = isObject(modelConfiguration) ? modelConfiguration : {};
  const [reasoningEffort, verbosity] = [effortOption, verbosityOption].map((name) => word(chosen[name]));
  const settings = Object.entries(readers).flatMap(([name, [read, ...names]]) => {
    const values = names
      .filter((each) => Object.hasOwn(modelOptions, each))
      .map((each) => read(modelOptions[each]));
    const value = values.find((each) => each !== undefined);
    return value === undefined ? [] : [[name, value] as const];
  });
  return {
    ...Object.fromEntries(settings),
    ...(formatOf(modelOptions.response_format) ?? formatOf(modelOptions.responseFormat)),
    ...(reasoningEffort !== undefined && { reasoningEffort }),
    ...(verbosity !== undefined && { verbosity }),
    // In the order of VS Code, which sorts them for the caches of providers: its own first.
    ...(tools.length > 0 && { tools: tools.map(requestTool) }),
    ...(tools.length > 0 && toolMode === requiredMode && { toolChoice: { mode: 'required' } }),
  };
}

/** Providers require an object with properties, even if a tool has no input. */
function requestTool({ name, description, inputSchema }: VsCodeTool): RequestTool {
  const { $schema: _, ...schema } = (inputSchema ?? {}) as JsonObject;
  return {
    name: sentToolName(name),
    ...(description && { description: description.toWellFormed() }),
    parameters: { properties: {}, ...schema, type: 'object' },
  };
}

function numberIn(minimum: number, maximum: number) {
  return (value: unknown) =>
    typeof value === 'number' && value >= minimum && value <= maximum ? value : undefined;
}

function integerFrom(minimum: number) {
  return (value: unknown) =>
    Number.isSafeInteger(value) && (value as number) >= minimum ? (value as number) : undefined;
}

function word(value: unknown): string | undefined {
  const text = nonEmptyString(value);
  return text !== undefined && text !== ownChoice && /^[\w.-]{1,64}$/.test(text) ? text : undefined;
}

function flag(value: unknown): boolean | undefined {
  return typeof value === 'boolean' ? value : undefined;
}

function texts(value: unknown): readonly string[] | undefined {
  const list = [value].flat().filter((each): each is string => typeof each === 'string' && each !== '');
  return list.length > 0 ? list : undefined;
}

function formatOf(value: unknown): Partial<RequestSettings> | undefined {
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
