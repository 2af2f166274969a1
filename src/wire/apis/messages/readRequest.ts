import { isObject, type JsonObject, jsonText, nonEmptyString, objectsIn } from '../../../base/json.ts';
import type { ForeignPart } from '../../message.ts';
import type { RequestTool } from '../shared/functionTools.ts';
import { CallNames, stringOrEmpty } from '../shared/messageParts.ts';
import {
  addPath,
  cacheMembers,
  checkFields,
  createDataPart,
  dropUnknownMembers,
  type FieldRules,
  type FormatSettings,
  type ReceivedMessage,
  type ReceivedPart,
  type ReceivedRequest,
  type RequestNotes,
  readCacheMark,
  readPicture,
  readResultContent,
  readResultMark,
  type Settings,
  toSetting,
} from '../shared/receivedRequest.ts';
import { readTool, refuseTool, toToolsSetting } from '../shared/receivedTools.ts';
import type { ToolChoice } from '../shared/requestSettings.ts';
import { redactedThinking } from './contentBlocks.ts';
import type { MessagesRequest } from './schema.ts';

const rules: FieldRules = {
  read: [
    'model',
    'messages',
    'system',
    'stream',
    'max_tokens',
    'temperature',
    'top_p',
    'top_k',
    'stop_sequences',
    'thinking',
    'output_config',
    'tools',
    'tool_choice',
    'output_format',
    'vendor_version',
    'anthropic_version',
    'cache_control',
  ],
  hints: [
    'metadata',
    'service_tier',
    'context_management',
    'betas',
    'anthropic_beta',
    'speed',
    'diagnostics',
    'billing_policy',
    'fallbacks',
    'fallback_credit_token',
  ],
  constraints: {
    container: 'has no containers',
    mcp_servers: 'does not call MCP servers',
    compaction: 'does not summarize conversations',
    inference_geo: 'has no region setting',
  },
};

export function readMessages(request: MessagesRequest, notes: RequestNotes): ReceivedRequest {
  checkFields(request, rules, notes);
  const names = new CallNames();
  const readMessage = (
    role: ReceivedMessage['role'],
    content: unknown,
    path: string,
    contentPath: string,
  ): ReceivedMessage => ({ role, parts: readContent(content, contentPath, names, notes), path });
  return {
    messages: [
      ...(request.system === undefined ? [] : [readMessage('system', request.system, 'system', 'system')]),
      ...joinTurns(
        request.messages.map(({ role, content }, index) =>
          readMessage(role, content, `messages[${index}]`, `messages[${index}].content`),
        ),
      ),
    ],
    settings: readSettings(request, notes),
    isStreamed: request.stream === true,
    shared: {},
  };
}

/**
 * Joins the messages of a turn. The provider also accepts a reply, or the results of its calls, in several
 * messages.
 */
function joinTurns(messages: readonly ReceivedMessage[]): readonly ReceivedMessage[] {
  const turns: (ReceivedMessage & { readonly parts: ReceivedPart[] })[] = [];
  let hasResults = false;
  for (const { role, parts, path } of messages) {
    const last = turns.at(-1);
    const containsResults = parts.some(({ type }) => type === 'toolResult');
    if (last?.role === role && (role === 'assistant' || hasResults)) {
      for (const part of parts) last.parts.push(part);
      hasResults ||= containsResults;
    } else {
      turns.push({ role, parts: [...parts], path });
      hasResults = containsResults;
    }
  }
  return turns;
}

function readSettings(request: MessagesRequest, notes: RequestNotes): Settings {
  const choice = isObject(request.tool_choice) ? request.tool_choice : { type: request.tool_choice };
  const forbidsParallelCalls = choice.disable_parallel_tool_use === true;
  const config = request.output_config ?? {};
  dropUnknownMembers(config, ['format', 'effort'], 'output_config', notes);
  const format =
    readFormat(config.format, 'output_config.format', notes) ??
    readFormat((request as JsonObject).output_format, 'output_format', notes);
  return {
    temperature: toSetting(request.temperature, 'temperature'),
    topP: toSetting(request.top_p, 'top_p'),
    topK: toSetting(request.top_k, 'top_k'),
    stop: toSetting(request.stop_sequences?.length ? request.stop_sequences : undefined, 'stop_sequences'),
    outputLimit: toSetting(request.max_tokens, 'max_tokens'),
    reasoningEffort: readEffort(request, config.effort, notes),
    thoughts: readThoughts(request),
    tools: toToolsSetting(readTools(request.tools, notes)),
    toolChoice: toSetting(readChoice(choice, notes), 'tool_choice'),
    parallelCalls: forbidsParallelCalls
      ? { value: false, path: 'tool_choice.disable_parallel_tool_use' }
      : undefined,
    ...format,
    endMark: toSetting(readCacheMark(request, '', notes), 'cache_control'),
  };
}

function readFormat(format: unknown, path: string, notes: RequestNotes): FormatSettings | undefined {
  if (format == null) return undefined;
  const { type, schema } = isObject(format) ? format : {};
  if (type === 'json_schema' && isObject(schema))
    return {
      responseFormat: { value: 'json_schema', path },
      responseSchema: { value: schema, path },
    };
  notes.refuse(`${path}.type`, 'does not support this response format');
  return type === 'json_schema' ? { responseFormat: { value: type, path } } : undefined;
}

/** Few models of other providers can disable thinking, and the rest refuse the setting. */
function readEffort(
  { thinking }: MessagesRequest,
  effort: unknown,
  notes: RequestNotes,
): Settings['reasoningEffort'] {
  const word = nonEmptyString(effort);
  dropUnknownMembers(thinking ?? {}, ['type', 'budget_tokens', 'display'], 'thinking', notes);
  if (thinking?.type === 'disabled' || thinking?.type === 'between_tools') {
    notes.drop('thinking');
    if (word !== undefined) notes.drop('output_config.effort');
    return undefined;
  }
  if (word !== undefined) return { value: word, path: 'output_config.effort' };
  return thinking?.type === 'enabled' ? toSetting(thinking.budget_tokens, 'thinking') : undefined;
}

