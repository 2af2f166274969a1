import { isObject, type JsonObject, jsonText, nonEmptyString } from '../../../base/json.ts';
import type { ForeignPart } from '../../message.ts';
import {
  type AskedMessage,
  type AskedPart,
  type AskedRequest,
  dataPart,
  dropOthers,
  type FieldRules,
  type FormatSettings,
  objectsIn,
  picturePart,
  placed,
  type RequestNotes,
  resultContent,
  type Settings,
  setting,
  sortFields,
} from '../format/askedRequest.ts';
import { otherTool, toolOf, toolsAsked } from '../format/askedTools.ts';
import { CallNames, stringOf } from '../format/encoding.ts';
import type { RequestTool } from '../format/functionTools.ts';
import type { ToolChoice } from '../format/requestSettings.ts';
import { redactedThinking } from './blocks.ts';
import type { MessagesRequest } from './request.ts';

const rules: FieldRules = {
  read: [
    ...['model', 'messages', 'system', 'stream', 'max_tokens', 'temperature', 'top_p', 'top_k'],
    ...['stop_sequences', 'thinking', 'output_config', 'tools', 'tool_choice'],
    ...['output_format', 'vendor_version', 'anthropic_version'],
  ],
  hints: [
    ...['metadata', 'service_tier', 'context_management', 'cache_control', 'betas', 'anthropic_beta'],
    ...['speed', 'diagnostics', 'billing_policy', 'fallbacks', 'fallback_credit_token'],
  ],
  constraints: {
    container: 'has no containers',
    mcp_servers: 'asks no MCP servers',
    compaction: 'writes no summaries of conversations',
    inference_geo: 'has no choice of a region',
  },
};

/** Reads a request of messages. */
export function readMessages(request: MessagesRequest, notes: RequestNotes): AskedRequest {
  sortFields(request, rules, notes);
  const names = new CallNames();
  const read = (role: AskedMessage['role'], content: unknown, at: string, within: string) => ({
    role,
    parts: readContent(content, within, names, notes),
    at,
  });
  return {
    messages: [
      ...(request.system === undefined ? [] : [read('system', request.system, 'system', 'system')]),
      ...joined(
        request.messages.map(({ role, content }, nth) =>
          read(role, content, `messages[${nth}]`, `messages[${nth}].content`),
        ),
      ),
    ],
    settings: settingsOf(request, notes),
    streamed: request.stream === true,
    shared: {},
  };
}

/** Joins the messages of one turn, which the provider takes in several: of a reply, and with results of its calls. */
function joined(messages: readonly AskedMessage[]): readonly AskedMessage[] {
  const turns: (AskedMessage & { readonly parts: AskedPart[] })[] = [];
  let hasResults = false;
  for (const { role, parts, at } of messages) {
    const last = turns.at(-1);
    const bringsResults = parts.some(({ type }) => type === 'toolResult');
    if (last?.role === role && (role === 'assistant' || hasResults)) {
      for (const part of parts) last.parts.push(part);
      hasResults ||= bringsResults;
    } else {
      turns.push({ role, parts: [...parts], at });
      hasResults = bringsResults;
    }
  }
  return turns;
}

function settingsOf(request: MessagesRequest, notes: RequestNotes): Settings {
  const choice = isObject(request.tool_choice) ? request.tool_choice : { type: request.tool_choice };
  const alone = choice.disable_parallel_tool_use === true;
  const config = request.output_config ?? {};
  dropOthers(config, ['format', 'effort'], 'output_config', notes);
  const format =
    schemaIn(config.format, 'output_config.format', notes) ??
    schemaIn((request as JsonObject).output_format, 'output_format', notes);
  return {
    temperature: setting(request.temperature, 'temperature'),
    topP: setting(request.top_p, 'top_p'),
    topK: setting(request.top_k, 'top_k'),
    stop: setting(request.stop_sequences?.length ? request.stop_sequences : undefined, 'stop_sequences'),
    outputLimit: setting(request.max_tokens, 'max_tokens'),
    reasoningEffort: effortOf(request, config.effort, notes),
    thoughts: thoughtsOf(request),
    tools: toolsAsked(toolsOf(request.tools, notes)),
    toolChoice: setting(choiceOf(choice, notes), 'tool_choice'),
    parallelCalls: alone ? { value: false, at: 'tool_choice.disable_parallel_tool_use' } : undefined,
    ...format,
  };
}

function schemaIn(format: unknown, at: string, notes: RequestNotes): FormatSettings | undefined {
  if (format == null) return undefined;
  const { type, schema } = isObject(format) ? format : {};
  if (type === 'json_schema' && isObject(schema))
    return { responseFormat: { value: 'json_schema', at }, responseSchema: { value: schema, at } };
  notes.refuse(`${at}.type`, 'has no answers of this form');
  return type === 'json_schema' ? { responseFormat: { value: type, at } } : undefined;
}

/** Few models of other providers can be told not to think, and those that cannot refuse the word. */
function effortOf(
  { thinking }: MessagesRequest,
  effort: unknown,
  notes: RequestNotes,
): Settings['reasoningEffort'] {
  const word = nonEmptyString(effort);
  dropOthers(thinking ?? {}, ['type', 'budget_tokens', 'display'], 'thinking', notes);
  if (thinking?.type === 'disabled' || thinking?.type === 'between_tools') {
    notes.drop('thinking');
    if (word !== undefined) notes.drop('output_config.effort');
    return undefined;
  }
  if (word !== undefined) return { value: word, at: 'output_config.effort' };
  return thinking?.type === 'enabled' ? setting(thinking.budget_tokens, 'thinking') : undefined;
}

