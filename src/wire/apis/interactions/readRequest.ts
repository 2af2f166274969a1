import { isObject, type JsonObject, jsonText, objectsIn } from '../../../base/json.ts';
import type { ForeignPart, ForeignResult } from '../../message.ts';
import { stringOrEmpty } from '../shared/messageParts.ts';
import {
  addPath,
  type ReceivedMessage,
  type ReceivedPart,
  type ReceivedRequest,
  type RequestNotes,
  type Settings,
  toSetting,
} from '../shared/receivedRequest.ts';
import { readTool, readToolChoice, toToolsSetting } from '../shared/receivedTools.ts';
import type { ToolChoice } from '../shared/requestSettings.ts';
import type { InteractionContent, InteractionStep, InteractionsRequest } from './schema.ts';

/** Reads a request of interactions. Requests of this format are not converted, so unknown fields are ignored. */
export function readInteractions(request: InteractionsRequest, notes: RequestNotes): ReceivedRequest {
  const { system_instruction: instructions } = request;
  const path = 'system_instruction';
  const system: ReceivedMessage = {
    role: 'system',
    parts: [{ type: 'text', text: instructions ?? '', path }],
    path,
  };
  return {
    messages: [...(instructions ? [system] : []), ...readSteps(request.input)],
    settings: readSettings(request, notes),
    isStreamed: request.stream === true,
    shared: {},
  };
}

function readSettings(
  { generation_config, response_format, tools }: InteractionsRequest,
  notes: RequestNotes,
): Settings {
  const config = generation_config ?? {};
  const configPath = (name: string) => `generation_config.${name}`;
  const formats = [response_format ?? []].flat();
  const schema = formats.find((format) => format.schema)?.schema;
  const isJson = formats.some(({ mime_type }) => mime_type === 'application/json');
  const formatPath = 'response_format';
  return {
    temperature: toSetting(config.temperature, configPath('temperature')),
    topP: toSetting(config.top_p, configPath('top_p')),
    seed: toSetting(config.seed, configPath('seed')),
    stop: toSetting(config.stop_sequences, configPath('stop_sequences')),
    outputLimit: toSetting(config.max_output_tokens, configPath('max_output_tokens')),
    reasoningEffort: toSetting(config.thinking_level, configPath('thinking_level')),
    thoughts: toSetting(
      config.thinking_summaries == null ? undefined : config.thinking_summaries !== 'none',
      configPath('thinking_summaries'),
    ),
    tools: toToolsSetting(
      objectsIn(tools).flatMap((tool, index) =>
        tool.type === 'function' ? (readTool(tool, tool.parameters, `tools[${index}]`, notes) ?? []) : [],
      ),
    ),
    toolChoice: toSetting(readChoice(config.tool_choice, notes), configPath('tool_choice')),
    responseFormat: toSetting(schema ? 'json_schema' : isJson ? 'json' : undefined, formatPath),
    responseSchema: toSetting(isObject(schema) ? schema : undefined, formatPath),
    pictures: toSetting(formats.some(({ type }) => type === 'image') || undefined, formatPath),
  };
}

/** Reads a tool choice, which is a word, or a list of the allowed functions with a word. */
function readChoice(choice: unknown, notes: RequestNotes): ToolChoice | undefined {
  if (isObject(choice) && isObject(choice.allowed_tools)) {
    const { mode, tools } = choice.allowed_tools;
    const names = Array.isArray(tools) ? tools.map(readName).filter((name) => name !== '') : undefined;
    return { mode: modes.get(stringOrEmpty(mode)) ?? 'auto', ...(names && { names }) };
  }
  return readToolChoice(modes.get(choice) ?? choice, 'generation_config.tool_choice', notes);
}

const modes: ReadonlyMap<unknown, ToolChoice['mode']> = new Map([
  ['auto', 'auto'],
  ['none', 'none'],
  ['any', 'required'],
]);

function readName(tool: unknown): string {
  return stringOrEmpty(isObject(tool) ? tool.name : tool);
}

const userSteps: ReadonlySet<string> = new Set(['user_input', 'function_result']);
const contentTypes: ReadonlySet<string> = new Set(['text', 'image', 'audio', 'video', 'document']);

/** Consecutive steps of one role become one message. */
function readSteps(input: InteractionsRequest['input']): readonly ReceivedMessage[] {
  const messages: (ReceivedMessage & { readonly parts: ReceivedPart[] })[] = [];
  toSteps(input).forEach((step, index) => {
    const path = `input[${index}]`;
    const parts = readStep(step).flatMap((part) => addPath(part, path));
    const role = userSteps.has(step.type) ? 'user' : 'assistant';
    const last = messages.at(-1);
    if (last?.role === role) for (const part of parts) last.parts.push(part);
    else if (parts.length > 0) messages.push({ role, parts: [...parts], path });
  });
  return messages;
}

/** The input as steps. It may also be plain text, one content, or a list of contents. */
function toSteps(input: InteractionsRequest['input']): readonly InteractionStep[] {
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

/** Reads a result, which is text, a list of contents, or any other value. */
function readResult({ call_id, name, result }: JsonObject): ForeignResult {
  const texts = objectsIn(result)
    .map(({ text }) => text)
    .filter((text) => typeof text === 'string');
  const text = typeof result === 'string' ? result : (jsonText(result ?? null) ?? '');
  return {
    type: 'toolResult',
    id: stringOrEmpty(call_id),
    name: stringOrEmpty(name),
    text: texts.length > 0 ? texts.join('\n') : text,
  };
}

function readContent(content: InteractionContent): ForeignPart | undefined {
  const { type, text, data, mime_type: mimeType = '' } = content;
  // Some clients send results among the contents of the user.
  if (type === 'function_result') return readResult(content);
  if (type === 'text') return text === undefined ? undefined : { type: 'text', text };
  return type === 'image' && data !== undefined ? { type: 'image', mimeType, data } : undefined;
}
