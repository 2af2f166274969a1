import { isObject, type JsonObject, nonEmptyString } from '../../../base/json.ts';
import { shortHash } from '../../../base/shortHash.ts';

/** A function that a model may call, independent of formats. */
export type ToolFunction = {
  readonly name: string;
  readonly description?: string;
  /** JSON Schema of its arguments. */
  readonly parameters?: JsonObject;
};

/** A function that a request offers. */
export type RequestTool = ToolFunction & {
  /** Whether the arguments have to match the schema exactly. */
  readonly strict?: boolean;
};

/** The functions in a tool of any format, or in a `ToolFunction`. A tool that the provider runs itself holds none. */
export function functionOf(tool: JsonObject): readonly ToolFunction[] {
  const declared = declarationsIn(tool);
  if (declared.length > 0) return declared.flatMap((each) => toolFunction(each, argumentsOf(each)));
  if (isObject(tool.function)) return toolFunction(tool.function, tool.function.parameters);
  if (isFlatFunction(tool) || isPlainFunction(tool)) return toolFunction(tool, tool.parameters);
  return isMessagesTool(tool) ? toolFunction(tool, tool.input_schema) : [];
}

/** Whether a tool is written as chat completions take it: its function in a member of that name. */
export function isNestedFunction({ function: inner }: JsonObject): boolean {
  return isObject(inner);
}

/** Whether a tool is written as responses and interactions take it: a function with its members beside. */
export function isFlatFunction({ type, function: inner }: JsonObject): boolean {
  return type === 'function' && !isObject(inner);
}

function isPlainFunction({ type, input_schema: schema }: JsonObject): boolean {
  return type === undefined && schema === undefined;
}

/** Whether a tool is written as messages take it. */
export function isMessagesTool({ input_schema: schema, name }: JsonObject): boolean {
  return isObject(schema) && typeof name === 'string';
}

/** The functions of a tool as content generation takes it. */
export function declarationsIn({ functionDeclarations: list }: JsonObject): readonly JsonObject[] {
  return Array.isArray(list) ? list.filter(isObject) : [];
}

/** Whether a tool is none that another format would write as a function. */
export function isProvidersOwn(tool: JsonObject): boolean {
  return functionOf(tool).length === 0;
}

/** The schema of a function without arguments, also for a strict one. */
const noArguments = { type: 'object', properties: {}, required: [], additionalProperties: false };

/** The schema of the arguments as OpenAI requires it, which refuses one without a type or without properties. */
export function objectSchema(schema: JsonObject = noArguments): JsonObject {
  return isObject(schema.properties) ? withObjectType(schema) : { ...withObjectType(schema), properties: {} };
}

/** The function with such a schema, if it has one. */
export function withSchema<Function extends ToolFunction>(tool: Function): Function {
  return tool.parameters === undefined ? tool : { ...tool, parameters: objectSchema(tool.parameters) };
}

/** The schema of the arguments, which are an object also where it has no type, or several. */
export function withObjectType(schema: JsonObject = {}): JsonObject {
  const { type } = schema;
  const isObjectToo = type == null || (Array.isArray(type) && type.includes('object'));
  return isObjectToo ? { ...schema, type: 'object' } : schema;
}

function argumentsOf({ parametersJsonSchema, parameters }: JsonObject): unknown {
  return parametersJsonSchema ?? parameters;
}

function toolFunction({ name, description }: JsonObject, parameters: unknown): readonly ToolFunction[] {
  const called = nonEmptyString(name);
  if (called === undefined) return [];
  const told = nonEmptyString(description);
  return [
    {
      name: called,
      ...(told !== undefined && { description: told }),
      ...(isObject(parameters) && { parameters }),
    },
  ];
}

/** The most characters that every provider takes in the name of a function. */
const longestName = 64;

/**
 * A name of a length that every provider takes, which stays different from other names.
 *
 * @param original what the name stands for
 */
export function shortened(name: string, original: string, most = longestName): string {
  const hash = shortHash(original).toString(16).padStart(8, '0');
  return `${name.slice(0, most - hash.length - 1)}_${hash}`;
}

/** A function as responses call it, which may keep it in a namespace. */
export interface NamespacedName {
  readonly name: string;
  readonly namespace?: string;
}

/** One name for a function in a namespace. */
export function joinedName({ namespace, name }: NamespacedName): string {
  if (namespace === undefined) return name;
  const joined = namespace.endsWith('__') ? namespace + name : `${namespace}__${name}`;
  return joined.length <= longestName ? joined : shortened(joined, joined);
}
