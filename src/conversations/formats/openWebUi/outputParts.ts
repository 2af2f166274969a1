import { isObject, type JsonObject } from '../../../base/json.ts';
import type { PartRecord } from '../../record.ts';
import type { ConversationReading } from '../reading/conversationReading.ts';
import { objectsIn, someText, textOf } from '../reading/fields.ts';
import { interpreter, withResult } from './toolParts.ts';

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
