import { isObject, parseJson } from '../../base/json.ts';
import { readErrorBody } from '../../wire/errorBody.ts';
import { sentences } from '../../wire/explanations/explanation.ts';
import type { OpenedRequest } from '../requestHistory.ts';
import type { RequestFigures } from '../requestRecord.ts';
import { bodyOutline } from './bodyOutline.ts';

/** What a report says of the programs, by their names, such as `VS Code`. */
export type Versions = Readonly<Record<string, string>>;

type Lines = readonly (readonly [name: string, value: string | undefined])[];

/**
 * A request for whoever runs the gateway: versions, class, ids, times, known headers and the codes of an error. It
 * holds nothing of what was asked: neither from the request nor from what the gateway repeats of it.
 */
export function requestReport({ figures, content }: OpenedRequest, versions: Versions): string {
  const { failure, method, url } = figures;
  const body = content?.requestBody?.text;
  const reply = content ? [...content.reply.beginning, ...content.reply.end].map(({ text }) => text) : [];
  const isFailure = failure !== undefined && (figures.status ?? 0) >= 300;
  const facts: Lines = [
    ['Request', [method, ...(URL.canParse(url) ? [knownAddress(new URL(url))] : [])].join(' ')],
    ['Time', new Date(figures.requestedAt).toISOString()],
    ['Request ID', figures.requestId],
    ['Model', figures.model],
    ['Status', String(figures.status ?? 'no reply')],
    ['Class', failure && [failure.kind, failure.reason].filter(Boolean).join(', ')],
    ['Cause', failure && causeOf(failure.explanation)],
    ['Times', timesOf(figures)],
    ['Bytes received', String(figures.bytesReceived)],
  ];
  const ids: Lines = [['Gateway request ID', figures.gatewayRequestId]];
  const sent = knownHeaders(content?.requestHeaders);
  const received = knownHeaders(content?.replyHeaders);
  const error: Lines = isFailure ? errorCodes(reply.join('\n\n')) : [];
  const told = [...ids, ...sent, ...received, ...error].map(([, value]) => value ?? '');
  const echoes = echoesOf(
    told.filter((value) => !usualType.test(value)),
    body ?? '',
  );
  const without = (entries: Lines): Lines =>
    entries.map(([name, value]) => [name, value && (echoes.has(value) ? characters(value) : value)]);
  return [
    lines(Object.entries(versions)),
    lines([...facts, ...without(ids)]),
    ...section('Request headers', without(sent)),
    ...(body === undefined ? [] : [`Request body, texts left out\n${bodyOutline(body)}`]),
    ...section('Reply headers', without(received)),
    ...section('Error', without(error)),
  ].join('\n\n');
}

/** The sentence without what it names, which may be words of the gateway. */
function causeOf(explanation: { readonly id: string }): string | undefined {
  return Object.entries(sentences).find(([id]) => id === explanation.id)?.[1];
}

/** Parts of the paths of routes. Others may be named by whoever asks. */
const knownSegments =
  /^(?:|v1|v1beta\d?|chat|completions|messages|responses|models|interactions|tasks|videos|content|cancel|api|services|aigc|video-generation|video-synthesis)$/;

function knownAddress({ origin, pathname }: URL): string {
  const segments = pathname.split('/').map((segment) => (knownSegments.test(segment) ? segment : '…'));
  return origin + segments.join('/');
}

/** A type of every request and reply, whose words a question may hold as well. */
const usualType = /^(?:application\/json|text\/event-stream|\*\/\*)(?:; ?charset=utf-8)?$/i;

function timesOf({ sentMs, headersMs, firstByteMs, lastByteMs, totalMs }: RequestFigures): string {
  const times = Object.entries({
    connected: sentMs,
    headers: headersMs,
    'first byte': firstByteMs,
    'last byte': lastByteMs,
    end: totalMs,
  });
  return times.flatMap(([name, ms]) => (ms === undefined ? [] : [`${name} ${Math.round(ms)} ms`])).join(', ');
}

/** Headers whose values are of the protocol or the gateway. */
const toldHeader =
  /^(?:accept|accept-encoding|content-type|content-length|content-encoding|date|server|via|age|user-agent|retry-after|cf-ray|openai-processing-ms|(?:x-)?request-id|x-upstream(?:-request-id)?|x-gateway-conversion|(?:x-|anthropic-)?ratelimit-(?:limit|remaining|reset|policy|(?:requests|tokens|input-tokens|output-tokens)-(?:limit|remaining|reset)|(?:limit|remaining|reset)-(?:requests|tokens|input-tokens|output-tokens))|anthropic-version|anthropic-beta|x-should-retry)$/;

