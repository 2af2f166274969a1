import { isObject, parseJson } from '../../base/json.ts';
import { sentences } from '../../wire/explanations/sentences.ts';
import { readErrorBody } from '../../wire/failures/errorBody.ts';
import type { OpenedRequest, RequestFigures } from '../requestRecord.ts';

/** The versions of the programs, by their names, such as `VS Code`. */
type Versions = Readonly<Record<string, string>>;

type Entries = readonly (readonly [name: string, value: string | undefined])[];

/**
 * Writes a report of a request for the gateway's operator: versions, the masked address, model, status, kind of
 * failure, ids, times, known headers, the outline of the request's body and the codes of an error. It does not contain
 * any part of the user's message, even if the gateway repeated it.
 */
export function writeRequestReport({ figures, content }: OpenedRequest, versions: Versions): string {
  const { failure, method, url } = figures;
  const body = content?.requestBody?.text;
  const reply = content ? [...content.reply.beginning, ...content.reply.end].map(({ text }) => text) : [];
  const isErrorReply = failure !== undefined && (figures.status ?? 0) >= 300;
  const facts: Entries = [
    ['Request', [method, ...(URL.canParse(url) ? [maskAddress(new URL(url))] : [])].join(' ')],
    ['Time', new Date(figures.requestedAt).toISOString()],
    ['Request ID', figures.requestId],
    ['Model', figures.model],
    ['Status', String(figures.status ?? 'no reply')],
    ['Class', failure && [failure.kind, failure.reason].filter(Boolean).join(', ')],
    ['Cause', failure && findCause(failure.explanation)],
    ['Times', formatTimes(figures)],
    ['Bytes received', String(figures.bytesReceived)],
  ];
  const ids: Entries = [['Gateway request ID', figures.gatewayRequestId]];
  const sent = listShareableHeaders(content?.requestHeaders);
  const received = listShareableHeaders(content?.replyHeaders);
  const error: Entries = isErrorReply ? readErrorCodes(reply.join('\n\n')) : [];
  const shownValues = [...ids, ...sent, ...received, ...error].map(([, value]) => value ?? '');
  const echoes = findEchoes(
    shownValues.filter((value) => !commonType.test(value)),
    body ?? '',
  );
  const maskEchoes = (entries: Entries): Entries =>
    entries.map(([name, value]) => [name, value && (echoes.has(value) ? describeLength(value) : value)]);
  return [
    formatLines(Object.entries(versions)),
    formatLines([...facts, ...maskEchoes(ids)]),
    ...formatSection('Request headers', maskEchoes(sent)),
    ...(body === undefined ? [] : [`Request body, texts left out\n${outlineBody(body)}`]),
    ...formatSection('Reply headers', maskEchoes(received)),
    ...formatSection('Error', maskEchoes(error)),
  ].join('\n\n');
}

/** Returns the English sentence without its parameters, which may come from the gateway. */
function findCause(explanation: { readonly id: string }): string | undefined {
  return Object.entries(sentences).find(([id]) => id === explanation.id)?.[1];
}

/** Parts of the paths of routes. Other parts may be the user's own words. */
const knownSegments =
  /^(?:|v1|v1beta\d?|chat|completions|messages|responses|models|interactions|tasks|videos|content|cancel|api|services|aigc|video-generation|video-synthesis)$/;

function maskAddress({ origin, pathname }: URL): string {
  const segments = pathname.split('/').map((segment) => (knownSegments.test(segment) ? segment : '…'));
  return origin + segments.join('/');
}

/** Common content types. They are shown even if a message contains the same words. */
const commonType = /^(?:application\/json|text\/event-stream|\*\/\*)(?:; ?charset=utf-8)?$/i;

function formatTimes({ sentMs, headersMs, firstByteMs, lastByteMs, totalMs }: RequestFigures): string {
  const times = Object.entries({
    connected: sentMs,
    headers: headersMs,
    'first byte': firstByteMs,
    'last byte': lastByteMs,
    end: totalMs,
  });
  return times.flatMap(([name, ms]) => (ms === undefined ? [] : [`${name} ${Math.round(ms)} ms`])).join(', ');
}

