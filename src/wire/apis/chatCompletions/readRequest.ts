import { isObject, type JsonObject, nonEmptyString } from '../../../base/json.ts';
import type { ForeignPart, ForeignResult } from '../../message.ts';
import {
  type AskedMessage,
  type AskedPart,
  type AskedRequest,
  dropOthers,
  type FieldRules,
  filePart,
  picturePart,
  placed,
  type ReadOptions,
  type RequestNotes,
  resultContent,
  type Settings,
  setting,
  sortFields,
} from '../format/askedRequest.ts';
import { flatChoice, namedFormat, nestedTools, toolsAsked } from '../format/askedTools.ts';
import { customArguments } from '../format/customTools.ts';
import { CallNames, stringOf } from '../format/encoding.ts';
import type { ChatCompletionsRequest } from './request.ts';
import { thoughtSignature } from './toolCalls.ts';

const rules: FieldRules = {
  read: [
    ...['model', 'messages', 'stream', 'stream_options', 'temperature', 'top_p', 'top_k', 'n', 'stop'],
    ...['max_tokens', 'max_completion_tokens', 'presence_penalty', 'frequency_penalty', 'seed'],
    ...['reasoning_effort', 'response_format', 'tools', 'tool_choice', 'parallel_tool_calls', 'verbosity'],
    ...['modalities', 'extra_body'],
  ],
  hints: [
    ...['metadata', 'user', 'safety_identifier', 'service_tier', 'store', 'prediction'],
    ...['prompt_cache_key', 'prompt_cache_retention', 'prompt_cache_options'],
  ],
  constraints: {
    logprobs: 'cannot tell log probabilities here',
    top_logprobs: 'cannot tell log probabilities here',
    logit_bias: 'has no biases of tokens',
    audio: 'cannot answer with sound here',
    web_search_options: 'has no web search that could be asked for here',
    functions: 'knows this older form not; send tools',
    function_call: 'knows this older form not; send tool_choice',
    moderation: 'has no moderation that could be asked for here',
  },
  switches: ['web_search_options'],
};

/** Reads a request of chat completions. */
export function readChatCompletions(
  request: ChatCompletionsRequest,
  notes: RequestNotes,
  { shared }: ReadOptions,
): AskedRequest {
  const kept = Object.entries(request).filter(([name, value]) => shared.includes(name) && value != null);
  sortFields(request, { ...rules, read: [...rules.read, ...shared] }, notes);
  return {
    messages: readMessages(request.messages, notes),
    settings: settingsOf(request, notes),
    streamed: request.stream === true,
    shared: Object.fromEntries(kept),
    isSameProvider: shared.length > 0,
  };
}

function settingsOf(request: ChatCompletionsRequest, notes: RequestNotes): Settings {
  const {
    stop,
    modalities,
    response_format: format,
    top_k,
    verbosity,
  } = request as JsonObject & ChatCompletionsRequest;
  const extra = extraThinking(request.extra_body, notes);
  const limitName = request.max_completion_tokens == null ? 'max_tokens' : 'max_completion_tokens';
  return {
    temperature: setting(request.temperature, 'temperature'),
    topP: setting(request.top_p, 'top_p'),
    topK: setting(typeof top_k === 'number' ? top_k : undefined, 'top_k'),
    presencePenalty: setting(request.presence_penalty, 'presence_penalty'),
    frequencyPenalty: setting(request.frequency_penalty, 'frequency_penalty'),
    seed: setting(request.seed, 'seed'),
    stop: setting(typeof stop === 'string' ? [stop] : stop, 'stop'),
    outputLimit: setting(request[limitName], limitName),
    choices: setting(request.n, 'n'),
    reasoningEffort: setting(request.reasoning_effort, 'reasoning_effort') ?? extra.reasoningEffort,
    thoughts: extra.thoughts,
    tools: toolsAsked(nestedTools(request.tools, notes)),
    toolChoice: setting(flatChoice(request.tool_choice, 'tool_choice', notes), 'tool_choice'),
    parallelCalls: setting(request.parallel_tool_calls, 'parallel_tool_calls'),
    ...namedFormat(format, format?.json_schema, 'response_format', notes),
    verbosity: setting(nonEmptyString(verbosity), 'verbosity'),
    pictures: setting(picturesWanted(modalities, notes), 'modalities'),
  };
}

