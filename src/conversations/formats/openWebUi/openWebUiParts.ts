import { isObject, type JsonObject, objectsIn } from '../../../base/json.ts';
import type { PartRecord } from '../../conversation/conversationRecord.ts';
import type { ConversationReading } from '../reading/conversationReading.ts';
import { someText, wellFormedText } from '../reading/fieldValues.ts';

/** The parts of a reply whose `output` contains Responses API items. */
export function outputParts(
  items: readonly JsonObject[],
  reading: ConversationReading,
): readonly PartRecord[] {
  const calls = items.filter(({ type }) => type === 'function_call');
  const names = new Map(calls.map((call) => [callId(call), wellFormedText(call.name) ?? '']));
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
      const name = wellFormedText(item.name) ?? '';
      return [{ type: 'toolCall', id: callId(item), name, arguments: reading.json(item.arguments) }];
    }
    case 'function_call_output':
      return resultParts(item, names, reading);
    case 'open_webui:code_interpreter': {
      const call = { type: 'toolCall', ...interpreter, arguments: wellFormedText(item.code) ?? '' } as const;
      return withResult(call, reading.json(item.output ?? undefined));
    }
    case 'web_search_call':
    case 'file_search_call':
    case 'computer_call': {
      const { type: name, id, status: _, ...callFields } = item;
      return [{ type: 'toolCall', id: wellFormedText(id) ?? '', name, arguments: reading.json(callFields) }];
    }
    default:
      return [reading.unknownPart(item)];
  }
}

/** A message is one text; its pieces may have sources. */
function messageParts(content: unknown, reading: ConversationReading): readonly PartRecord[] {
  if (!Array.isArray(content)) return texts(content).map((text) => ({ type: 'text', text }));
  const pieces = objectsIn(content);
  const text = pieces.map((piece) => wellFormedText(piece.text) ?? '').join('');
  const others = pieces.filter((piece) => wellFormedText(piece.text) === undefined);
  return [
    ...(text === '' ? [] : [{ type: 'text' as const, text }]),
    ...pieces.flatMap(citations),
    ...others.map((other): PartRecord => {
      if (other.type !== 'refusal') return reading.unknownPart(other);
      return { type: 'refusal', text: wellFormedText(other.refusal) ?? '' };
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

/** The result of a tool: its text, then its pictures and files. */
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
  return wellFormedText(item.call_id) ?? wellFormedText(item.id) ?? '';
}

function texts(content: unknown): readonly string[] {
  if (typeof content === 'string') return content === '' ? [] : [content.toWellFormed()];
  return objectsIn(content)
    .map(({ text }) => wellFormedText(text) ?? '')
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
 * The parts of a reply that is one text: reasoning, executed code and tool calls are `details` elements in
 * it, as Open WebUI writes them.
 */
export function contentParts(content: string): readonly PartRecord[] {
  const parts: PartRecord[] = [];
  let offset = 0;
  for (let open = content.indexOf(opening); open !== -1; open = content.indexOf(opening, offset)) {
    const end = content.indexOf(closing, open);
    if (end === -1) break;
    addText(parts, content.slice(offset, open));
    const element = content.slice(open, end);
    const parsedParts = elementParts(element);
    if (parsedParts) for (const part of parsedParts) parts.push(part);
    else parts.push({ type: 'text', text: element + closing });
    offset = end + closing.length;
  }
  addText(parts, content.slice(offset));
  return parts;
}

function addText(parts: PartRecord[], text: string): void {
  const words = parts.length > 0 ? text.replace(/^\n+/, '') : text;
  if (words.trim() !== '') parts.push({ type: 'text', text: words });
}

function elementParts(element: string): readonly PartRecord[] | undefined {
  const headEnd = element.indexOf('>');
  if (headEnd === -1) return undefined;
  const attributes = new Map(
    [...element.slice(0, headEnd).matchAll(attribute)].map(([, name = '', value = '']) => [
      name,
      plain(value),
    ]),
  );
  const readAttribute = (name: string) => attributes.get(name) ?? '';
  const body = bodyOf(element, headEnd + 1);
  switch (readAttribute('type')) {
    case 'reasoning':
      return [{ type: 'reasoning', text: withoutQuoting(body) }];
    case 'tool_calls': {
      const [id, name] = [readAttribute('id'), readAttribute('name')];
      const call = { type: 'toolCall', id, name, arguments: unquoted(readAttribute('arguments')) } as const;
      // Newer versions have the result in the element, older ones in an attribute.
      return withResult(call, unquoted(body) || unquoted(readAttribute('result')));
    }
    case 'code_interpreter': {
      const call = { type: 'toolCall', ...interpreter, arguments: withoutFence(body) } as const;
      return withResult(call, readAttribute('output'));
    }
    default:
      return undefined;
  }
}

/** The text after the summary, which contains the duration. */
function bodyOf(element: string, from: number): string {
  const summaryEnd = element.indexOf('</summary>', from);
  return plain(element.slice(summaryEnd === -1 ? from : summaryEnd + '</summary>'.length)).trim();
}

/** Removes the quote marks of reasoning. */
function withoutQuoting(text: string): string {
  const lines = text.split('\n');
  return lines.map((line) => line.replace(/^> ?/, '')).join('\n');
}

function withoutFence(code: string): string {
  return /^```[^\n]*\n([\s\S]*?)\n?```$/.exec(code)?.[1] ?? code;
}

/** If a text is the JSON of a string, returns that string. */
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

/** The code interpreter of Open WebUI has neither an id nor a name. */
const interpreter = { id: '', name: 'code_interpreter' } as const;

/** A call, with its result if there is one. */
function withResult(call: ToolCall, text: string): readonly PartRecord[] {
  return text === '' ? [call] : [call, { type: 'toolResult', id: call.id, name: call.name, text }];
}