/** Headers whose values come from the protocol or the gateway. */
const shareableHeader =
  /^(?:accept|accept-encoding|content-type|content-length|content-encoding|date|server|via|age|user-agent|retry-after|cf-ray|openai-processing-ms|(?:x-)?request-id|x-upstream(?:-request-id)?|x-gateway-conversion|(?:x-|anthropic-)?ratelimit-(?:limit|remaining|reset|policy|(?:requests|tokens|input-tokens|output-tokens)-(?:limit|remaining|reset)|(?:limit|remaining|reset)-(?:requests|tokens|input-tokens|output-tokens))|anthropic-version|anthropic-beta|x-should-retry)$/;

const plainValue = /^[\w .:;,=/+*()-]{1,200}$/;

function listShareableHeaders(headers: Readonly<Record<string, string>> = {}): Entries {
  const shareable = Object.entries(headers).filter(
    ([name, value]) => shareableHeader.test(name) && plainValue.test(value),
  );
  const others = Object.keys(headers).length - shareable.length;
  return [...shareable, ['others', others > 0 ? String(others) : undefined]];
}

/** The codes of an error without its message, which may repeat the user's message. */
function readErrorCodes(reply: string): Entries {
  const value = parseJson(reply);
  const error = isObject(value) && isObject(value.error) ? value.error : value;
  const codes = isObject(error)
    ? ['type', 'code', 'status', 'param'].map((name) => [name, readCode(error[name])] as const)
    : [];
  const { message } = readErrorBody(reply);
  return [...codes, ['message', message && describeLength(message)], ['whole reply', describeLength(reply)]];
}

/** Codes are words and numbers. Any other string may be an encoded message. */
function readCode(value: unknown): string | undefined {
  if (typeof value === 'number') return String(value);
  if (typeof value !== 'string' || value.length > 80) return undefined;
  return codeWords.test(value) && !encodedText.test(value) ? value : undefined;
}

const codeWords = /^(?:[A-Za-z]+\d{0,5}|\d{1,5})(?:[.:_[\]-]{1,2}(?:[A-Za-z]+\d{0,5}|\d{1,5}))*\]?$/;
/** Capitals within words except in camel case, and several numbers, as in encoded data. */
const encodedText = /[a-z][A-Z](?![a-z]{2})|\d[.:_-]\d+[.:_-]\d/;

/** If two texts have this many successive letters and digits in common, one repeats the other. */
const gramLength = 6;

/** The values that repeat a part of a request's body. */
function findEchoes(values: readonly string[], body: string): ReadonlySet<string> {
  const parsedBody = parseJson(body);
  const texts = parsedBody === undefined ? [body] : collectTexts(parsedBody);
  const grams = new Map<string, Set<string>>();
  for (const value of values)
    for (const gram of [
      ...splitIntoGrams(keepLettersAndDigits(value)),
      ...value.split(/[^\p{L}\d]+/u).map(keepLettersAndDigits),
    ])
      grams.set(gram, (grams.get(gram) ?? new Set()).add(value));
  const echoes = new Set<string>();
  const addEchoes = (gram: string) => {
    for (const value of grams.get(gram) ?? []) echoes.add(value);
    grams.delete(gram);
  };
  for (const text of texts.map(keepLettersAndDigits)) {
    if (text.length < gramLength && !commonWords.has(text)) addEchoes(text);
    for (const gram of splitIntoGrams(text)) addEchoes(gram);
  }
  return echoes;
}

/** Short words of API formats, which do not count as repetitions. */
const commonWords: ReadonlySet<string> = new Set(['', 'user', 'text', 'auto', 'none', 'high', 'low', 'true']);

function* splitIntoGrams(text: string): Generator<string> {
  for (let start = 0; start + gramLength <= text.length; start++) yield text.slice(start, start + gramLength);
}

function keepLettersAndDigits(text: string): string {
  return text.toLowerCase().replaceAll(/[^\p{L}\d]/gu, '');
}

/**
 * Collects the texts of a body that may be part of the user's message: strings, numbers from 1,000 and names of
 * members, without the model and the format's names.
 */
function collectTexts(body: unknown): readonly string[] {
  const texts: string[] = [];
  const pending: unknown[] = [isObject(body) ? { ...body, model: undefined } : body];
  while (pending.length > 0) {
    const value = pending.pop();
    if (typeof value === 'string') texts.push(value);
    else if (typeof value === 'number' && value >= 1_000) texts.push(String(value));
    else if (Array.isArray(value)) for (const each of value) pending.push(each);
    else if (isObject(value))
      for (const [name, each] of Object.entries(value)) {
        if (!isFormatName(name)) texts.push(name);
        pending.push(each);
      }
  }
  return texts;
}