function thoughtsOf({ thinking }: MessagesRequest): Settings['thoughts'] {
  if (thinking?.type === 'disabled') return { value: false, at: 'thinking' };
  const thinks = thinking?.type === 'adaptive' || thinking?.type === 'enabled';
  return thinks && thinking.display !== 'omitted' ? { value: true, at: 'thinking' } : undefined;
}

/** Its members tell how the provider loads and checks a tool; what a tool is, others write too. */
const toolMembers = ['name', 'description', 'input_schema', 'strict', 'type'];

function toolsOf(tools: MessagesRequest['tools'], notes: RequestNotes): readonly RequestTool[] {
  return (tools ?? []).flatMap((tool, nth) => {
    const at = `tools[${nth}]`;
    if (!isObject(tool.input_schema)) return otherTool(tool, at, notes);
    dropOthers(tool, toolMembers, at, notes);
    return toolOf(tool, tool.input_schema, at, notes) ?? [];
  });
}

function choiceOf({ type, name }: JsonObject, notes: RequestNotes): ToolChoice | undefined {
  switch (type) {
    case undefined:
      return undefined;
    case 'auto':
    case 'none':
      return { mode: type };
    case 'any':
      return { mode: 'required' };
    case 'tool':
      return { mode: 'required', names: [stringOf(name)] };
    default:
      notes.refuse('tool_choice.type', 'has no choice of this kind');
      return undefined;
  }
}

function readContent(
  content: unknown,
  at: string,
  names: CallNames,
  notes: RequestNotes,
): readonly AskedPart[] {
  if (typeof content === 'string') return [{ type: 'text', text: content, at }];
  return objectsIn(content).flatMap((block, nth) => {
    const place = `${at}[${nth}]`;
    return placed(readBlock(block, place, names, notes), place);
  });
}

/** The members that each block has beside its type. */
const members: Readonly<Record<string, readonly string[]>> = {
  text: ['text'],
  image: ['source'],
  document: ['source', 'title', 'context'],
  thinking: ['thinking', 'signature'],
  redacted_thinking: ['data'],
  tool_use: ['id', 'name', 'input'],
  tool_result: ['tool_use_id', 'content', 'is_error'],
};

function readBlock(
  block: JsonObject,
  at: string,
  names: CallNames,
  notes: RequestNotes,
): ForeignPart | undefined {
  const type = stringOf(block.type);
  const known = Object.hasOwn(members, type) ? members[type] : undefined;
  if (!known) {
    notes.refuse(`${at}.type`, `cannot be sent content of type ${type.slice(0, 40)}`);
    return undefined;
  }
  dropOthers(block, ['type', ...known], at, notes);
  switch (type) {
    case 'image':
      return readImage(block.source, `${at}.source`, notes);
    case 'document':
      return readDocument(block, `${at}.source`, notes);
    case 'thinking': {
      const signature = nonEmptyString(block.signature);
      return { type: 'reasoning', text: stringOf(block.thinking), ...(signature && { signature }) };
    }
    case 'redacted_thinking':
      return { type: 'reasoning', text: '', signature: redactedThinking + stringOf(block.data) };
    case 'tool_use': {
      const [id, name] = [stringOf(block.id), stringOf(block.name)];
      names.note({ id, name });
      return { type: 'toolCall', id, name, arguments: jsonText(block.input ?? {}) ?? '' };
    }
    case 'tool_result':
      return readResult(block, at, names, notes);
    default:
      return { type: 'text', text: stringOf(block.text) };
  }
}

function readImage(source: unknown, at: string, notes: RequestNotes): ForeignPart | undefined {
  const told = isObject(source) ? source : {};
  if (told.type === 'base64')
    return { type: 'image', mimeType: stringOf(told.media_type), data: stringOf(told.data) };
  if (told.type === 'url') return picturePart(told.url, `${at}.url`, notes);
  notes.refuse(`${at}.type`, 'has no file of this provider; send the picture as base64');
  return undefined;
}

function readDocument(
  { source, title, context }: JsonObject,
  at: string,
  notes: RequestNotes,
): ForeignPart | undefined {
  const told = isObject(source) ? source : {};
  const name = nonEmptyString(title);
  if (told.type === 'base64') {
    if (context != null) notes.refuse(at.replace(/source$/, 'context'), 'has no context of a document');
    return dataPart(stringOf(told.media_type), stringOf(told.data), name);
  }
  if (told.type === 'text') {
    const texts = [name, nonEmptyString(context), stringOf(told.data)];
    return { type: 'text', text: texts.filter((text) => text !== undefined).join('\n\n') };
  }
  notes.refuse(`${at}.type`, 'cannot be given a document that lies elsewhere; send it as base64');
  return undefined;
}

function readResult(block: JsonObject, at: string, names: CallNames, notes: RequestNotes): ForeignPart {
  const parts = readContent(block.content ?? '', `${at}.content`, names, notes);
  return names.result(stringOf(block.tool_use_id), {
    ...resultContent(parts, notes),
    ...(block.is_error === true && { failed: true }),
  });
}
