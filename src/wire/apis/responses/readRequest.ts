import { isObject, type JsonObject, nonEmptyString, objectsIn } from '../../../base/json.ts';
import type { ForeignPart } from '../../message.ts';
import { writeCustomArguments } from '../shared/customTools.ts';
import { joinName, type RequestTool } from '../shared/functionTools.ts';
import { CallNames, stringOrEmpty } from '../shared/messageParts.ts';
import {
  addPath,
  cacheMembers,
  checkFields,
  dropUnknownMembers,
  type FieldRules,
  type ReadOptions,
  type ReceivedMessage,
  type ReceivedPart,
  type ReceivedRequest,
  type RequestNotes,
  readCacheMark,
  readFile,
  readPicture,
  readResultContent,
  readResultMark,
  type Settings,
  toSetting,
} from '../shared/receivedRequest.ts';
import {
  convertCustomTool,
  readResponseFormat,
  readTool,
  readToolChoice,
  refuseTool,
  toToolsSetting,
} from '../shared/receivedTools.ts';
import type { ResponsesRequest } from './schema.ts';
import {
  findNamespace,
  findToolKind,
  listOfferedTools,
  listTools,
  type OfferedTool,
  searchName,
} from './tools.ts';

const rules: FieldRules = {
  read: [
    'model',
    'input',
    'instructions',
    'stream',
    'stream_options',
    'max_output_tokens',
    'temperature',
    'top_p',
    'reasoning',
    'text',
    'tools',
    'tool_choice',
    'parallel_tool_calls',
    'include',
  ],
  hints: [
    'metadata',
    'user',
    'safety_identifier',
    'service_tier',
    'store',
    'truncation',
    'client_metadata',
    'prompt_cache_key',
    'prompt_cache_retention',
    'prompt_cache_options',
    'context_management',
    'access_programs',
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
          { role: 'system', parts: [createTextPart(instructions, 'instructions')], path: 'instructions' },
          ...messages,
        ]
      : messages,
    settings: readSettings(request, notes),
    isStreamed: request.stream === true,
    shared: Object.fromEntries(sharedFields),
    isSameProvider: shared.length > 0,
  };
}

function readSettings(request: ResponsesRequest, notes: RequestNotes): Settings {
  const { format, verbosity, ...otherText } = request.text ?? {};
  const { effort, summary, ...otherReasoning } = request.reasoning ?? {};
  dropUnknownMembers(otherText, [], 'text', notes);
  dropUnknownMembers(otherReasoning, [], 'reasoning', notes);
  for (const name of request.include ?? []) checkIncluded(name, notes);
  return {
    temperature: toSetting(request.temperature, 'temperature'),
    topP: toSetting(request.top_p, 'top_p'),
    outputLimit: toSetting(request.max_output_tokens, 'max_output_tokens'),
    reasoningEffort: toSetting(effort, 'reasoning.effort'),
    thoughts: summary == null ? undefined : { value: true, path: 'reasoning.summary' },
    tools: toToolsSetting(flattenTools(listOfferedTools(request), notes)),
    toolChoice: toSetting(readToolChoice(request.tool_choice, 'tool_choice', notes), 'tool_choice'),
    parallelCalls: toSetting(request.parallel_tool_calls, 'parallel_tool_calls'),
    ...readResponseFormat(format, format, 'text.format', notes),
    verbosity: toSetting(verbosity, 'text.verbosity'),
    pictures: toSetting(requestsPicture(request.tool_choice) || undefined, 'tool_choice'),
  };
}

function requestsPicture(choice: ResponsesRequest['tool_choice']): boolean {
  return isObject(choice) && choice.type === 'image_generation';
}

/** Accepts `reasoning.encrypted_content`: every reply with encrypted reasoning includes it anyway. */
function checkIncluded(name: string, notes: RequestNotes): void {
  if (name.includes('logprobs')) notes.refuse('include', 'cannot return log probabilities here');
  else if (name !== 'reasoning.encrypted_content') notes.drop('include');
}

/** Consecutive items of one role become one message. */
function readInput(input: ResponsesRequest['input'], notes: RequestNotes): readonly ReceivedMessage[] {
  if (typeof input === 'string')
    return [{ role: 'user', parts: [createTextPart(input, 'input')], path: 'input' }];
  const names = new CallNames();
  const received: (ReceivedMessage & { readonly parts: ReceivedPart[] })[] = [];
  (input ?? []).forEach((item, index) => {
    // `listOfferedTools` reads its tools.
    if (item.type === 'additional_tools') return;
    const path = `input[${index}]`;
    const role = readRole(item);
    const parts = readItem(item, path, names, notes);
    const last = received.at(-1);
    if (last?.role === role && role !== 'system') for (const part of parts) last.parts.push(part);
    else received.push({ role, parts: [...parts], path });
  });
  return received;
}

