import { isObject, type JsonObject, nonEmptyString } from '../../../base/json.ts';
import {
  dropOthers,
  type FormatSettings,
  objectsIn,
  type RequestNotes,
  type Setting,
  setting,
} from './askedRequest.ts';
import { customParameters, grammarWords } from './customTools.ts';
import { stringOf } from './encoding.ts';
import { joinedName, type RequestTool } from './functionTools.ts';
import type { ToolChoice } from './requestSettings.ts';

// What tools, choices among them and forms of the answer are called in more than one format.

export function toolsAsked(tools: readonly RequestTool[]): Setting<readonly RequestTool[]> | undefined {
  return tools.length === 0 ? undefined : { value: tools, at: 'tools' };
}

/** One function, from an object with its members. */
export function toolOf(
  told: JsonObject,
  parameters: unknown,
  at: string,
  notes: RequestNotes,
): RequestTool | undefined {
  const name = nonEmptyString(told.name);
  const description = nonEmptyString(told.description);
  if (name === undefined) {
    notes.refuse(`${at}.name`, 'wants a name for every tool');
    return undefined;
  }
  return {
    name,
    ...(description !== undefined && { description }),
    ...(isObject(parameters) && { parameters }),
    ...(told.strict === true && { strict: true }),
  };
}

/** Tools as chat completions have them. */
export function nestedTools(tools: unknown, notes: RequestNotes): readonly RequestTool[] {
  return objectsIn(tools).flatMap((tool, nth) => {
    const at = `tools[${nth}]`;
    if (tool.type === 'custom' && isObject(tool.custom))
      return nestedCustomTool(tool, tool.custom, at, notes) ?? [];
    if (tool.type !== 'function' || !isObject(tool.function)) return otherTool(tool, at, notes);
    dropOthers(tool, ['type', 'function'], at, notes);
    const told = tool.function;
    dropOthers(told, ['name', 'description', 'parameters', 'strict'], `${at}.function`, notes);
    return toolOf(told, told.parameters, `${at}.function`, notes) ?? [];
  });
}

function nestedCustomTool(
  tool: JsonObject,
  told: JsonObject,
  at: string,
  notes: RequestNotes,
): RequestTool | undefined {
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
  notes: RequestNotes,
): RequestTool | undefined {
  const form = isObject(format) ? format : { type: 'text' };
  const grammar = grammarWords(form);
  if (grammar === undefined && form.type !== 'text')
    notes.refuse(`${at}.format`, 'has no inputs of this form');
  if (grammar !== undefined) notes.drop(`${at}.format`);
  const words = [nonEmptyString(told.description), grammar].filter((each) => each !== undefined);
  return toolOf({ name: told.name, description: words.join('\n\n') }, customParameters, at, notes);
}

/** Refuses a tool that is not a function. */
export function otherTool(tool: JsonObject, at: string, notes: RequestNotes): readonly RequestTool[] {
  const kind = stringOf(tool.type).slice(0, 40) || Object.keys(tool)[0]?.slice(0, 40) || 'unknown';
  notes.refuse(at, `has no tool of kind ${kind}`);
  return [];
}

/** A choice as chat completions and responses have it. */
export function flatChoice(choice: unknown, at: string, notes: RequestNotes): ToolChoice | undefined {
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
  notes.refuse(at, 'has no choice of this kind');
  return undefined;
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
  notes: RequestNotes,
): FormatSettings {
  if (!isObject(format) || format.type === 'text') return {};
  const told = isObject(named) ? named : {};
  if (format.type === 'json_object') return { responseFormat: { value: 'json', at } };
  if (format.type !== 'json_schema') {
    notes.refuse(`${at}.type`, 'has no answers of this form');
    return {};
  }
  return {
    responseFormat: { value: 'json_schema', at },
    responseSchema: setting(isObject(told.schema) ? told.schema : undefined, at),
    schemaName: setting(nonEmptyString(told.name), at),
    strictSchema: setting(told.strict === true || undefined, at),
  };
}
