import { isObject, type JsonObject, jsonText } from '../../../base/json.ts';
import type { ForeignPart, ForeignResult } from '../../message.ts';
import {
  type AskedMessage,
  type AskedPart,
  type AskedRequest,
  objectsIn,
  placed,
  type RequestNotes,
  type Settings,
  setting,
} from '../format/askedRequest.ts';
import { flatChoice, toolOf, toolsAsked } from '../format/askedTools.ts';
import { stringOf } from '../format/encoding.ts';
import type { ToolChoice } from '../format/requestSettings.ts';
import type { InteractionContent, InteractionStep, InteractionsRequest } from './request.ts';

/** Reads a request of interactions. No request of this format is converted, so unknown fields are ignored. */
export function readInteractions(request: InteractionsRequest, notes: RequestNotes): AskedRequest {
  const { system_instruction: instructions } = request;
  const at = 'system_instruction';
  const system: AskedMessage = {
    role: 'system',
    parts: [{ type: 'text', text: instructions ?? '', at }],
    at,
  };
  return {
    messages: [...(instructions ? [system] : []), ...readSteps(request.input)],
    settings: settingsOf(request, notes),
    streamed: request.stream === true,
    shared: {},
  };
}

function settingsOf(
  { generation_config, response_format, tools }: InteractionsRequest,
  notes: RequestNotes,
): Settings {
  const config = generation_config ?? {};
  const at = (name: string) => `generation_config.${name}`;
  const formats = [response_format ?? []].flat();
  const schema = formats.find((format) => format.schema)?.schema;
  const isJson = formats.some(({ mime_type }) => mime_type === 'application/json');
  const place = 'response_format';
  return {
    temperature: setting(config.temperature, at('temperature')),
    topP: setting(config.top_p, at('top_p')),
    seed: setting(config.seed, at('seed')),
    stop: setting(config.stop_sequences, at('stop_sequences')),
    outputLimit: setting(config.max_output_tokens, at('max_output_tokens')),
    reasoningEffort: setting(config.thinking_level, at('thinking_level')),
    thoughts: setting(
      config.thinking_summaries == null ? undefined : config.thinking_summaries !== 'none',
      at('thinking_summaries'),
    ),
    tools: toolsAsked(
      objectsIn(tools).flatMap((tool, nth) =>
        tool.type === 'function' ? (toolOf(tool, tool.parameters, `tools[${nth}]`, notes) ?? []) : [],
      ),
    ),
    toolChoice: setting(choiceOf(config.tool_choice, notes), at('tool_choice')),
    responseFormat: setting(schema ? 'json_schema' : isJson ? 'json' : undefined, place),
    responseSchema: setting(isObject(schema) ? schema : undefined, place),
    pictures: setting(formats.some(({ type }) => type === 'image') || undefined, place),
  };
}

/** A word, or functions with the word for how they may be called. */
function choiceOf(choice: unknown, notes: RequestNotes): ToolChoice | undefined {
  if (isObject(choice) && isObject(choice.allowed_tools)) {
    const { mode, tools } = choice.allowed_tools;
    const names = Array.isArray(tools) ? tools.map(nameIn).filter((name) => name !== '') : undefined;
    return { mode: modes.get(stringOf(mode)) ?? 'auto', ...(names && { names }) };
  }
  return flatChoice(modes.get(choice) ?? choice, 'generation_config.tool_choice', notes);
}

const modes: ReadonlyMap<unknown, ToolChoice['mode']> = new Map([
  ['auto', 'auto'],
  ['none', 'none'],
  ['any', 'required'],
]);

function nameIn(tool: unknown): string {
  return stringOf(isObject(tool) ? tool.name : tool);
}

const userSteps: ReadonlySet<string> = new Set(['user_input', 'function_result']);
const contentTypes: ReadonlySet<string> = new Set(['text', 'image', 'audio', 'video', 'document']);

/** Steps of one speaker become one message. */
function readSteps(input: InteractionsRequest['input']): readonly AskedMessage[] {
  const messages: {
    readonly role: AskedMessage['role'];
    readonly parts: AskedPart[];
    readonly at: string;
  }[] = [];
  stepsOf(input).forEach((step, nth) => {
    const at = `input[${nth}]`;
    const parts = readStep(step).flatMap((part) => placed(part, at));
    const role = userSteps.has(step.type) ? 'user' : 'assistant';
    const last = messages.at(-1);
    if (last?.role === role) last.parts.push(...parts);
    else if (parts.length > 0) messages.push({ role, parts: [...parts], at });
  });
  return messages;
}

/** A request may hold plain text, one content, or contents in place of steps. */
function stepsOf(input: InteractionsRequest['input']): readonly InteractionStep[] {
  if (typeof input === 'string') return [{ type: 'user_input', content: [{ type: 'text', text: input }] }];
  return [input]
    .flat()
    .map(
      (each): InteractionStep =>
        contentTypes.has(each.type) ? { type: 'user_input', content: [each as InteractionContent] } : each,
    );
}

function readStep(step: InteractionStep): readonly ForeignPart[] {
  const signature = step.signature === undefined ? {} : { signature: step.signature };
  switch (step.type) {
    case 'user_input':
    case 'model_output':
      return (step.content ?? []).flatMap((content) => readContent(content) ?? []);
    case 'thought':
      return [
        { type: 'reasoning', text: (step.summary ?? []).map(({ text = '' }) => text).join(''), ...signature },
      ];
    case 'function_call': {
      const { id = '', name = '', arguments: args = {} } = step;
      return [{ type: 'toolCall', id, name, arguments: jsonText(args) ?? '' }];
    }
    case 'function_result':
      return [readResult(step)];
    default:
      return [];
  }
}

/** A result is text, any value, or a list of contents. */
function readResult({ call_id, name, result }: JsonObject): ForeignResult {
  const said = objectsIn(result)
    .map(({ text }) => text)
    .filter((text) => typeof text === 'string');
  const text = typeof result === 'string' ? result : (jsonText(result ?? null) ?? '');
  return {
    type: 'toolResult',
    id: stringOf(call_id),
    name: stringOf(name),
    text: said.length > 0 ? said.join('\n') : text,
  };
}

function readContent(content: InteractionContent): ForeignPart | undefined {
  const { type, text, data, mime_type: mimeType = '' } = content;
  // Some clients send results among the contents of the user.
  if (type === 'function_result') return readResult(content);
  if (type === 'text') return text === undefined ? undefined : { type: 'text', text };
  return type === 'image' && data !== undefined ? { type: 'image', mimeType, data } : undefined;
}