function readRole({ type, role }: JsonObject): ReceivedMessage['role'] {
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
      const text = [...objectsIn(item.summary), ...objectsIn(item.content)].map(({ text }) =>
        stringOrEmpty(text),
      );
      return [{ type: 'reasoning', text: text.join('\n\n'), ...(signature && { signature }), path }];
    }
    case 'function_call':
      return [readCall(item, 'arguments', path, names, notes)];
    case 'custom_tool_call': {
      const call = readCall(item, 'input', path, names, notes);
      return [{ ...call, arguments: writeCustomArguments(call.arguments) }];
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
      notes.refuse(
        `${path}.type`,
        `does not accept an item of type ${stringOrEmpty(item.type).slice(0, 40)}`,
      );
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
  const [id, name] = [stringOrEmpty(item.call_id), readCalledName(item)];
  dropUnknownMembers(item, ['type', 'call_id', 'name', 'namespace', field, 'id', 'status'], path, notes);
  names.add({ id, name });
  return { type: 'toolCall', id, name, arguments: stringOrEmpty(item[field]), path };
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
  const tools = flattenTools(listTools(item.tools, `${path}.tools`, true), notes).map(({ name }) => name);
  const text =
    tools.length === 0 ? 'No tool was found.' : `These tools can be called now: ${tools.join(', ')}`;
  return { ...names.createResult(stringOrEmpty(item.call_id), { text }), path: `${path}.call_id` };
}

/** A search that the provider ran has no call that another provider could resolve. */
function refuseProviderSearch({ execution }: JsonObject, path: string, notes: RequestNotes): void {
  if (execution !== 'client') notes.refuse(`${path}.execution`, 'has no tool search of its own');
}

function readCalledName(item: JsonObject): string {
  const namespace = nonEmptyString(item.namespace);
  return joinName({ name: stringOrEmpty(item.name), ...(namespace !== undefined && { namespace }) });
}

function readResult(item: JsonObject, path: string, names: CallNames, notes: RequestNotes): ForeignPart {
  const parts = readContent(item.output, `${path}.output`, notes);
  return {
    ...names.createResult(stringOrEmpty(item.call_id), readResultContent(parts, notes)),
    ...readResultMark(parts),
  };
}

function readContent(content: unknown, path: string, notes: RequestNotes): readonly ReceivedPart[] {
  if (typeof content === 'string') return content === '' ? [] : [createTextPart(content, path)];
  return objectsIn(content).flatMap((part, index) => {
    const partPath = `${path}[${index}]`;
    return addPath(readPart(part, partPath, notes), partPath, readCacheMark(part, `${partPath}.`, notes));
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
      return { type: 'text', text: stringOrEmpty(text ?? refusal) };
    }
    case 'input_image':
      dropUnknownMembers(
        part,
        ['type', 'image_url', ...cacheMembers, ...(part.detail === 'auto' ? ['detail'] : [])],
        path,
        notes,
      );
      return readPicture(isObject(url) ? url.url : url, `${path}.image_url`, notes);
    case 'input_file':
      dropUnknownMembers(
        part,
        ['type', 'file_data', 'filename', 'file_id', 'file_url', ...cacheMembers],
        path,
        notes,
      );
      return readFile(file_data, nonEmptyString(filename), path, notes);
    default:
      notes.refuse(`${path}.type`, `does not accept content of type ${stringOrEmpty(type).slice(0, 40)}`);
      return undefined;
  }
}

function createTextPart(text: string, path: string): ReceivedPart {
  return { type: 'text', text, path };
}

/**
 * The tools of a request in one list. A tool in a namespace has a joined name. Tools that an item of the conversation
 * offers are available from the start.
 */
function flattenTools(tools: readonly OfferedTool[], notes: RequestNotes): readonly RequestTool[] {
  const byName = new Map<string, RequestTool>();
  for (const { tool, path, isLater } of tools) {
    const requestTools =
      findNamespace(tool) === undefined
        ? readSingleTool(tool, path, notes)
        : readNamespace(tool, path, notes);
    for (const each of requestTools) {
      if (byName.has(each.name) && !isLater) notes.refuse(path, 'requires a unique name for every tool');
      byName.set(each.name, each);
    }
  }
  return [...byName.values()];
}

function readSingleTool(tool: JsonObject, path: string, notes: RequestNotes): readonly RequestTool[] {
  switch (findToolKind(tool)) {
    case 'custom':
      dropUnknownMembers(tool, ['type', 'name', 'description', 'format'], path, notes);
      return [convertCustomTool(tool, tool.format, path, notes) ?? []].flat();
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
function readNamespace(tool: JsonObject, path: string, notes: RequestNotes): readonly RequestTool[] {
  dropUnknownMembers(tool, ['type', 'name', 'description', 'tools'], path, notes);
  const namespace = findNamespace(tool);
  const namespaceDescription = nonEmptyString(tool.description);
  const functions = objectsIn(tool.tools).flatMap((inner, index) =>
    readSingleTool(inner, `${path}.tools[${index}]`, notes),
  );
  return functions.map(({ name, description, ...others }, index) => {
    const prefix =
      index === 0 && namespaceDescription !== undefined ? [`${namespace}: ${namespaceDescription}`] : [];
    const fullDescription = [...prefix, ...(description === undefined ? [] : [description])].join('\n\n');
    return {
      name: joinName({ name, ...(namespace !== undefined && { namespace }) }),
      ...(fullDescription !== '' && { description: fullDescription }),
      ...others,
    };
  });
}