function picturesWanted(
  modalities: ChatCompletionsRequest['modalities'],
  notes: RequestNotes,
): true | undefined {
  const wanted = (modalities ?? []).filter((each) => each !== 'text');
  if (wanted.some((each) => each !== 'image'))
    notes.refuse('modalities', 'answers with text and pictures at most');
  return wanted.includes('image') || undefined;
}

/**
 * The thinking that `extra_body` asks for, which some providers have in addition to the fields of chat completions.
 */
function extraThinking(extra: unknown, notes: RequestNotes): Pick<Settings, 'reasoningEffort' | 'thoughts'> {
  if (!isObject(extra)) return {};
  dropOthers(extra, ['google'], 'extra_body', notes);
  if (!isObject(extra.google)) return {};
  sortFields(extra.google, googleRules, notes, `${googlePlace}.`);
  const thinking = extra.google.thinking_config;
  if (!isObject(thinking)) return {};
  const at = `${googlePlace}.thinking_config`;
  const isShown = thinking.include_thoughts === true;
  return {
    reasoningEffort: effortIn(thinking, at, notes),
    thoughts: isShown ? { value: true, at: `${at}.include_thoughts` } : undefined,
  };
}

const googlePlace = 'extra_body.google';

/** What content generation is told by requests of chat completions, in words of its own. */
const googleRules: FieldRules = {
  read: ['thinking_config'],
  hints: ['thought_tag_marker'],
  constraints: { cached_content: 'stores no beginning of a conversation here; send all of it in messages' },
};

function effortIn(thinking: JsonObject, at: string, notes: RequestNotes): Settings['reasoningEffort'] {
  const { thinking_level: level, thinking_budget: budget } = thinking;
  dropOthers(thinking, ['thinking_level', 'thinking_budget', 'include_thoughts'], at, notes);
  const word = nonEmptyString(level)?.toLowerCase();
  if (word !== undefined) return setting(word, `${at}.thinking_level`);
  if (typeof budget !== 'number') return undefined;
  const asNeeded = budget < 0 ? 'adaptive' : budget;
  return setting(budget === 0 ? 'none' : asNeeded, `${at}.thinking_budget`);
}

type ChatMessage = ChatCompletionsRequest['messages'][number];

/** Results of tools, and the user's message after them, become one message. */
function readMessages(messages: readonly ChatMessage[], notes: RequestNotes): readonly AskedMessage[] {
  const names = new CallNames();
  const read: { role: AskedMessage['role']; parts: AskedPart[]; at: string; isResults: boolean }[] = [];
  messages.forEach((message, nth) => {
    const at = `messages[${nth}]`;
    const role = roleOf(message, at, notes);
    const parts = readParts(message, at, names, notes);
    const isResults = isResult(message);
    const last = read.at(-1);
    if (role === 'user' && last?.isResults) {
      last.parts.push(...parts);
      last.isResults = isResults;
    } else read.push({ role, parts: [...parts], at, isResults });
  });
  return read;
}

function roleOf({ role }: ChatMessage, at: string, notes: RequestNotes): AskedMessage['role'] {
  if (role === 'function') notes.refuse(`${at}.role`, 'knows this older form not; send tool');
  if (role === 'assistant') return 'assistant';
  return role === 'user' || isResult({ role }) ? 'user' : 'system';
}

function isResult({ role }: Pick<ChatMessage, 'role'>): boolean {
  return role === 'tool' || role === 'function';
}

