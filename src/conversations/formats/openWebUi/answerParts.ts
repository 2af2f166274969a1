import { isObject, type JsonObject } from '../../../base/json.ts';
import type { PartRecord } from '../../conversation/record.ts';
import type { ConversationReading } from '../reading/conversationReading.ts';
import { objectsIn, someText, textOf } from '../reading/fields.ts';

/** The parts of an answer whose `output` has items as the Responses API writes them. */
export function outputParts(
  items: readonly JsonObject[],
  reading: ConversationReading,
): readonly PartRecord[] {
  const calls = items.filter(({ type }) => type === 'function_call');
  const names = new Map(calls.map((call) => [callId(call), textOf(call.name) ?? '']));
  return items.flatMap((item) => itemParts(item, names, reading));
}

function itemParts(
  item: JsonObject,
  names: ReadonlyMap<string, string>,
  reading: ConversationReading,
): readonly PartRecord[] {
  switch (item.type) {
    case 'message':
      return messageParts(item.content, reading);
    case 'reasoning': {
      const content = texts(item.content);
      const text = (content.length > 0 ? content : texts(item.summary)).join('\n\n');
      return text === '' ? [] : [{ type: 'reasoning', text }];
    }
    case 'function_call': {
      const name = textOf(item.name) ?? '';
      return [{ type: 'toolCall', id: callId(item), name, arguments: reading.json(item.arguments) }];
    }
    case 'function_call_output':
      return resultParts(item, names, reading);
    case 'open_webui:code_interpreter': {
      const call = { type: 'toolCall', ...interpreter, arguments: textOf(item.code) ?? '' } as const;
      return withResult(call, reading.json(item.output ?? undefined));
    }
    case 'web_search_call':
    case 'file_search_call':
    case 'computer_call': {
      const { type: name, id, status: _, ...asked } = item;
      return [{ type: 'toolCall', id: textOf(id) ?? '', name, arguments: reading.json(asked) }];
    }
    default:
      return [reading.other(item)];
  }
}

/** A message is one text, of which pieces may tell where they are from. */
function messageParts(content: unknown, reading: ConversationReading): readonly PartRecord[] {
  if (!Array.isArray(content)) return texts(content).map((text) => ({ type: 'text', text }));
  const pieces = objectsIn(content);
  const text = pieces.map((piece) => textOf(piece.text) ?? '').join('');
  const others = pieces.filter((piece) => textOf(piece.text) === undefined);
  return [
    ...(text === '' ? [] : [{ type: 'text' as const, text }]),
    ...pieces.flatMap(citations),
    ...others.map((other): PartRecord => {
      if (other.type !== 'refusal') return reading.other(other);
      return { type: 'refusal', text: textOf(other.refusal) ?? '' };
    }),
  ];
}

function citations({ annotations }: JsonObject): readonly PartRecord[] {
  return objectsIn(annotations).flatMap((annotation): readonly PartRecord[] => {
    const about = isObject(annotation.url_citation) ? annotation.url_citation : annotation;
    const [url, title] = [someText(about.url), someText(about.title)];
    return url === undefined ? [] : [{ type: 'citation', url, ...(title && { title }) }];
  });
}

/** What a tool gave: its words, then its pictures and files. */
function resultParts(
  item: JsonObject,
  names: ReadonlyMap<string, string>,
  reading: ConversationReading,
): readonly PartRecord[] {
  const id = callId(item);
  const pictures = objectsIn(item.output).filter(({ type }) => type === 'input_image');
  return [
    { type: 'toolResult', id, name: names.get(id) ?? '', text: texts(item.output).join('\n\n') },
    ...pictures.map((picture) => reading.attachUrl(picture.image_url, picture)),
    ...objectsIn(item.files).map((file) => reading.attachUrl(file.url, file, file.name)),
  ];
}

function callId(item: JsonObject): string {
  return textOf(item.call_id) ?? textOf(item.id) ?? '';
}

