import { isObject, type JsonObject, nonEmptyString, objectsIn } from '../../../base/json.ts';
import type { ForeignPart } from '../../message.ts';
import { customArguments } from '../shared/customTools.ts';
import { joinedName, type RequestTool } from '../shared/functionTools.ts';
import { CallNames, stringOf } from '../shared/messageParts.ts';
import {
  cacheMarkOf,
  cacheMembers,
  checkFields,
  dropUnknownMembers,
  type FieldRules,
  filePart,
  partsWithPath,
  picturePart,
  type ReadOptions,
  type ReceivedMessage,
  type ReceivedPart,
  type ReceivedRequest,
  type RequestNotes,
  resultContent,
  resultMark,
  type Settings,
  setting,
} from '../shared/receivedRequest.ts';
import {
  customTool,
  readResponseFormat,
  readTool,
  readToolChoice,
  refuseTool,
  toolsSetting,
} from '../shared/receivedTools.ts';
import type { ResponsesRequest } from './schema.ts';
import { kindOf, namespaceOf, type OfferedTool, offeredTools, searchName, toolsIn } from './tools.ts';

const rules: FieldRules = {
  read: [
    ...['model', 'input', 'instructions', 'stream', 'stream_options', 'max_output_tokens', 'temperature'],
    ...['top_p', 'reasoning', 'text', 'tools', 'tool_choice', 'parallel_tool_calls', 'include'],
  ],
  hints: [
    ...['metadata', 'user', 'safety_identifier', 'service_tier', 'store', 'truncation', 'client_metadata'],
    ...['prompt_cache_key', 'prompt_cache_retention', 'prompt_cache_options', 'context_management'],
    ...['access_programs'],
  ],
  constraints: {
    background: 'does not write responses in the background here',
    previous_response_id: 'does not store responses here; send the conversation in input',
    conversation: 'does not store conversations here; send it in input',
    prompt: 'does not store templates here; send the text in input',
    max_tool_calls: 'has no limit for tool calls',
    top_logprobs: 'cannot return log probabilities here',
  },
};

export function readResponses(
  request: ResponsesRequest,
  notes: RequestNotes,
  { shared }: ReadOptions,
): ReceivedRequest {
  const sharedFields = Object.entries(request).filter(
    ([name, value]) => shared.includes(name) && value != null,
  );
  checkFields(request, { ...rules, read: [...rules.read, ...shared] }, notes);
  const { instructions } = request;
  const messages = readInput(request.input, notes);
  return {
    messages: instructions
      ? [
          { role: 'system', parts: [textPart(instructions, 'instructions')], path: 'instructions' },
          ...messages,
        ]
      : messages,
    settings: settingsOf(request, notes),
    isStreamed: request.stream === true,
    shared: Object.fromEntries(sharedFields),
    isSameProvider: shared.length > 0,
  };
}

function settingsOf(request: ResponsesRequest, notes: RequestNotes): Settings {
  const { format, verbosity, ...otherText } = request.text ?? {};
  const { effort, summary, ...otherReasoning } = request.reasoning ?? {};
  dropUnknownMembers(otherText, [], 'text', notes);
  dropUnknownMembers(otherReasoning, [], 'reasoning', notes);
  for (const name of request.include ?? []) checkIncluded(name, notes);
  return {
    temperature: setting(request.temperature, 'temperature'),
    topP: setting(request.top_p, 'top_p'),
    outputLimit: setting(request.max_output_tokens, 'max_output_tokens'),
    reasoningEffort: setting(effort, 'reasoning.effort'),
    thoughts: summary == null ? undefined : { value: true, path: 'reasoning.summary' },
    tools: toolsSetting(flatTools(offeredTools(request), notes)),
    toolChoice: setting(readToolChoice(request.tool_choice, 'tool_choice', notes), 'tool_choice'),
    parallelCalls: setting(request.parallel_tool_calls, 'parallel_tool_calls'),
    ...readResponseFormat(format, format, 'text.format', notes),
    verbosity: setting(verbosity, 'text.verbosity'),
    pictures: setting(drawsPicture(request.tool_choice) || undefined, 'tool_choice'),
  };
}

function drawsPicture(choice: ResponsesRequest['tool_choice']): boolean {
  return isObject(choice) && choice.type === 'image_generation';
}

/** Accepts `reasoning.encrypted_content`: every reply with encrypted reasoning includes it anyway. */
function checkIncluded(name: string, notes: RequestNotes): void {
  if (name.includes('logprobs')) notes.refuse('include', 'cannot return log probabilities here');
  else if (name !== 'reasoning.encrypted_content') notes.drop('include');
}