function readThoughts({ thinking }: MessagesRequest): Settings['thoughts'] {
  if (thinking?.type === 'disabled') return { value: false, path: 'thinking' };
  const isThinking = thinking?.type === 'adaptive' || thinking?.type === 'enabled';
  return isThinking && thinking.display !== 'omitted' ? { value: true, path: 'thinking' } : undefined;
}

/** Other members of a tool only configure how the provider loads and checks it, so they are dropped. */
const toolMembers = ['name', 'description', 'input_schema', 'strict', 'type', ...cacheMembers];

function readTools(tools: MessagesRequest['tools'], notes: RequestNotes): readonly RequestTool[] {
  return (tools ?? []).flatMap((tool, index) => {
    const path = `tools[${index}]`;
    if (!isObject(tool.input_schema)) return refuseTool(tool, path, notes);
    dropUnknownMembers(tool, toolMembers, path, notes);
    const requestTool = readTool(tool, tool.input_schema, path, notes);
    const cacheMark = readCacheMark(tool, `${path}.`, notes);
    return requestTool ? [{ ...requestTool, ...(cacheMark && { cacheMark }) }] : [];
  });
}

function readChoice({ type, name }: JsonObject, notes: RequestNotes): ToolChoice | undefined {
  switch (type) {
    case undefined:
      return undefined;
    case 'auto':
    case 'none':
      return { mode: type };
    case 'any':
      return { mode: 'required' };
    case 'tool':
      return { mode: 'required', names: [stringOrEmpty(name)] };
    default:
      notes.refuse('tool_choice.type', 'does not support this tool choice');
      return undefined;
  }
}

function readContent(
  content: unknown,
  path: string,
  names: CallNames,
  notes: RequestNotes,
): readonly ReceivedPart[] {
  if (typeof content === 'string') return [{ type: 'text', text: content, path }];
  return objectsIn(content).flatMap((block, index) => {
    const blockPath = `${path}[${index}]`;
    const part = readBlock(block, blockPath, names, notes);
    return addPath(part, blockPath, readCacheMark(block, `${blockPath}.`, notes) ?? part?.cacheMark);
  });
}

/** The members of each block besides its type. */
const membersByType: Readonly<Record<string, readonly string[]>> = {
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
  path: string,
  names: CallNames,
  notes: RequestNotes,
): ForeignPart | undefined {
  const type = stringOrEmpty(block.type);
  const blockMembers = Object.hasOwn(membersByType, type) ? membersByType[type] : undefined;
  if (!blockMembers) {
    notes.refuse(`${path}.type`, `does not accept content of type ${type.slice(0, 40)}`);
    return undefined;
  }
  dropUnknownMembers(block, ['type', ...blockMembers, ...cacheMembers], path, notes);
  switch (type) {
    case 'image':
      return readImage(block.source, `${path}.source`, notes);
    case 'document':
      return readDocument(block, `${path}.source`, notes);
    case 'thinking': {
      const signature = nonEmptyString(block.signature);
      return { type: 'reasoning', text: stringOrEmpty(block.thinking), ...(signature && { signature }) };
    }
    case 'redacted_thinking':
      return { type: 'reasoning', text: '', signature: redactedThinking + stringOrEmpty(block.data) };
    case 'tool_use': {
      const [id, name] = [stringOrEmpty(block.id), stringOrEmpty(block.name)];
      names.add({ id, name });
      return { type: 'toolCall', id, name, arguments: jsonText(block.input ?? {}) ?? '' };
    }
    case 'tool_result':
      return readResult(block, path, names, notes);
    default:
      return { type: 'text', text: stringOrEmpty(block.text) };
  }
}

function readImage(source: unknown, path: string, notes: RequestNotes): ForeignPart | undefined {
  const sourceFields = isObject(source) ? source : {};
  if (sourceFields.type === 'base64')
    return {
      type: 'image',
      mimeType: stringOrEmpty(sourceFields.media_type),
      data: stringOrEmpty(sourceFields.data),
    };
  if (sourceFields.type === 'url') return readPicture(sourceFields.url, `${path}.url`, notes);
  notes.refuse(`${path}.type`, 'does not accept references to files; send the picture as base64');
  return undefined;
}

function readDocument(
  { source, title, context }: JsonObject,
  path: string,
  notes: RequestNotes,
): ForeignPart | undefined {
  const sourceFields = isObject(source) ? source : {};
  const name = nonEmptyString(title);
  if (sourceFields.type === 'base64') {
    if (context != null) notes.refuse(path.replace(/source$/, 'context'), 'has no document context');
    return createDataPart(stringOrEmpty(sourceFields.media_type), stringOrEmpty(sourceFields.data), name);
  }
  if (sourceFields.type === 'text') {
    const texts = [name, nonEmptyString(context), stringOrEmpty(sourceFields.data)];
    return { type: 'text', text: texts.filter((text) => text !== undefined).join('\n\n') };
  }
  notes.refuse(`${path}.type`, 'does not accept references to documents; send the document as base64');
  return undefined;
}

function readResult(block: JsonObject, path: string, names: CallNames, notes: RequestNotes): ForeignPart {
  const parts = readContent(block.content ?? '', `${path}.content`, names, notes);
  const result = names.createResult(stringOrEmpty(block.tool_use_id), {
    ...readResultContent(parts, notes),
    ...(block.is_error === true && { hasFailed: true }),
  });
  return { ...result, ...readResultMark(parts) };
}