function texts(content: unknown): readonly string[] {
  if (typeof content === 'string') return content === '' ? [] : [content.toWellFormed()];
  return objectsIn(content)
    .map(({ text }) => textOf(text) ?? '')
    .filter((text) => text !== '');
}

const opening = '<details type="';
const closing = '</details>';
const attribute = /\s([\w-]+)="([^"]*)"/g;

const entities: Readonly<Record<string, string>> = {
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&#x27;': "'",
  '&#39;': "'",
  '&amp;': '&',
};

/**
 * The parts of an answer that is one text: reasoning, code that was run and calls of tools are folds of HTML in
 * it, as Open WebUI writes them.
 */
export function contentParts(content: string): readonly PartRecord[] {
  const parts: PartRecord[] = [];
  let at = 0;
  for (let open = content.indexOf(opening); open !== -1; open = content.indexOf(opening, at)) {
    const end = content.indexOf(closing, open);
    if (end === -1) break;
    addText(parts, content.slice(at, open));
    const fold = content.slice(open, end);
    const known = foldParts(fold);
    if (known) for (const part of known) parts.push(part);
    else parts.push({ type: 'text', text: fold + closing });
    at = end + closing.length;
  }
  addText(parts, content.slice(at));
  return parts;
}

function addText(parts: PartRecord[], text: string): void {
  const words = parts.length > 0 ? text.replace(/^\n+/, '') : text;
  if (words.trim() !== '') parts.push({ type: 'text', text: words });
}

function foldParts(fold: string): readonly PartRecord[] | undefined {
  const headEnd = fold.indexOf('>');
  if (headEnd === -1) return undefined;
  const attributes = new Map(
    [...fold.slice(0, headEnd).matchAll(attribute)].map(([, name = '', value = '']) => [name, plain(value)]),
  );
  const told = (name: string) => attributes.get(name) ?? '';
  const body = bodyOf(fold, headEnd + 1);
  switch (told('type')) {
    case 'reasoning':
      return [{ type: 'reasoning', text: withoutQuoting(body) }];
    case 'tool_calls': {
      const [id, name] = [told('id'), told('name')];
      const call = { type: 'toolCall', id, name, arguments: unquoted(told('arguments')) } as const;
      // Newer versions tell the result in the fold, older ones beside its name.
      return withResult(call, unquoted(body) || unquoted(told('result')));
    }
    case 'code_interpreter': {
      const call = { type: 'toolCall', ...interpreter, arguments: withoutFence(body) } as const;
      return withResult(call, told('output'));
    }
    default:
      return undefined;
  }
}

/** What follows the summary, which says how long it took. */
function bodyOf(fold: string, from: number): string {
  const summaryEnd = fold.indexOf('</summary>', from);
  return plain(fold.slice(summaryEnd === -1 ? from : summaryEnd + '</summary>'.length)).trim();
}

/** Reasoning is quoted line by line. */
function withoutQuoting(text: string): string {
  const lines = text.split('\n');
  return lines.map((line) => line.replace(/^> ?/, '')).join('\n');
}

function withoutFence(code: string): string {
  return /^```[^\n]*\n([\s\S]*?)\n?```$/.exec(code)?.[1] ?? code;
}

/** What is JSON text of a string is meant as that string. */
function unquoted(text: string): string {
  if (!text.startsWith('"')) return text;
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'string' ? value.toWellFormed() : text;
  } catch {
    return text;
  }
}

function plain(html: string): string {
  return html.replaceAll(/&(?:lt|gt|quot|amp|#x27|#39);/g, (entity) => entities[entity] ?? entity);
}

type ToolCall = Extract<PartRecord, { type: 'toolCall' }>;

/** What Open WebUI runs code with has neither an id nor a name of its own. */
const interpreter = { id: '', name: 'code_interpreter' } as const;

/** A call, and its result where there is one. */
function withResult(call: ToolCall, text: string): readonly PartRecord[] {
  return text === '' ? [call] : [call, { type: 'toolResult', id: call.id, name: call.name, text }];
}