/** Consecutive items of one role become one message. */
function readInput(input: ResponsesRequest['input'], notes: RequestNotes): readonly ReceivedMessage[] {
  if (typeof input === 'string') return [{ role: 'user', parts: [textPart(input, 'input')], path: 'input' }];
  const names = new CallNames();
  const received: (ReceivedMessage & { readonly parts: ReceivedPart[] })[] = [];
  (input ?? []).forEach((item, index) => {
    // `offeredTools` reads its tools.
    if (item.type === 'additional_tools') return;
    const path = `input[${index}]`;
    const role = roleOf(item);
    const parts = readItem(item, path, names, notes);
    const last = received.at(-1);
    if (last?.role === role && role !== 'system') last.parts.push(...parts);
    else received.push({ role, parts: [...parts], path });
  });
  return received;
}

function roleOf({ type, role }: JsonObject): ReceivedMessage['role'] {
  return rolesByType.get(type) ?? (role === 'user' || role === 'assistant' ? role : 'system');
}

/** The roles of items whose type determines the role. */
const rolesByType: ReadonlyMap<unknown, ReceivedMessage['role']> = new Map([
  ['reasoning', 'assistant'],
  ['function_call', 'assistant'],
  ['custom_tool_call', 'assistant'],
  ['tool_search_call', 'assistant'],
  ['function_call_output', 'user'],
  ['custom_tool_call_output', 'user'],
  ['tool_search_output', 'user'],
]);

function readItem(
  item: JsonObject,
  path: string,
  names: CallNames,
  notes: RequestNotes,
): readonly ReceivedPart[] {
  switch (item.type ?? 'message') {
    case 'message':
      dropUnknownMembers(item, ['type', 'role', 'content', 'id', 'status'], path, notes);
      return readContent(item.content, `${path}.content`, notes);
    case 'reasoning': {
      const signature = nonEmptyString(item.encrypted_content);
      const text = [...objectsIn(item.summary), ...objectsIn(item.content)].map(({ text }) => stringOf(text));
      return [{ type: 'reasoning', text: text.join('\n\n'), ...(signature && { signature }), path }];
    }
    case 'function_call':
      return [readCall(item, 'arguments', path, names, notes)];
    case 'custom_tool_call': {
      const call = readCall(item, 'input', path, names, notes);
      return [{ ...call, arguments: customArguments(call.arguments) }];
    }
    case 'tool_search_call':
      return [readSearch(item, path, names, notes)];
    case 'tool_search_output':
      return [readSearchResult(item, path, names, notes)];
    case 'function_call_output':
    case 'custom_tool_call_output':
      dropUnknownMembers(item, ['type', 'call_id', 'output', 'id', 'status'], path, notes);
      return [{ ...readResult(item, path, names, notes), path: `${path}.call_id` }];
    case 'item_reference':
      notes.refuse(
        `${path}.id`,
        'does not store items here; send whole items, as clients do with store: false',
      );
      return [];
    default:
      notes.refuse(`${path}.type`, `does not accept an item of type ${stringOf(item.type).slice(0, 40)}`);
      return [];
  }
}

/** @param field the member with the arguments of the call */
function readCall(
  item: JsonObject,
  field: string,
  path: string,
  names: CallNames,
  notes: RequestNotes,
): Extract<ReceivedPart, { type: 'toolCall' }> {
  const [id, name] = [stringOf(item.call_id), calledName(item)];
  dropUnknownMembers(item, ['type', 'call_id', 'name', 'namespace', field, 'id', 'status'], path, notes);
  names.note({ id, name });
  return { type: 'toolCall', id, name, arguments: stringOf(item[field]), path };
}

function readSearch(item: JsonObject, path: string, names: CallNames, notes: RequestNotes): ReceivedPart {
  refuseProviderSearch(item, path, notes);
  const { call_id, arguments: args } = item;
  const text = typeof args === 'string' ? args : JSON.stringify(args ?? {});
  const call = {
    type: item.type,
    name: searchName,
    call_id,
    arguments: text,
    id: item.id,
    status: item.status,
  };
  return readCall(call, 'arguments', path, names, notes);
}

/** The result of a tool search: the names of the tools, which the model can call from then on. */
function readSearchResult(
  item: JsonObject,
  path: string,
  names: CallNames,
  notes: RequestNotes,
): ReceivedPart {
  refuseProviderSearch(item, path, notes);
  const tools = flatTools(toolsIn(item.tools, `${path}.tools`, true), notes).map(({ name }) => name);
  const text =
    tools.length === 0 ? 'No tool was found.' : `These tools can be called now: ${tools.join(', ')}`;
  return { ...names.result(stringOf(item.call_id), { text }), path: `${path}.call_id` };
}

/** A search that the provider ran has no call that another provider could resolve. */
function refuseProviderSearch({ execution }: JsonObject, path: string, notes: RequestNotes): void {
  if (execution !== 'client') notes.refuse(`${path}.execution`, 'has no tool search of its own');
}

