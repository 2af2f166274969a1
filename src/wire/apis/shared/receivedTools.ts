import { isObject, type JsonObject, nonEmptyString, objectsIn } from '../../../base/json.ts';
import { joinName, type RequestTool } from './functionTools.ts';
import { stringOrEmpty } from './messageParts.ts';
import {
  cacheMembers,
  dropUnknownMembers,
  type FormatSettings,
  type RequestNotes,
  readCacheMark,
  type Setting,
  toSetting,
} from './receivedRequest.ts';
import type { ToolChoice } from './requestSettings.ts';

// The members of tools, tool choices and response formats that more than one format has.

export function toToolsSetting(tools: readonly RequestTool[]): Setting<readonly RequestTool[]> | undefined {
  return tools.length === 0 ? undefined : { value: tools, path: 'tools' };
}

/** Reads a function from the object with its name and description. */
export function readTool(
  definition: JsonObject,
  parameters: unknown,
  path: string,
  notes: RequestNotes,
): RequestTool | undefined {
  const name = nonEmptyString(definition.name);
  const description = nonEmptyString(definition.description);
  if (name === undefined) {
    notes.refuse(`${path}.name`, 'requires a name for every tool');
    return undefined;
  }
  return {
    name,
    ...(description !== undefined && { description }),
    ...(isObject(parameters) && { parameters }),
    ...(definition.strict === true && { strict: true }),
  };
}

/** Tools in the form of chat completions. */
export function readNestedTools(tools: unknown, notes: RequestNotes): readonly RequestTool[] {
  return objectsIn(tools).flatMap((tool, index) => {
    const path = `tools[${index}]`;
    if (tool.type === 'custom' && isObject(tool.custom))
      return readNestedCustomTool(tool, tool.custom, path, notes) ?? [];
    if (tool.type !== 'function' || !isObject(tool.function)) return refuseTool(tool, path, notes);
    dropUnknownMembers(tool, ['type', 'function', ...cacheMembers], path, notes);
    const definition = tool.function;
    const functionPath = `${path}.function`;
    dropUnknownMembers(
      definition,
      ['name', 'description', 'parameters', 'strict', ...cacheMembers],
      functionPath,
      notes,
    );
    // LiteLLM accepts the mark at both places.
    const mark =
      readCacheMark(tool, `${path}.`, notes) ?? readCacheMark(definition, `${functionPath}.`, notes);
    const requestTool = readTool(definition, definition.parameters, functionPath, notes);
    return requestTool ? [{ ...requestTool, ...(mark && { cacheMark: mark }) }] : [];
  });
}

function readNestedCustomTool(
  tool: JsonObject,
  definition: JsonObject,
  path: string,
  notes: RequestNotes,
): RequestTool | undefined {
  dropUnknownMembers(tool, ['type', 'custom'], path, notes);
  dropUnknownMembers(definition, ['name', 'description', 'format'], `${path}.custom`, notes);
  const { format } = definition;
  const grammar =
    isObject(format) && isObject(format.grammar) ? { type: 'grammar', ...format.grammar } : format;
  return convertCustomTool(definition, grammar, `${path}.custom`, notes);
}

/** The schema of the arguments of a function that replaces a custom tool. */
const customParameters = {
  type: 'object',
  properties: { input: { type: 'string', description: 'The whole input of the tool, as plain text.' } },
  required: ['input'],
  additionalProperties: false,
} as const;

/**
 * The function that replaces a custom tool. Its description contains the grammar, because calls of a function
 * cannot be restricted to a grammar.
 *
 * @param format in the form of responses
 */
export function convertCustomTool(
  definition: JsonObject,
  format: unknown,
  path: string,
  notes: RequestNotes,
): RequestTool | undefined {
  const form: JsonObject = isObject(format) ? format : { type: 'text' };
  const grammar = describeGrammar(form);
  if (grammar === undefined && form.type !== 'text')
    notes.refuse(`${path}.format`, 'does not support this input format');
  if (grammar !== undefined) notes.drop(`${path}.format`);
  const texts = [nonEmptyString(definition.description), grammar].filter((each) => each !== undefined);
  return readTool({ name: definition.name, description: texts.join('\n\n') }, customParameters, path, notes);
}

/** The description of a tool's grammar for the model; undefined if the tool has no grammar. */
function describeGrammar({ type, syntax, definition }: JsonObject): string | undefined {
  if (type !== 'grammar' || typeof definition !== 'string') return undefined;
  return `The input has to follow this grammar (${stringOrEmpty(syntax)}):\n\n${definition}`;
}

/** Refuses a tool that is not a function. */
export function refuseTool(tool: JsonObject, path: string, notes: RequestNotes): readonly RequestTool[] {
  const kind = stringOrEmpty(tool.type).slice(0, 40) || Object.keys(tool)[0]?.slice(0, 40) || 'unknown';
  notes.refuse(path, `has no tool of kind ${kind}`);
  return [];
}

/** A tool choice in the form of chat completions and responses. */
export function readToolChoice(choice: unknown, path: string, notes: RequestNotes): ToolChoice | undefined {
  if (choice == null) return undefined;
  if (choice === 'auto' || choice === 'none' || choice === 'required') return { mode: choice };
  const chosen = isObject(choice) ? choice : {};
  if (chosen.type === 'function' || chosen.type === 'custom') {
    const name = readChosenName(chosen);
    if (name !== undefined) return { mode: 'required', names: [name] };
  }
  if (chosen.type === 'allowed_tools') {
    const { mode, tools } = isObject(chosen.allowed_tools) ? chosen.allowed_tools : chosen;
    const names = objectsIn(tools).flatMap((tool) => readChosenName(tool) ?? []);
    return { mode: mode === 'required' ? 'required' : 'auto', names };
  }
  notes.refuse(path, 'does not support this tool choice');
  return undefined;
}

function readChosenName(chosen: JsonObject): string | undefined {
  const { name } = [chosen.function, chosen.custom].find(isObject) ?? chosen;
  const [toolName, namespace] = [nonEmptyString(name), nonEmptyString(chosen.namespace)];
  return toolName === undefined
    ? undefined
    : joinName({ name: toolName, ...(namespace !== undefined && { namespace }) });
}

/**
 * The response format in the form of chat completions and responses.
 *
 * @param schemaFields the object with the name of the JSON Schema and the schema
 */
export function readResponseFormat(
  format: unknown,
  schemaFields: unknown,
  path: string,
  notes: RequestNotes,
): FormatSettings {
  if (!isObject(format) || format.type === 'text') return {};
  const definition = isObject(schemaFields) ? schemaFields : {};
  if (format.type === 'json_object') return { responseFormat: { value: 'json', path } };
  if (format.type !== 'json_schema') {
    notes.refuse(`${path}.type`, 'does not support this response format');
    return {};
  }
  return {
    responseFormat: { value: 'json_schema', path },
    responseSchema: toSetting(isObject(definition.schema) ? definition.schema : undefined, path),
    schemaName: toSetting(nonEmptyString(definition.name), path),
    strictSchema: toSetting(definition.strict === true || undefined, path),
  };
}
