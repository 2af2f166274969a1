import type { JsonObject } from '../../../base/json.ts';
import type { PartRecord } from '../../record.ts';
import type { ConversationReading } from '../reading/conversationReading.ts';
import { objectsIn, textOf } from '../reading/fields.ts';

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
      return texts(item.content).map((text) => ({ type: 'text', text }));
    case 'reasoning': {
      const content = texts(item.content);
      const text = (content.length > 0 ? content : texts(item.summary)).join('\n\n');
      return text === '' ? [] : [{ type: 'reasoning', text }];
    }
    case 'function_call': {
      const name = textOf(item.name) ?? '';
      return [{ type: 'toolCall', id: callId(item), name, arguments: reading.json(item.arguments) }];
    }
    case 'function_call_output': {
      const text =
        typeof item.output === 'string' ? item.output.toWellFormed() : texts(item.output).join('\n\n');
      const id = callId(item);
      return [{ type: 'toolResult', id, name: names.get(id) ?? '', text }];
    }
    default:
      return [reading.other(item)];
  }
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