/** Names that requests of API formats often contain. */
function isFormatName(name: string): boolean {
  return /^(?:messages|content|contents|role|type|parts|text|input|stream|model|tools|function|name|id|[a-z]+_tokens|stream_options|temperature|max[A-Za-z_]*)$/.test(
    name,
  );
}

function formatSection(title: string, entries: Entries): readonly string[] {
  const text = formatLines(entries);
  return text === '' ? [] : [`${title}\n${text}`];
}

function formatLines(entries: Entries): string {
  return entries.flatMap(([name, value]) => (value ? [`${name}: ${value}`] : [])).join('\n');
}

/** Names of members in requests of all API formats. Other names may be the user's own words. */
const knownNames = createWordSet(
  'model models messages contents input instructions system systemInstruction',
  'role content parts type text image_url inlineData fileData source data url',
  'mimeType mime_type media_type name id detail file input_audio thought signature',
  'tool_calls tool_call_id tool_use_id call_id function arguments args output result',
  'functionCall functionResponse response thoughtSignature cache_control is_error steps',
  'tools tool_choice toolConfig functionDeclarations parameters description strict',
  'input_schema parametersJsonSchema properties required items enum schema json_schema',
  'parallel_tool_calls response_format responseMimeType responseSchema format',
  'stream stream_options include_usage background store include n seed stop',
  'temperature top_p top_k topP topK frequency_penalty presence_penalty logprobs',
  'max_tokens max_completion_tokens max_output_tokens maxOutputTokens stop_sequences',
  'stopSequences candidateCount generationConfig generation_config thinkingConfig thinking',
  'thinkingBudget includeThoughts thinkingLevel budget_tokens reasoning reasoning_effort',
  'effort summary verbosity service_tier output_config modalities responseModalities',
  'metadata user previous_response_id previous_interaction_id safetySettings truncation',
  'prompt negative_prompt size seconds duration resolution ratio watermark',
);

/** Words of the API formats. Any other text may be part of the user's message. */
const knownWords = createWordSet(
  'user assistant system developer tool model function',
  'text input_text output_text image image_url input_image input_audio input_file',
  'file document message reasoning refusal thinking redacted_thinking tool_use',
  'tool_result function_call function_call_output function_result user_input model_output',
  'json_object json_schema object string number integer boolean array base64 url',
  'enabled disabled adaptive ephemeral auto none any required default flex',
  'minimal low medium high xhigh max concise detailed priority custom',
);

/** Below these members every value may be part of the user's message, including numbers. */
const messageMembers = createWordSet(
  'messages contents input instructions system systemInstruction prompt tools',
  'metadata user steps response_format responseSchema stop parameters',
);

/** A deeper outline does not help, and deeper bodies cannot be written. */
const maxDepth = 100;

/** Outlines a request's body: the members that API formats define, with the lengths of their texts. */
function outlineBody(body: string): string {
  const value = parseJson(body);
  if (!isObject(value)) return describeLength(body);
  return JSON.stringify(outlineValue(value, false, 0), undefined, 2);
}

function outlineValue(value: unknown, isInMessage: boolean, depth: number): unknown {
  if (depth > maxDepth) return '(nested deeper)';
  if (typeof value === 'string') return knownWords.has(value) ? value : describeLength(value);
  if (typeof value === 'number') return isInMessage ? '(number)' : value;
  if (Array.isArray(value)) return value.map((each) => outlineValue(each, isInMessage, depth + 1));
  if (!isObject(value)) return value;
  const members = Object.entries(value);
  const known = members.filter(([name]) => knownNames.has(name));
  const others = members.length - known.length;
  return {
    ...Object.fromEntries(
      known.map(([name, each]) => [
        name,
        outlineValue(each, isInMessage || messageMembers.has(name), depth + 1),
      ]),
    ),
    ...(others > 0 && { '(other members)': others }),
  };
}

function createWordSet(...lines: readonly string[]): ReadonlySet<string> {
  return new Set(lines.flatMap((line) => line.split(' ')));
}

/** Describes a text by its length. */
function describeLength(text: string): string {
  return `(${text.length} characters)`;
}
