import { isObject, type JsonObject, nonEmptyString } from '../../../base/json.ts';
import type { CacheMark, ForeignPart } from '../../message.ts';
import { writeCustomArguments } from '../shared/customTools.ts';
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
  readNestedTools,
  readResponseFormat,
  readToolChoice,
  toToolsSetting,
} from '../shared/receivedTools.ts';
import type { ChatCompletionsRequest } from './schema.ts';
import { readThoughtSignature } from './toolCalls.ts';

const rules: FieldRules = {
  read: [
    'model',
    'messages',
    'stream',
    'stream_options',
    'temperature',
    'top_p',
    'top_k',
    'n',
    'stop',
    'max_tokens',
    'max_completion_tokens',
    'presence_penalty',
    'frequency_penalty',
    'seed',
    'reasoning_effort',
    'response_format',
    'tools',
    'tool_choice',
    'parallel_tool_calls',
    'verbosity',
    'modalities',
    'extra_body',
    'cache_control',
  ],
  hints: [
    'metadata',
    'user',
    'safety_identifier',
    'service_tier',
    'store',
    'prediction',
    'prompt_cache_key',
    'prompt_cache_retention',
    'prompt_cache_options',
  ],
  constraints: {
    logprobs: 'cannot return log probabilities here',
    top_logprobs: 'cannot return log probabilities here',
    logit_bias: 'has no token biases',
    audio: 'cannot return audio here',
    web_search_options: 'does not offer web search here',
    functions: 'does not support this older form; send tools',
    function_call: 'does not support this older form; send tool_choice',
    moderation: 'does not offer moderation here',
  },
  switches: ['web_search_options'],
};

export function readChatCompletions(
  request: ChatCompletionsRequest,
  notes: RequestNotes,
  { shared }: ReadOptions,
): ReceivedRequest {
  const sharedFields = Object.entries(request).filter(
    ([name, value]) => shared.includes(name) && value != null,
  );
  checkFields(request, { ...rules, read: [...rules.read, ...shared] }, notes);
  return {
    messages: readMessages(request.messages, notes),
    settings: readSettings(request, notes),
    isStreamed: request.stream === true,
    shared: Object.fromEntries(sharedFields),
    isSameProvider: shared.length > 0,
  };
}

function readSettings(request: ChatCompletionsRequest, notes: RequestNotes): Settings {
  const {
    stop,
    modalities,
    response_format: format,
    top_k,
    verbosity,
  } = request as JsonObject & ChatCompletionsRequest;
  const extra = readExtraFields(request.extra_body, notes);
  const limitName = request.max_completion_tokens == null ? 'max_tokens' : 'max_completion_tokens';
  return {
    temperature: toSetting(request.temperature, 'temperature'),
    topP: toSetting(request.top_p, 'top_p'),
    topK: toSetting(typeof top_k === 'number' ? top_k : undefined, 'top_k'),
    presencePenalty: toSetting(request.presence_penalty, 'presence_penalty'),
    frequencyPenalty: toSetting(request.frequency_penalty, 'frequency_penalty'),
    seed: toSetting(request.seed, 'seed'),
    stop: toSetting(typeof stop === 'string' ? [stop] : stop, 'stop'),
    outputLimit: toSetting(request[limitName], limitName),
    choices: toSetting(request.n, 'n'),
    reasoningEffort: toSetting(request.reasoning_effort, 'reasoning_effort') ?? extra.reasoningEffort,
    thoughts: extra.thoughts,
    tools: toToolsSetting(readNestedTools(request.tools, notes)),
    toolChoice: toSetting(readToolChoice(request.tool_choice, 'tool_choice', notes), 'tool_choice'),
    parallelCalls: toSetting(request.parallel_tool_calls, 'parallel_tool_calls'),
    ...readResponseFormat(format, format?.json_schema, 'response_format', notes),
    verbosity: toSetting(nonEmptyString(verbosity), 'verbosity'),
    pictures: toSetting(requestsPictures(modalities, notes), 'modalities'),
    endMark: toSetting(readCacheMark(request, '', notes), 'cache_control'),
    cachedContent: extra.cachedContent,
  };
}

function requestsPictures(
  modalities: ChatCompletionsRequest['modalities'],
  notes: RequestNotes,
): true | undefined {
  const others = (modalities ?? []).filter((modality) => modality !== 'text');
  if (others.some((modality) => modality !== 'image'))
    notes.refuse('modalities', 'can return only text and pictures');
  return others.includes('image') || undefined;
}

