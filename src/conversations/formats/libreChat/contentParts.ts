import { isObject, type JsonObject } from '../../../base/json.ts';
import type { PartRecord } from '../../record.ts';
import type { ConversationReading } from '../reading/conversationReading.ts';
import { arrayOf, objectsIn, type ReadFields, someText, textOf } from '../reading/fields.ts';

/** Older answers are one text, with the reasoning before the others. */
const olderReasoning = /^:::thinking\n([\s\S]*?)\n:::\n+/;

/** Kinds that tell only how the answer was made: notes about steps, and which agent took over. */
const unshownKinds = new Set(['activity_label', 'agent_update']);

/** What a part holds of a part of each kind. Those of other kinds are kept whole. */
export const partFields: ReadFields = new Map([
  ['text', new Set(['type', 'text', 'tool_call_ids'])],
  ['error', new Set(['type', 'text', 'error'])],
  ['think', new Set(['type', 'think'])],
  ['steer', new Set(['type', 'steer', 'quotes'])],
  ['summary', new Set(['type', 'content'])],
]);

/** The parts of a part of a message's content. */
export function contentParts(part: JsonObject, reading: ConversationReading): readonly PartRecord[] {
  switch (part.type) {
    case 'text':
    case 'error': {
      const text = wordsOf(part.text) ?? wordsOf(part.error);
      return text === undefined ? [] : textParts(text);
    }
    case 'think': {
      const text = wordsOf(part.think);
      return text === undefined ? [] : [{ type: 'reasoning', text }];
    }
    // What the user said while the answer came.
    case 'steer': {
      const said = [...arrayOf(part.quotes), part.steer].flatMap((words) => someText(words) ?? []);
      return said.map((text) => ({ type: 'text', text: quoted(text) }));
    }
    case 'summary': {
      const text = objectsIn(part.content).flatMap((each) => wordsOf(each.text) ?? []);
      return text.map((each) => ({ type: 'text', text: each }));
    }
    case 'tool_call':
      return isObject(part.tool_call) ? toolParts(part.tool_call, reading) : [];
    case 'image_file': {
      const file = isObject(part.image_file) ? part.image_file : part;
      return [reading.attachUrl(file.preview ?? file.filepath, file, file.filename)];
    }
    case 'image_url':
    case 'video_url': {
      const file = part[part.type];
      return [reading.attachUrl(isObject(file) ? file.url : file, part)];
    }
    default:
      return [unshownKinds.has(String(part.type)) ? reading.unshown(part) : reading.other(part)];
  }
}

/** A text, or one in an object with its annotations. */
export function wordsOf(text: unknown): string | undefined {
  return someText(isObject(text) ? text.value : text);
}

/** The text of an answer, with the reasoning that stands before it in older ones. */
export function textParts(text: string): readonly PartRecord[] {
  const [before = '', reasoning = ''] = olderReasoning.exec(text) ?? [];
  const rest = text.slice(before.length);
  return [
    ...(reasoning === '' ? [] : [{ type: 'reasoning' as const, text: reasoning }]),
    ...(rest === '' ? [] : [{ type: 'text' as const, text: rest }]),
  ];
}

/** Words as a quotation in Markdown. */
export function quoted(text: string): string {
  return text
    .split('\n')
    .map((line) => `> ${line}`)
    .join('\n');
}

/** A call of an agent's tool, of a function, or of a tool that the provider has itself. */
function toolParts(call: JsonObject, reading: ConversationReading): readonly PartRecord[] {
  const kind = textOf(call.type) ?? '';
  const inner = [call.function, call[kind]].find(isObject) ?? call;
  const [id, name] = [textOf(call.id) ?? '', textOf(inner.name) ?? kind];
  const output = someText(inner.output) ?? outputsText(inner.outputs, reading);
  const asked: PartRecord = {
    type: 'toolCall',
    id,
    name,
    arguments: reading.json(call.args ?? inner.arguments ?? inner.input),
  };
  return output === undefined ? [asked] : [asked, { type: 'toolResult', id, name, text: output }];
}

/** What code that was run wrote, and the files that it made. */
function outputsText(outputs: unknown, reading: ConversationReading): string | undefined {
  const texts = objectsIn(outputs).map((output) => textOf(output.logs) ?? reading.json(output));
  return texts.length > 0 ? texts.join('\n\n') : undefined;
}