const plainValue = /^[\w .:;,=/+*()-]{1,200}$/;

function knownHeaders(headers: Readonly<Record<string, string>> = {}): Lines {
  const known = Object.entries(headers).filter(
    ([name, value]) => toldHeader.test(name) && plainValue.test(value),
  );
  const others = Object.keys(headers).length - known.length;
  return [...known, ['others', others > 0 ? String(others) : undefined]];
}

/** What an error says besides its words, which may repeat the question. */
function errorCodes(reply: string): Lines {
  const value = parseJson(reply);
  const error = isObject(value) && isObject(value.error) ? value.error : value;
  const codes = isObject(error)
    ? ['type', 'code', 'status', 'param'].map((name) => [name, codeOf(error[name])] as const)
    : [];
  const { message } = readErrorBody(reply);
  return [...codes, ['message', message && characters(message)], ['whole reply', characters(reply)]];
}

/** Codes are words and short numbers. Anything else may be the question in an encoding. */
function codeOf(value: unknown): string | undefined {
  if (typeof value === 'number') return String(value);
  if (typeof value !== 'string' || value.length > 80) return undefined;
  return codeWords.test(value) && !oddWords.test(value) ? value : undefined;
}

const codeWords = /^(?:[A-Za-z]+\d{0,5}|\d{1,5})(?:[.:_[\]-]{1,2}(?:[A-Za-z]+\d{0,5}|\d{1,5}))*\]?$/;
/** Capitals within words, and many numbers. */
const oddWords = /[a-z][A-Z](?![a-z]{2})|\d[.:_-]\d+[.:_-]\d/;

function characters(text: string): string {
  return `(${text.length} characters)`;
}

/** How many letters and digits two texts have in common before one repeats the other. */
const gramLength = 6;

/** The values that repeat something of a request's body. */
function echoesOf(values: readonly string[], body: string): ReadonlySet<string> {
  const asked = parseJson(body);
  const texts = asked === undefined ? [body] : textsIn(asked);
  const grams = new Map<string, Set<string>>();
  for (const value of values)
    for (const gram of [...gramsOf(folded(value)), ...value.split(/[^\p{L}\d]+/u).map(folded)])
      grams.set(gram, (grams.get(gram) ?? new Set()).add(value));
  const echoes = new Set<string>();
  const find = (gram: string) => {
    for (const value of grams.get(gram) ?? []) echoes.add(value);
    grams.delete(gram);
  };
  for (const text of texts.map(folded)) {
    if (text.length < gramLength && !knownWords.has(text)) find(text);
    for (const gram of gramsOf(text)) find(gram);
  }
  return echoes;
}

/** Short words of every request. */
const knownWords: ReadonlySet<string> = new Set(['', 'user', 'text', 'auto', 'none', 'high', 'low', 'true']);

function* gramsOf(text: string): Generator<string> {
  for (let at = 0; at + gramLength <= text.length; at++) yield text.slice(at, at + gramLength);
}

function folded(text: string): string {
  return text.toLowerCase().replaceAll(/[^\p{L}\d]/gu, '');
}

/** The strings of a body that may be of the question: not the model, nor what a format calls its parts. */
function textsIn(body: unknown): readonly string[] {
  const texts: string[] = [];
  const left: unknown[] = [isObject(body) ? { ...body, model: undefined } : body];
  for (let value = left.pop(); left.length > 0 || value !== undefined; value = left.pop()) {
    if (typeof value === 'string') texts.push(value);
    else if (typeof value === 'number' && value >= 1_000) texts.push(String(value));
    else if (Array.isArray(value)) for (const each of value) left.push(each);
    else if (isObject(value))
      for (const [name, each] of Object.entries(value)) {
        texts.push(...(isFormatName(name) ? [] : [name]));
        left.push(each);
      }
  }
  return texts;
}

/** Names without which no question of an API format is written. */
function isFormatName(name: string): boolean {
  return /^(?:messages|content|contents|role|type|parts|text|input|stream|model|tools|function|name|id|[a-z]+_tokens|stream_options|temperature|max[A-Za-z_]*)$/.test(
    name,
  );
}

function section(title: string, entries: Lines): readonly string[] {
  const text = lines(entries);
  return text === '' ? [] : [`${title}\n${text}`];
}

function lines(entries: Lines): string {
  return entries.flatMap(([name, value]) => (value ? [`${name}: ${value}`] : [])).join('\n');
}