/** Reads the fields in `extra_body`, with which Google extends chat completions. */
function readExtraFields(
  extra: unknown,
  notes: RequestNotes,
): Pick<Settings, 'reasoningEffort' | 'thoughts' | 'cachedContent'> {
  if (!isObject(extra)) return {};
  dropUnknownMembers(extra, ['google'], 'extra_body', notes);
  if (!isObject(extra.google)) return {};
  checkFields(extra.google, googleRules, notes, `${googlePath}.`);
  const { thinking_config: thinking, cached_content: name } = extra.google;
  const cachedContent = toSetting(nonEmptyString(name), `${googlePath}.cached_content`);
  if (!isObject(thinking)) return { cachedContent };
  const path = `${googlePath}.thinking_config`;
  const isShown = thinking.include_thoughts === true;
  return {
    cachedContent,
    reasoningEffort: readEffort(thinking, path, notes),
    thoughts: isShown ? { value: true, path: `${path}.include_thoughts` } : undefined,
  };
}

const googlePath = 'extra_body.google';

/** The fields of content generation that a request of chat completions may contain, with names in snake case. */
const googleRules: FieldRules = {
  read: ['thinking_config', 'cached_content'],
  hints: ['thought_tag_marker'],
  constraints: {},
};

function readEffort(thinking: JsonObject, path: string, notes: RequestNotes): Settings['reasoningEffort'] {
  const { thinking_level: level, thinking_budget: budget } = thinking;
  dropUnknownMembers(thinking, ['thinking_level', 'thinking_budget', 'include_thoughts'], path, notes);
  const word = nonEmptyString(level)?.toLowerCase();
  if (word !== undefined) return toSetting(word, `${path}.thinking_level`);
  if (typeof budget !== 'number') return undefined;
  const effort = budget < 0 ? 'adaptive' : budget;
  return toSetting(budget === 0 ? 'none' : effort, `${path}.thinking_budget`);
}

type ChatMessage = ChatCompletionsRequest['messages'][number];

/** Merges the results of tools with the user's message after them. */
function readMessages(messages: readonly ChatMessage[], notes: RequestNotes): readonly ReceivedMessage[] {
  const names = new CallNames();
  const received: (ReceivedMessage & { readonly parts: ReceivedPart[]; isResults: boolean })[] = [];
  messages.forEach((message, index) => {
    const path = `messages[${index}]`;
    const role = readRole(message, path, notes);
    const parts = readParts(message, path, names, notes);
    const isResults = isResult(message);
    const last = received.at(-1);
    if (role === 'user' && last?.isResults) {
      for (const part of parts) last.parts.push(part);
      last.isResults = isResults;
    } else received.push({ role, parts: [...parts], path, isResults });
  });
  return received;
}

function readRole({ role }: ChatMessage, path: string, notes: RequestNotes): ReceivedMessage['role'] {
  if (role === 'function') notes.refuse(`${path}.role`, 'does not support this older form; send tool');
  if (role === 'assistant') return 'assistant';
  return role === 'user' || isResult({ role }) ? 'user' : 'system';
}

function isResult({ role }: Pick<ChatMessage, 'role'>): boolean {
  return role === 'tool' || role === 'function';
}

function readParts(
  message: ChatMessage,
  path: string,
  names: CallNames,
  notes: RequestNotes,
): readonly ReceivedPart[] {
  if (message.audio != null) notes.refuse(`${path}.audio`, 'does not support audio in replies');
  if (message.function_call != null)
    notes.refuse(`${path}.function_call`, 'does not support this older form; send tool_calls');
  const knownMembers = [
    'role',
    'content',
    'tool_calls',
    'tool_call_id',
    'reasoning_content',
    'refusal',
    'audio',
    ...cacheMembers,
  ];
  dropUnknownMembers(message, knownMembers, path, notes);
  const parts = readContent(message.content, `${path}.content`, notes);
  // LiteLLM accepts a mark of the whole message.
  const mark = readCacheMark(message, `${path}.`, notes);
  if (isResult(message)) {
    const id = message.tool_call_id ?? message.name ?? '';
    const result = {
      ...names.createResult(id, readResultContent(parts, notes)),
      ...(mark ? { cacheMark: mark } : readResultMark(parts)),
    };
    return [{ ...result, path: `${path}.tool_call_id` }];
  }
  const content = addEndMark(parts, mark);
  const all = message.role === 'assistant' ? readAssistant(message, content, path, names, notes) : content;
  if (parts.length > 0) return all;
  if (mark && all.length === 0) notes.drop(mark.path ?? mark.member);
  return addEndMark(all, mark);
}