function calledName(item: JsonObject): string {
  const namespace = nonEmptyString(item.namespace);
  return joinedName({ name: stringOf(item.name), ...(namespace !== undefined && { namespace }) });
}

function readResult(item: JsonObject, path: string, names: CallNames, notes: RequestNotes): ForeignPart {
  const parts = readContent(item.output, `${path}.output`, notes);
  return { ...names.result(stringOf(item.call_id), resultContent(parts, notes)), ...resultMark(parts) };
}

function readContent(content: unknown, path: string, notes: RequestNotes): readonly ReceivedPart[] {
  if (typeof content === 'string') return content === '' ? [] : [textPart(content, path)];
  return objectsIn(content).flatMap((part, index) => {
    const partPath = `${path}[${index}]`;
    return partsWithPath(readPart(part, partPath, notes), partPath, cacheMarkOf(part, `${partPath}.`, notes));
  });
}

function readPart(part: JsonObject, path: string, notes: RequestNotes): ForeignPart | undefined {
  const { type, text, refusal, image_url: url, file_data, filename } = part;
  switch (type) {
    case 'input_text':
    case 'output_text':
    case 'text':
    case 'summary_text':
    case 'refusal': {
      const content = { ...part, annotations: undefined, logprobs: undefined };
      dropUnknownMembers(content, ['type', 'text', 'refusal', ...cacheMembers], path, notes);
      return { type: 'text', text: stringOf(text ?? refusal) };
    }
    case 'input_image':
      dropUnknownMembers(
        part,
        ['type', 'image_url', ...cacheMembers, ...(part.detail === 'auto' ? ['detail'] : [])],
        path,
        notes,
      );
      return picturePart(isObject(url) ? url.url : url, `${path}.image_url`, notes);
    case 'input_file':
      dropUnknownMembers(
        part,
        ['type', 'file_data', 'filename', 'file_id', 'file_url', ...cacheMembers],
        path,
        notes,
      );
      return filePart(file_data, nonEmptyString(filename), path, notes);
    default:
      notes.refuse(`${path}.type`, `does not accept content of type ${stringOf(type).slice(0, 40)}`);
      return undefined;
  }
}

function textPart(text: string, path: string): ReceivedPart {
  return { type: 'text', text, path };
}

/**
 * The tools of responses in one list. Tools in namespaces get a joined name. Tools that an item of the
 * conversation offers are available from the start.
 */
function flatTools(tools: readonly OfferedTool[], notes: RequestNotes): readonly RequestTool[] {
  const byName = new Map<string, RequestTool>();
  for (const { tool, path, isLater } of tools) {
    const read =
      namespaceOf(tool) === undefined ? flatTool(tool, path, notes) : namespacedTools(tool, path, notes);
    for (const each of read) {
      if (byName.has(each.name) && !isLater) notes.refuse(path, 'requires a unique name for every tool');
      byName.set(each.name, each);
    }
  }
  return [...byName.values()];
}

function flatTool(tool: JsonObject, path: string, notes: RequestNotes): readonly RequestTool[] {
  switch (kindOf(tool)) {
    case 'custom':
      dropUnknownMembers(tool, ['type', 'name', 'description', 'format'], path, notes);
      return [customTool(tool, tool.format, path, notes) ?? []].flat();
    case 'search':
      dropUnknownMembers(tool, ['type', 'execution', 'description', 'parameters'], path, notes);
      return [readTool({ ...tool, name: searchName }, tool.parameters, path, notes) ?? []].flat();
    case 'function':
      dropUnknownMembers(tool, ['type', 'name', 'description', 'parameters', 'strict'], path, notes);
      return [readTool(tool, tool.parameters, path, notes) ?? []].flat();
    default:
      return refuseTool(tool, path, notes);
  }
}

/** The description of a namespace is added to its first function. */
function namespacedTools(tool: JsonObject, path: string, notes: RequestNotes): readonly RequestTool[] {
  dropUnknownMembers(tool, ['type', 'name', 'description', 'tools'], path, notes);
  const namespace = namespaceOf(tool);
  const namespaceDescription = nonEmptyString(tool.description);
  const functions = objectsIn(tool.tools).flatMap((inner, index) =>
    flatTool(inner, `${path}.tools[${index}]`, notes),
  );
  return functions.map(({ name, description, ...others }, index) => {
    const prefix =
      index === 0 && namespaceDescription !== undefined ? [`${namespace}: ${namespaceDescription}`] : [];
    const fullDescription = [...prefix, ...(description === undefined ? [] : [description])].join('\n\n');
    return {
      name: joinedName({ name, ...(namespace !== undefined && { namespace }) }),
      ...(fullDescription !== '' && { description: fullDescription }),
      ...others,
    };
  });
}
