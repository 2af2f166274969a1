import { isObject, type JsonObject, nonEmptyString } from '../../../base/json.ts';
import { customArguments } from '../../../wire/apis/customTools.ts';
import { stringOf } from '../../../wire/apis/encoding.ts';
import type { RequestTool } from '../../../wire/apis/functionTools.ts';
import type { ResponsesRequest } from '../../../wire/apis/responses/request.ts';
import {
  functionsIn,
  joinedName,
  kindOf,
  namespaceOf,
  type OfferedTool,
  offeredTools,
  searchName,
} from '../../../wire/apis/responses/tools.ts';
import type { ForeignPart } from '../../../wire/message.ts';
import type { ConversionNotes } from '../notes.ts';
import type { AskedMessage, AskedPart, AskedRequest, Settings } from './askedRequest.ts';
import { dropOthers, type FieldRules, objectsIn, setting, sortFields } from './fields.ts';
import { filePart, picturePart } from './pictures.ts';
import { ToolCallNames } from './toolCalls.ts';
import { customTool, flatChoice, namedFormat, otherTool, toolOf, toolsAsked } from './tools.ts';

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

/** Reads a request of responses. Throws an HttpError for what no other format can ask. */
export function readResponses(
  request: ResponsesRequest,
  notes: ConversionNotes,
  shared: readonly string[],
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

function settingsOf(request: ResponsesRequest, notes: ConversionNotes): Settings {
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
  };
}

/** Encrypted reasoning comes with every reply that has any. */
function checkIncluded(wanted: string, notes: ConversionNotes): void {
  if (wanted.includes('logprobs')) throw notes.refusal('include', 'cannot tell log probabilities here');
  if (wanted !== 'reasoning.encrypted_content') notes.drop('include');
}

/** Items of one speaker become one message. */
function readInput(input: ResponsesRequest['input'], notes: ConversionNotes): readonly AskedMessage[] {
  if (typeof input === 'string') return [{ role: 'user', parts: [textPart(input, 'input')], at: 'input' }];
  const names = new ToolCallNames();
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

function readItem(
  item: JsonObject,
  at: string,
  names: ToolCallNames,
  notes: ConversionNotes,
): readonly AskedPart[] {
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
      throw notes.refusal(
        `${at}.id`,
        'stores no items here; send them whole, as clients do with store: false',
      );
    default:
      throw notes.refusal(`${at}.type`, `cannot be sent an item of type ${stringOf(item.type).slice(0, 40)}`);
  }
}

/** @param field that holds what the tool is called with */
function readCall(
  item: JsonObject,
  field: string,
  at: string,
  names: ToolCallNames,
  notes: ConversionNotes,
): Extract<AskedPart, { type: 'toolCall' }> {
  const [id, name] = [stringOf(item.call_id), calledName(item)];
  dropOthers(item, ['type', 'call_id', 'name', 'namespace', field, 'id', 'status'], at, notes);
  names.note(id, name);
  return { type: 'toolCall', id, name, arguments: stringOf(item[field]), at };
}

function readSearch(item: JsonObject, at: string, names: ToolCallNames, notes: ConversionNotes): AskedPart {
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
function foundTools(item: JsonObject, at: string, names: ToolCallNames, notes: ConversionNotes): AskedPart {
  refuseProvidersOwn(item, at, notes);
  const found = flatTools(offeredTools({ input: [item] }), notes).map(({ name }) => name);
  const text =
    found.length === 0 ? 'No tool was found.' : `These tools can be called now: ${found.join(', ')}`;
  return { ...names.result(stringOf(item.call_id), { text }), at: `${at}.call_id` };
}

/** A search that the provider made has no call that others could answer. */
function refuseProvidersOwn({ execution }: JsonObject, at: string, notes: ConversionNotes): void {
  if (execution !== 'client') throw notes.refusal(`${at}.execution`, 'has no search for tools of its own');
}

function calledName(item: JsonObject): string {
  const namespace = nonEmptyString(item.namespace);
  return joinedName({ name: stringOf(item.name), ...(namespace !== undefined && { namespace }) });
}

function readResult(item: JsonObject, at: string, names: ToolCallNames, notes: ConversionNotes): ForeignPart {
  const parts = readContent(item.output, `${at}.output`, notes);
  const other = parts.find(({ type }) => type !== 'text' && type !== 'image');
  if (other) throw notes.refusal(other.at, 'has no results of tools but texts and pictures');
  const pictures = parts.filter((part) => part.type === 'image');
  return names.result(stringOf(item.call_id), {
    text: parts.map((part) => (part.type === 'text' ? part.text : '')).join(''),
    ...(pictures.length > 0 && { pictures }),
  });
}

function readContent(content: unknown, at: string, notes: ConversionNotes): readonly AskedPart[] {
  if (typeof content === 'string') return content === '' ? [] : [textPart(content, at)];
  return objectsIn(content).map((part, nth) => {
    const place = `${at}[${nth}]`;
    return { ...readPart(part, place, notes), at: place };
  });
}

function readPart(part: JsonObject, at: string, notes: ConversionNotes): ForeignPart {
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
      throw notes.refusal(`${at}.type`, `cannot be sent content of type ${stringOf(type).slice(0, 40)}`);
  }
}

function textPart(text: string, at: string): AskedPart {
  return { type: 'text', text, at };
}

/**
 * Tools as responses have them. Those in namespaces stand beside the others, by one name for both; those that the
 * conversation offers stand there from its beginning on.
 */
function flatTools(tools: readonly OfferedTool[], notes: ConversionNotes): readonly RequestTool[] {
  const byName = new Map<string, RequestTool>();
  for (const { tool, at, isLater } of tools) {
    const read =
      namespaceOf(tool) === undefined ? [flatTool(tool, at, notes)] : namespacedTools(tool, at, notes);
    for (const each of read) {
      if (byName.has(each.name) && !isLater)
        throw notes.refusal(at, 'wants a name of its own for every tool');
      byName.set(each.name, each);
    }
  }
  return [...byName.values()];
}

function flatTool(tool: JsonObject, at: string, notes: ConversionNotes): RequestTool {
  switch (kindOf(tool)) {
    case 'custom':
      dropOthers(tool, ['type', 'name', 'description', 'format'], at, notes);
      return customTool(tool, tool.format, at, notes);
    case 'search':
      dropOthers(tool, ['type', 'execution', 'description', 'parameters'], at, notes);
      return toolOf({ ...tool, name: searchName }, tool.parameters, at, notes);
    case 'function':
      dropOthers(tool, ['type', 'name', 'description', 'parameters', 'strict'], at, notes);
      return toolOf(tool, tool.parameters, at, notes);
    default:
      throw otherTool(tool, at, notes);
  }
}

/** What is said of a namespace goes along with its first function. */
function namespacedTools(tool: JsonObject, at: string, notes: ConversionNotes): readonly RequestTool[] {
  dropOthers(tool, ['type', 'name', 'description', 'tools'], at, notes);
  const namespace = namespaceOf(tool);
  const said = nonEmptyString(tool.description);
  return functionsIn(tool).map((inner, nth) => {
    const { name, description, ...told } = flatTool(inner, `${at}.tools[${nth}]`, notes);
    const intro = nth === 0 && said !== undefined ? [`${namespace}: ${said}`] : [];
    const described = [...intro, ...(description === undefined ? [] : [description])].join('\n\n');
    return {
      name: joinedName({ name, ...(namespace !== undefined && { namespace }) }),
      ...(described !== '' && { description: described }),
      ...told,
    };
  });
}
