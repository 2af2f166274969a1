import { isObject, type JsonObject, nonEmptyString } from '../../../base/json.ts';
import type { ForeignPart } from '../../message.ts';
import {
  type AskedMessage,
  type AskedPart,
  type AskedRequest,
  dropOthers,
  type FieldRules,
  filePart,
  objectsIn,
  picturePart,
  placed,
  type ReadOptions,
  type RequestNotes,
  resultContent,
  type Settings,
  setting,
  sortFields,
} from '../format/askedRequest.ts';
import { customTool, flatChoice, namedFormat, otherTool, toolOf, toolsAsked } from '../format/askedTools.ts';
import { customArguments } from '../format/customTools.ts';
import { CallNames, stringOf } from '../format/encoding.ts';
import { joinedName, type RequestTool } from '../format/functionTools.ts';
import type { ResponsesRequest } from './request.ts';
import { functionsIn, kindOf, namespaceOf, type OfferedTool, offeredTools, searchName } from './tools.ts';

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
    background: 'writes no responses in the background here',
    previous_response_id: 'stores no responses here; send the conversation in input',
    conversation: 'stores no conversations here; send it in input',
    prompt: 'stores no templates here; send the text in input',
    max_tool_calls: 'has no limit of tool calls',
    top_logprobs: 'cannot tell log probabilities here',
  },
};

/** Reads a request of responses. */
export function readResponses(
  request: ResponsesRequest,
  notes: RequestNotes,
  { shared }: ReadOptions,
): AskedRequest {
  const kept = Object.entries(request).filter(([name, value]) => shared.includes(name) && value != null);
  sortFields(request, { ...rules, read: [...rules.read, ...shared] }, notes);
  const { instructions } = request;
  const said = readInput(request.input, notes);
  return {
    messages: instructions
      ? [{ role: 'system', parts: [textPart(instructions, 'instructions')], at: 'instructions' }, ...said]
      : said,
    settings: settingsOf(request, notes),
    streamed: request.stream === true,
    shared: Object.fromEntries(kept),
    isSameProvider: shared.length > 0,
  };
}

function settingsOf(request: ResponsesRequest, notes: RequestNotes): Settings {
  const { format, verbosity, ...otherText } = request.text ?? {};
  const { effort, summary, ...otherReasoning } = request.reasoning ?? {};
  dropOthers(otherText, [], 'text', notes);
  dropOthers(otherReasoning, [], 'reasoning', notes);
  for (const wanted of request.include ?? []) checkIncluded(wanted, notes);
  return {
    temperature: setting(request.temperature, 'temperature'),
    topP: setting(request.top_p, 'top_p'),
    outputLimit: setting(request.max_output_tokens, 'max_output_tokens'),
    reasoningEffort: setting(effort, 'reasoning.effort'),
    thoughts: summary == null ? undefined : { value: true, at: 'reasoning.summary' },
    tools: toolsAsked(flatTools(offeredTools(request), notes)),
    toolChoice: setting(flatChoice(request.tool_choice, 'tool_choice', notes), 'tool_choice'),
    parallelCalls: setting(request.parallel_tool_calls, 'parallel_tool_calls'),
    ...namedFormat(format, format, 'text.format', notes),
    verbosity: setting(verbosity, 'text.verbosity'),
    pictures: setting(drawsPicture(request.tool_choice) || undefined, 'tool_choice'),
  };
}

function drawsPicture(choice: ResponsesRequest['tool_choice']): boolean {
  return isObject(choice) && choice.type === 'image_generation';
}

/** Encrypted reasoning comes with every reply that has any. */
function checkIncluded(wanted: string, notes: RequestNotes): void {
  if (wanted.includes('logprobs')) notes.refuse('include', 'cannot tell log probabilities here');
  else if (wanted !== 'reasoning.encrypted_content') notes.drop('include');
}

/** Items of one speaker become one message. */
function readInput(input: ResponsesRequest['input'], notes: RequestNotes): readonly AskedMessage[] {
  if (typeof input === 'string') return [{ role: 'user', parts: [textPart(input, 'input')], at: 'input' }];
  const names = new CallNames();
  const read: { readonly role: AskedMessage['role']; readonly parts: AskedPart[]; readonly at: string }[] =
    [];
  (input ?? []).forEach((item, nth) => {
    // Its tools stand with the others.
    if (item.type === 'additional_tools') return;
    const at = `input[${nth}]`;
    const role = roleOf(item);
    const parts = readItem(item, at, names, notes);
    const last = read.at(-1);
    if (last?.role === role && role !== 'system') last.parts.push(...parts);
    else read.push({ role, parts: [...parts], at });
  });
  return read;
}

