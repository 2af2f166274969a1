import { isObject, type JsonObject } from '../../../base/json.ts';
import type { PartRecord } from '../../record.ts';
import type { ConversationReading } from '../reading/conversationReading.ts';
import { objectsIn, type ReadFields, someText, textOf } from '../reading/fields.ts';

/** What a part holds of a block of each kind. Blocks of other kinds are kept whole. */
export const blockFields: ReadFields = new Map([
  ['text', new Set(['type', 'text'])],
  ['thinking', new Set(['type', 'thinking', 'signature'])],
  ['voice_note', new Set(['type', 'title', 'text'])],
  ['tool_use', new Set(['type', 'id', 'name', 'input'])],
  ['tool_result', new Set(['type', 'tool_use_id', 'name', 'content'])],
  ['token_budget', new Set(['type'])],
]);

/** Kinds that Claude shows nothing of: what it adds to a question by itself, and marks of its own. */
const unshownKinds = new Set(['injected_prompt_block', 'flag']);

/** The parts of a block of a message. */
export function blockParts(block: JsonObject, reading: ConversationReading): readonly PartRecord[] {
  switch (block.type) {
    case 'text': {
      const text = someText(block.text);
      return text === undefined ? [] : [{ type: 'text', text }, ...citations(block)];
    }
    case 'thinking': {
      const [text, signature] = [thinkingText(block), someText(block.signature)];
      return text === '' && !signature ? [] : [{ type: 'reasoning', text, ...(signature && { signature }) }];
    }
    case 'voice_note': {
      const text = [block.title, block.text].map(someText).filter(Boolean).join('\n\n');
      return text === '' ? [] : [{ type: 'text', text }];
    }
    case 'tool_use':
      return [
        {
          type: 'toolCall',
          id: textOf(block.id) ?? '',
          name: textOf(block.name) ?? '',
          arguments: reading.json(block.input),
        },
      ];
    case 'tool_result':
      return resultParts(block, reading);
    case 'token_budget':
      return [];
    default:
      return [unshownKinds.has(String(block.type)) ? reading.unshown(block) : reading.other(block)];
  }
}

/** Where the thinking itself is hidden, what is told of it. */
function thinkingText({ thinking, summaries }: JsonObject): string {
  return (
    someText(thinking) ??
    objectsIn(summaries)
      .flatMap(({ summary }) => someText(summary) ?? [])
      .join('\n\n')
  );
}

function citations({ citations }: JsonObject): readonly PartRecord[] {
  return objectsIn(citations).flatMap((citation): readonly PartRecord[] => {
    const details = isObject(citation.details) ? citation.details : citation;
    const url = someText(details.url);
    const title = someText(citation.title) ?? someText(details.title);
    return url === undefined && title === undefined
      ? []
      : [{ type: 'citation', ...(url && { url }), ...(title && { title }) }];
  });
}

/** A result, and the files that a tool made. The export has their names only. */
function resultParts(block: JsonObject, reading: ConversationReading): readonly PartRecord[] {
  const { content } = block;
  const items = objectsIn(content);
  const files = items.filter(isFile);
  const texts = items.filter((item) => !isFile(item)).map((item) => itemText(item, reading));
  const result: PartRecord = {
    type: 'toolResult',
    id: textOf(block.tool_use_id) ?? '',
    name: textOf(block.name) ?? '',
    text: typeof content === 'string' ? content.toWellFormed() : texts.join('\n\n'),
  };
  return [result, ...files.map((file) => resultFile(file, reading))];
}

function isFile({ type }: JsonObject): boolean {
  return type === 'local_resource' || type === 'image';
}

function resultFile(file: JsonObject, reading: ConversationReading): PartRecord {
  const { media_type: mimeType, data } = isObject(file.source) ? file.source : {};
  return typeof data === 'string'
    ? reading.attachBase64(data, { mimeType, name: file.name }, { mimeType })
    : reading.missing(file, file.name);
}

/** The words of an item of a result: of a page or a document, with what it is called and where it is. */
function itemText(item: JsonObject, reading: ConversationReading): string {
  const text = textOf(item.text);
  if (text === undefined) return reading.json(item);
  const about = [item.title, item.url].map(someText).filter(Boolean).join('\n');
  return [about, text].filter(Boolean).join('\n\n');
}