function readParts(
  message: ChatMessage,
  at: string,
  names: CallNames,
  notes: RequestNotes,
): readonly AskedPart[] {
  if (message.audio != null) notes.refuse(`${at}.audio`, 'has no sound in answers');
  if (message.function_call != null)
    notes.refuse(`${at}.function_call`, 'knows this older form not; send tool_calls');
  const known = ['role', 'content', 'tool_calls', 'tool_call_id', 'reasoning_content', 'refusal', 'audio'];
  dropOthers(message, known, at, notes);
  const said = readContent(message.content, `${at}.content`, notes);
  if (isResult(message)) return [{ ...resultOf(message, said, names, notes), at: `${at}.tool_call_id` }];
  return message.role === 'assistant' ? readAssistant(message, said, at, names, notes) : said;
}

function resultOf(
  { tool_call_id: id, name }: ChatMessage,
  said: readonly AskedPart[],
  names: CallNames,
  notes: RequestNotes,
): ForeignResult {
  return names.result(id ?? name ?? '', resultContent(said, notes));
}

function readAssistant(
  message: ChatMessage,
  said: readonly AskedPart[],
  at: string,
  names: CallNames,
  notes: RequestNotes,
): readonly AskedPart[] {
  const thought = nonEmptyString(message.reasoning_content);
  const refusal = nonEmptyString(message.refusal);
  const calls = (message.tool_calls ?? []).flatMap((call, nth): readonly AskedPart[] => {
    const place = `${at}.tool_calls[${nth}]`;
    const called = calledIn(call, place, notes);
    if (!called) return [];
    const { name, json } = called;
    dropOthers(call, ['id', 'type', 'function', 'custom', 'extra_content', 'index'], place, notes);
    const signature = thoughtSignature(call.extra_content);
    names.note({ id: call.id, name });
    const proof = signature && { signature };
    return [{ type: 'toolCall', id: call.id, name, arguments: json, ...proof, at: place }];
  });
  return [
    ...(thought ? [{ type: 'reasoning', text: thought, at: `${at}.reasoning_content` } as const] : []),
    ...said,
    ...(refusal ? [{ type: 'text', text: refusal, at: `${at}.refusal` } as const] : []),
    ...calls,
  ];
}

/** The tool that was called, and the arguments of the function that it is elsewhere. */
function calledIn(
  call: NonNullable<ChatMessage['tool_calls']>[number],
  at: string,
  notes: RequestNotes,
): { readonly name: string; readonly json: string } | undefined {
  if (call.function) return { name: call.function.name, json: call.function.arguments };
  const { custom } = call;
  const name = isObject(custom) ? nonEmptyString(custom.name) : undefined;
  if (isObject(custom) && name !== undefined) return { name, json: customArguments(stringOf(custom.input)) };
  notes.refuse(`${at}.type`, 'has no calls but those of functions and custom tools');
  return undefined;
}

function readContent(content: ChatMessage['content'], at: string, notes: RequestNotes): readonly AskedPart[] {
  if (content == null || content === '') return [];
  if (typeof content === 'string') return [{ type: 'text', text: content, at }];
  return content.flatMap((part, nth) => {
    const place = `${at}[${nth}]`;
    return placed(readPart(part, place, notes), place);
  });
}

function readPart(part: JsonObject, at: string, notes: RequestNotes): ForeignPart | undefined {
  const { type, text, refusal, image_url: image, file } = part;
  switch (type) {
    case 'text':
    case 'refusal':
      dropOthers(part, ['type', 'text', 'refusal'], at, notes);
      return { type: 'text', text: stringOf(text ?? refusal) };
    case 'image_url': {
      dropOthers(part, ['type', 'image_url'], at, notes);
      const place = isObject(image) ? image : { url: image };
      dropOthers(place, place.detail === 'auto' ? ['url', 'detail'] : ['url'], `${at}.image_url`, notes);
      return picturePart(place.url, `${at}.image_url.url`, notes);
    }
    case 'file': {
      dropOthers(part, ['type', 'file'], at, notes);
      const told = isObject(file) ? file : {};
      return filePart(told.file_data, nonEmptyString(told.filename), `${at}.file`, notes);
    }
    default:
      notes.refuse(`${at}.type`, `cannot be sent content of type ${stringOf(type).slice(0, 40)}`);
      return undefined;
  }
}