function roleOf({ type, role }: JsonObject): AskedMessage['role'] {
  if (typeof type === 'string' && Object.hasOwn(speakers, type)) return speakers[type] ?? 'system';
  if (role === 'user' || role === 'assistant') return role;
  return 'system';
}

/** Whose message an item belongs to that says it by its type. */
const speakers: Readonly<Record<string, AskedMessage['role']>> = {
  reasoning: 'assistant',
  function_call: 'assistant',
  custom_tool_call: 'assistant',
  tool_search_call: 'assistant',
  function_call_output: 'user',
  custom_tool_call_output: 'user',
  tool_search_output: 'user',
};

function readItem(item: JsonObject, at: string, names: CallNames, notes: RequestNotes): readonly AskedPart[] {
  switch (item.type ?? 'message') {
    case 'message':
      dropOthers(item, ['type', 'role', 'content', 'id', 'status'], at, notes);
      return readContent(item.content, `${at}.content`, notes);
    case 'reasoning': {
      const signature = nonEmptyString(item.encrypted_content);
      const text = [...objectsIn(item.summary), ...objectsIn(item.content)].map(({ text }) => stringOf(text));
      return [{ type: 'reasoning', text: text.join('\n\n'), ...(signature && { signature }), at }];
    }
    case 'function_call':
      return [readCall(item, 'arguments', at, names, notes)];
    case 'custom_tool_call': {
      const call = readCall(item, 'input', at, names, notes);
      return [{ ...call, arguments: customArguments(call.arguments) }];
    }
    case 'tool_search_call':
      return [readSearch(item, at, names, notes)];
    case 'tool_search_output':
      return [foundTools(item, at, names, notes)];
    case 'function_call_output':
    case 'custom_tool_call_output':
      dropOthers(item, ['type', 'call_id', 'output', 'id', 'status'], at, notes);
      return [{ ...readResult(item, at, names, notes), at: `${at}.call_id` }];
    case 'item_reference':
      notes.refuse(`${at}.id`, 'stores no items here; send them whole, as clients do with store: false');
      return [];
    default:
      notes.refuse(`${at}.type`, `cannot be sent an item of type ${stringOf(item.type).slice(0, 40)}`);
      return [];
  }
}

/** @param field that holds what the tool is called with */
function readCall(
  item: JsonObject,
  field: string,
  at: string,
  names: CallNames,
  notes: RequestNotes,
): Extract<AskedPart, { type: 'toolCall' }> {
  const [id, name] = [stringOf(item.call_id), calledName(item)];
  dropOthers(item, ['type', 'call_id', 'name', 'namespace', field, 'id', 'status'], at, notes);
  names.note({ id, name });
  return { type: 'toolCall', id, name, arguments: stringOf(item[field]), at };
}

function readSearch(item: JsonObject, at: string, names: CallNames, notes: RequestNotes): AskedPart {
  refuseProvidersOwn(item, at, notes);
  const { call_id, arguments: told } = item;
  const text = typeof told === 'string' ? told : JSON.stringify(told ?? {});
  const call = {
    type: item.type,
    name: searchName,
    call_id,
    arguments: text,
    id: item.id,
    status: item.status,
  };
  return readCall(call, 'arguments', at, names, notes);
}

/** The names of what was found, which can be called from then on. */
function foundTools(item: JsonObject, at: string, names: CallNames, notes: RequestNotes): AskedPart {
  refuseProvidersOwn(item, at, notes);
  const found = flatTools(offeredTools({ input: [item] }), notes).map(({ name }) => name);
  const text =
    found.length === 0 ? 'No tool was found.' : `These tools can be called now: ${found.join(', ')}`;
  return { ...names.result(stringOf(item.call_id), { text }), at: `${at}.call_id` };
}

/** A search that the provider made has no call that others could answer. */
function refuseProvidersOwn({ execution }: JsonObject, at: string, notes: RequestNotes): void {
  if (execution !== 'client') notes.refuse(`${at}.execution`, 'has no search for tools of its own');
}

