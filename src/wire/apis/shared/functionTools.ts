import { isObject, type JsonObject, nonEmptyString, objectsIn } from '../../../base/json.ts';
import { computeShortHash } from '../../../base/shortHash.ts';
import type { CacheMark } from '../../message.ts';

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
  readonly cacheMark?: CacheMark;
};

/** The functions in a tool of any format, or in a `ToolFunction`; empty for a tool that the provider runs. */
export function readFunctions(tool: JsonObject): readonly ToolFunction[] {
  const declarations = readDeclarations(tool);
  if (declarations.length > 0) {
    return declarations.flatMap((each) => readFunction(each, each.parametersJsonSchema ?? each.parameters));
  }
  if (isObject(tool.function)) return readFunction(tool.function, tool.function.parameters);
  if (isFlatFunction(tool) || isPlainFunction(tool)) return readFunction(tool, tool.parameters);
  return isMessagesTool(tool) ? readFunction(tool, tool.input_schema) : [];
}

/** Whether a tool has the form of responses and interactions: a function with its members at the top level. */
export function isFlatFunction({ type, function: inner }: JsonObject): boolean {
  return type === 'function' && !isObject(inner);
}

function isPlainFunction({ type, input_schema: schema }: JsonObject): boolean {
  return type === undefined && schema === undefined;
}

/** Whether a tool has the form of messages. */
export function isMessagesTool({ input_schema: schema, name }: JsonObject): boolean {
  return isObject(schema) && typeof name === 'string';
}

/** The functions of a tool in the form of content generation. */
export function readDeclarations({ functionDeclarations }: JsonObject): readonly JsonObject[] {
  return objectsIn(functionDeclarations);
}

/** Whether a tool cannot be written as a function in another format. */
export function isProviderTool(tool: JsonObject): boolean {
  return readFunctions(tool).length === 0;
}

/** The schema of a function without arguments. It is also valid for strict functions. */
const noArguments = { type: 'object', properties: {}, required: [], additionalProperties: false };

/** The schema of the arguments as OpenAI requires it: with the type object and with properties. */
export function toObjectSchema(schema: JsonObject = noArguments): JsonObject {
  return isObject(schema.properties) ? addObjectType(schema) : { ...addObjectType(schema), properties: {} };
}

/** The function with its schema as OpenAI requires it. A function without a schema is not changed. */
export function completeSchema<Function extends ToolFunction>(tool: Function): Function {
  return tool.parameters === undefined ? tool : { ...tool, parameters: toObjectSchema(tool.parameters) };
}

/** The schema with the type object, if it has no type, or several types with object among them. */
export function addObjectType(schema: JsonObject = {}): JsonObject {
  const { type } = schema;
  const allowsObject = type == null || (Array.isArray(type) && type.includes('object'));
  return allowsObject ? { ...schema, type: 'object' } : schema;
}

function readFunction({ name, description }: JsonObject, parameters: unknown): readonly ToolFunction[] {
  const functionName = nonEmptyString(name);
  if (functionName === undefined) return [];
  const descriptionText = nonEmptyString(description);
  return [
    {
      name: functionName,
      ...(descriptionText !== undefined && { description: descriptionText }),
      ...(isObject(parameters) && { parameters }),
    },
  ];
}

/** The longest name of a function that every provider accepts, in characters. */
const maxNameLength = 64;

/**
 * Shortens a name so that every provider accepts it. Different names still differ afterwards.
 *
 * @param original the full name, whose hash makes the short name unique
 */
export function shortenName(name: string, original: string, maxLength = maxNameLength): string {
  const hash = computeShortHash(original).toString(16).padStart(8, '0');
  return `${name.slice(0, maxLength - hash.length - 1)}_${hash}`;
}

/** A function in responses, which may be in a namespace. */
export interface NamespacedName {
  readonly name: string;
  readonly namespace?: string;
}

/** One name for a function in a namespace. */
export function joinName({ namespace, name }: NamespacedName): string {
  if (namespace === undefined) return name;
  const joinedName = namespace.endsWith('__') ? namespace + name : `${namespace}__${name}`;
  return joinedName.length <= maxNameLength ? joinedName : shortenName(joinedName, joinedName);
}