function addEndMark(
  parts: readonly ReceivedPart[],
  cacheMark: CacheMark | undefined,
): readonly ReceivedPart[] {
  const last = parts.at(-1);
  return last && cacheMark ? parts.with(-1, { ...last, cacheMark }) : parts;
}

function readAssistant(
  message: ChatMessage,
  content: readonly ReceivedPart[],
  path: string,
  names: CallNames,
  notes: RequestNotes,
): readonly ReceivedPart[] {
  const thought = nonEmptyString(message.reasoning_content);
  const refusal = nonEmptyString(message.refusal);
  const calls = (message.tool_calls ?? []).flatMap((call, index): readonly ReceivedPart[] => {
    const callPath = `${path}.tool_calls[${index}]`;
    const tool = readCalledTool(call, callPath, notes);
    if (!tool) return [];
    const { name, json } = tool;
    const knownMembers = ['id', 'type', 'function', 'custom', 'extra_content', 'index', ...cacheMembers];
    dropUnknownMembers(call, knownMembers, callPath, notes);
    const signature = readThoughtSignature(call.extra_content);
    names.add({ id: call.id, name });
    const proof = signature && { signature };
    const part = { type: 'toolCall', id: call.id, name, arguments: json, ...proof } as const;
    return addPath(part, callPath, readCacheMark(call, `${callPath}.`, notes));
  });
  return [
    ...addPath(thought ? { type: 'reasoning', text: thought } : undefined, `${path}.reasoning_content`),
    ...content,
    ...addPath(refusal ? { type: 'text', text: refusal } : undefined, `${path}.refusal`),
    ...calls,
  ];
}

/** The name of the called tool, and the arguments of the function that represents the tool in other formats. */
function readCalledTool(
  call: NonNullable<ChatMessage['tool_calls']>[number],
  path: string,
  notes: RequestNotes,
): { readonly name: string; readonly json: string } | undefined {
  if (call.function) return { name: call.function.name, json: call.function.arguments };
  const { custom } = call;
  const name = isObject(custom) ? nonEmptyString(custom.name) : undefined;
  if (isObject(custom) && name !== undefined)
    return { name, json: writeCustomArguments(stringOrEmpty(custom.input)) };
  notes.refuse(`${path}.type`, 'supports only calls of functions and custom tools');
  return undefined;
}

function readContent(
  content: ChatMessage['content'],
  path: string,
  notes: RequestNotes,
): readonly ReceivedPart[] {
  if (content == null || content === '') return [];
  if (typeof content === 'string') return [{ type: 'text', text: content, path }];
  return content.flatMap((part, index) => {
    const partPath = `${path}[${index}]`;
    return addPath(readPart(part, partPath, notes), partPath, readCacheMark(part, `${partPath}.`, notes));
  });
}

function readPart(part: JsonObject, path: string, notes: RequestNotes): ForeignPart | undefined {
  const { type, text, refusal, image_url: image, file } = part;
  switch (type) {
    case 'text':
    case 'refusal':
      dropUnknownMembers(part, ['type', 'text', 'refusal', ...cacheMembers], path, notes);
      return { type: 'text', text: stringOrEmpty(text ?? refusal) };
    case 'image_url': {
      dropUnknownMembers(part, ['type', 'image_url', ...cacheMembers], path, notes);
      const picture = isObject(image) ? image : { url: image };
      dropUnknownMembers(
        picture,
        picture.detail === 'auto' ? ['url', 'detail'] : ['url'],
        `${path}.image_url`,
        notes,
      );
      return readPicture(picture.url, `${path}.image_url.url`, notes);
    }
    case 'file': {
      dropUnknownMembers(part, ['type', 'file', ...cacheMembers], path, notes);
      const fileFields = isObject(file) ? file : {};
      return readFile(fileFields.file_data, nonEmptyString(fileFields.filename), `${path}.file`, notes);
    }
    default:
      notes.refuse(`${path}.type`, `does not accept content of type ${stringOrEmpty(type).slice(0, 40)}`);
      return undefined;
  }
}