function calledName(item: JsonObject): string {
  const namespace = nonEmptyString(item.namespace);
  return joinedName({ name: stringOf(item.name), ...(namespace !== undefined && { namespace }) });
}

function readResult(item: JsonObject, at: string, names: CallNames, notes: RequestNotes): ForeignPart {
  const parts = readContent(item.output, `${at}.output`, notes);
  return names.result(stringOf(item.call_id), resultContent(parts, notes));
}

function readContent(content: unknown, at: string, notes: RequestNotes): readonly AskedPart[] {
  if (typeof content === 'string') return content === '' ? [] : [textPart(content, at)];
  return objectsIn(content).flatMap((part, nth) => {
    const place = `${at}[${nth}]`;
    return placed(readPart(part, place, notes), place);
  });
}

function readPart(part: JsonObject, at: string, notes: RequestNotes): ForeignPart | undefined {
  const { type, text, refusal, image_url: url, file_data, filename } = part;
  switch (type) {
    case 'input_text':
    case 'output_text':
    case 'text':
    case 'summary_text':
    case 'refusal': {
      const unsaid = { ...part, annotations: undefined, logprobs: undefined };
      dropOthers(unsaid, ['type', 'text', 'refusal'], at, notes);
      return { type: 'text', text: stringOf(text ?? refusal) };
    }
    case 'input_image':
      dropOthers(part, ['type', 'image_url', ...(part.detail === 'auto' ? ['detail'] : [])], at, notes);
      return picturePart(isObject(url) ? url.url : url, `${at}.image_url`, notes);
    case 'input_file':
      dropOthers(part, ['type', 'file_data', 'filename', 'file_id', 'file_url'], at, notes);
      return filePart(file_data, nonEmptyString(filename), at, notes);
    default:
      notes.refuse(`${at}.type`, `cannot be sent content of type ${stringOf(type).slice(0, 40)}`);
      return undefined;
  }
}

function textPart(text: string, at: string): AskedPart {
  return { type: 'text', text, at };
}

/**
 * Tools as responses have them. Those in namespaces stand beside the others, by one name for both; those that the
 * conversation offers stand there from its beginning on.
 */
function flatTools(tools: readonly OfferedTool[], notes: RequestNotes): readonly RequestTool[] {
  const byName = new Map<string, RequestTool>();
  for (const { tool, at, isLater } of tools) {
    const read =
      namespaceOf(tool) === undefined ? flatTool(tool, at, notes) : namespacedTools(tool, at, notes);
    for (const each of read) {
      if (byName.has(each.name) && !isLater) notes.refuse(at, 'wants a name of its own for every tool');
      byName.set(each.name, each);
    }
  }
  return [...byName.values()];
}

function flatTool(tool: JsonObject, at: string, notes: RequestNotes): readonly RequestTool[] {
  switch (kindOf(tool)) {
    case 'custom':
      dropOthers(tool, ['type', 'name', 'description', 'format'], at, notes);
      return [customTool(tool, tool.format, at, notes) ?? []].flat();
    case 'search':
      dropOthers(tool, ['type', 'execution', 'description', 'parameters'], at, notes);
      return [toolOf({ ...tool, name: searchName }, tool.parameters, at, notes) ?? []].flat();
    case 'function':
      dropOthers(tool, ['type', 'name', 'description', 'parameters', 'strict'], at, notes);
      return [toolOf(tool, tool.parameters, at, notes) ?? []].flat();
    default:
      return otherTool(tool, at, notes);
  }
}

/** What is said of a namespace goes along with its first function. */
function namespacedTools(tool: JsonObject, at: string, notes: RequestNotes): readonly RequestTool[] {
  dropOthers(tool, ['type', 'name', 'description', 'tools'], at, notes);
  const namespace = namespaceOf(tool);
  const said = nonEmptyString(tool.description);
  const functions = functionsIn(tool).flatMap((inner, nth) => flatTool(inner, `${at}.tools[${nth}]`, notes));
  return functions.map(({ name, description, ...told }, nth) => {
    const intro = nth === 0 && said !== undefined ? [`${namespace}: ${said}`] : [];
    const described = [...intro, ...(description === undefined ? [] : [description])].join('\n\n');
    return {
      name: joinedName({ name, ...(namespace !== undefined && { namespace }) }),
      ...(described !== '' && { description: described }),
      ...told,
    };
  });
}
