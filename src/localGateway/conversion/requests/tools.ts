import { isObject, type JsonObject, nonEmptyString } from '../../../base/json.ts';
import { customParameters, grammarWords } from '../../../wire/apis/customTools.ts';
import { stringOf } from '../../../wire/apis/encoding.ts';
import type { RequestTool } from '../../../wire/apis/functionTools.ts';
import type { ToolChoice } from '../../../wire/apis/requestSettings.ts';
import { joinedName } from '../../../wire/apis/responses/tools.ts';
import type { ConversionNotes } from '../notes.ts';
import type { FormatSettings, Setting } from './askedRequest.ts';
import { dropOthers, objectsIn, setting } from './fields.ts';

// What tools, choices among them and forms of the answer are called in more than one format.

export function toolsAsked(tools: readonly RequestTool[]): Setting<readonly RequestTool[]> | undefined {
  return tools.length === 0 ? undefined : { value: tools, at: 'tools' };
}

/** One function, from an object with its members. */
export function toolOf(
  told: JsonObject,
  parameters: unknown,
  at: string,
  notes: ConversionNotes,
): RequestTool {
  const name = nonEmptyString(told.name);
  const description = nonEmptyString(told.description);
  if (name === undefined) throw notes.refusal(`${at}.name`, 'wants a name for every tool');
  return {
    name,
    ...(description !== undefined && { description }),
    ...(isObject(parameters) && { parameters }),
    ...(told.strict === true && { strict: true }),
  };
}

/** Tools as chat completions have them. */
export function nestedTools(tools: unknown, notes: ConversionNotes): readonly RequestTool[] {
  return objectsIn(tools).map((tool, nth) => {
    const at = `tools[${nth}]`;
    if (tool.type === 'custom' && isObject(tool.custom))
      return nestedCustomTool(tool, tool.custom, at, notes);
    if (tool.type !== 'function' || !isObject(tool.function)) throw otherTool(tool, at, notes);
    dropOthers(tool, ['type', 'function'], at, notes);
    const told = tool.function;
    dropOthers(told, ['name', 'description', 'parameters', 'strict'], `${at}.function`, notes);
    return toolOf(told, told.parameters, `${at}.function`, notes);
  });
}

function nestedCustomTool(
  tool: JsonObject,
  told: JsonObject,
  at: string,
  notes: ConversionNotes,
): RequestTool {
  dropOthers(tool, ['type', 'custom'], at, notes);
  dropOthers(told, ['name', 'description', 'format'], `${at}.custom`, notes);
  const { format } = told;
  const grammar =
    isObject(format) && isObject(format.grammar) ? { type: 'grammar', ...format.grammar } : format;
  return customTool(told, grammar, `${at}.custom`, notes);
}

/**
 * A function in place of a tool that is called with text. A grammar is told to the model, which no function can be
 * held to.
 *
 * @param format as responses have it
 */
export function customTool(
  told: JsonObject,
  format: unknown,
  at: string,
  notes: ConversionNotes,
): RequestTool {
  const form = isObject(format) ? format : { type: 'text' };
  const grammar = grammarWords(form);
  if (grammar === undefined && form.type !== 'text')
    throw notes.refusal(`${at}.format`, 'has no inputs of this form');
  if (grammar !== undefined) notes.drop(`${at}.format`);
  const words = [nonEmptyString(told.description), grammar].filter((each) => each !== undefined);
  return toolOf({ name: told.name, description: words.join('\n\n') }, customParameters, at, notes);
}

export function otherTool(tool: JsonObject, at: string, notes: ConversionNotes) {
  const kind = stringOf(tool.type).slice(0, 40) || Object.keys(tool)[0]?.slice(0, 40) || 'unknown';
  return notes.refusal(at, `has no tool of kind ${kind}`);
}

/** A choice as chat completions and responses have it. */
export function flatChoice(choice: unknown, at: string, notes: ConversionNotes): ToolChoice | undefined {
  if (choice == null) return undefined;
  if (choice === 'auto' || choice === 'none' || choice === 'required') return { mode: choice };
  const told = isObject(choice) ? choice : {};
  if (told.type === 'function' || told.type === 'custom') {
    const name = chosenName(told);
    if (name !== undefined) return { mode: 'required', names: [name] };
  }
  if (told.type === 'allowed_tools') {
    const { mode, tools } = isObject(told.allowed_tools) ? told.allowed_tools : told;
    const names = objectsIn(tools).flatMap((tool) => chosenName(tool) ?? []);
    return { mode: mode === 'required' ? 'required' : 'auto', names };
  }
  throw notes.refusal(at, 'has no choice of this kind');
}

function chosenName(told: JsonObject): string | undefined {
  const { name } = [told.function, told.custom].find(isObject) ?? told;
  const [called, namespace] = [nonEmptyString(name), nonEmptyString(told.namespace)];
  return called === undefined
    ? undefined
    : joinedName({ name: called, ...(namespace !== undefined && { namespace }) });
}

/** The form of the answer as chat completions and responses have it. */
export function namedFormat(
  format: unknown,
  named: unknown,
  at: string,
  notes: ConversionNotes,
): FormatSettings {
  if (!isObject(format) || format.type === 'text') return {};
  const told = isObject(named) ? named : {};
  if (format.type !== 'json_object' && format.type !== 'json_schema')
    throw notes.refusal(`${at}.type`, 'has no answers of this form');
  if (format.type === 'json_object' || !isObject(told.schema))
    return { responseFormat: { value: 'json', at } };
  return {
    responseFormat: { value: 'json_schema', at },
    responseSchema: { value: told.schema, at },
    schemaName: setting(nonEmptyString(told.name), at),
    strictSchema: setting(told.strict === true || undefined, at),
  };
}
