import { isObject, type JsonObject, objectsIn, scalarText } from '../../../base/json.ts';
import { fenceCode } from '../../conversation/codeBlocks.ts';
import type { PartRecord } from '../../conversation/conversationRecord.ts';
import type { ReadingContext } from '../reading/conversationDraft.ts';
import { arrayOf, someText, wellFormedText } from '../reading/fieldValues.ts';

const pointer = /^(?:file-service|sediment):\/\/(?:.*?[#:/])?(file[-_][0-9A-Za-z]+)/;

/** The id of a file in a reference, such as `file-service://file-a1` or `sediment://file_b2`. */
export function assetId(value: unknown): string | undefined {
  return typeof value === 'string' ? pointer.exec(value.slice(0, 500))?.[1] : undefined;
}

/**
 * The parts of a ChatGPT message; none for an empty one. A tool call has the id of its message, which is the
 * parent of the message with its result.
 */
export function chatGptParts(
  { id, parent }: { readonly id: string; readonly parent: string | undefined },
  message: JsonObject,
  metadata: JsonObject,
  context: ReadingContext,
): readonly PartRecord[] {
  const content = isObject(message.content) ? message.content : { text: message.content };
  const author = isObject(message.author) ? message.author : {};
  const recipient = someText(message.recipient);
  if (author.role === 'tool')
    return toolParts(parent ?? id, content, wellFormedText(author.name) ?? '', context);
  if (author.role !== 'user' && recipient !== undefined && recipient !== 'all') {
    const words = plainText(content);
    return words === '' ? [] : [{ type: 'toolCall', id, name: recipient, arguments: words }];
  }
  return [...attachedParts(content, metadata, context), ...contentParts(content, metadata, context)];
}

function toolParts(
  id: string,
  content: JsonObject,
  name: string,
  context: ReadingContext,
): readonly PartRecord[] {
  const words = plainText(content);
  const files = pointers(content).map((part) => pointedPart(part, context));
  return words === '' ? files : [{ type: 'toolResult', id, name, text: words }, ...files];
}

function contentParts(
  content: JsonObject,
  metadata: JsonObject,
  context: ReadingContext,
): readonly PartRecord[] {
  const { reading } = context;
  switch (content.content_type) {
    case 'text':
    case 'multimodal_text':
    case undefined: {
      const parts = Array.isArray(content.parts) ? content.parts : [content.text];
      return parts.flatMap((part: unknown) => onePart(part, metadata, context));
    }
    case 'thoughts':
      return objectsIn(content.thoughts).map((thought) => ({
        type: 'reasoning',
        text: [someText(thought.summary), someText(thought.content)].filter(Boolean).join('\n\n'),
      }));
    case 'code': {
      const words = plainText(content);
      const language = content.language === 'unknown' ? '' : wellFormedText(content.language);
      return words === '' ? [] : [{ type: 'text', text: fenceCode(words, language) }];
    }
    default: {
      const words = plainText(content);
      if (content.content_type === 'system_error' && words !== '') return [{ type: 'text', text: words }];
      return isBlank(content) ? [] : [reading.unknownPart(content)];
    }
  }
}

function onePart(part: unknown, metadata: JsonObject, context: ReadingContext): readonly PartRecord[] {
  if (typeof part === 'string') {
    const text = withReferences(part.toWellFormed(), metadata);
    return text === '' ? [] : [{ type: 'text', text }];
  }
  if (!isObject(part)) return context.reading.unreadParts('part', part);
  if (part.content_type === 'audio_transcription') {
    const text = someText(part.text);
    return text === undefined ? [] : [{ type: 'text', text }];
  }
  const recordings = recordingsIn(part);
  return recordings.length > 0
    ? recordings.map((recording) => pointedPart(recording, context))
    : [pointedPart(part, context)];
}

/** ChatGPT marks sources in a text with special characters, and lists the replacement of each mark. */
function withReferences(text: string, metadata: JsonObject): string {
  if (!text.includes('\ue200')) return text;
  const readings = new Map<string, string>();
  for (const { matched_text: mark, alt } of objectsIn(metadata.content_references)) {
    if (typeof mark === 'string' && mark.startsWith('\ue200')) readings.set(mark, wellFormedText(alt) ?? '');
  }
  return text.replaceAll(/\ue200[^\ue200\ue201]*\ue201/g, (mark) => readings.get(mark) ?? mark);
}

/** Attached files that no part references. */
function attachedParts(
  content: JsonObject,
  metadata: JsonObject,
  context: ReadingContext,
): readonly PartRecord[] {
  const pointed = new Set(pointers(content).map(({ asset_pointer }) => assetId(asset_pointer)));
  return objectsIn(metadata.attachments)
    .filter(({ id }) => typeof id !== 'string' || !pointed.has(id))
    .map((attachment) => {
      const file = context.files.get(scalarText(attachment.id));
      const { mimeType = attachment.mime_type, name } = attachment;
      return file
        ? context.reading.attach(file.bytes, { mimeType, name })
        : context.reading.missingPart(attachment, name);
    });
}

/** The parts of a content that reference files. */
export function pointers(content: JsonObject): readonly JsonObject[] {
  return objectsIn(content.parts)
    .flatMap((part) => [part, ...recordingsIn(part)])
    .filter(({ asset_pointer }) => typeof asset_pointer === 'string');
}

/** Recordings of the user's speech: sound, a video, and pictures of it. */
function recordingsIn(part: JsonObject): readonly JsonObject[] {
  const { audio_asset_pointer, video_container_asset_pointer, frames_asset_pointers } = part;
  return [audio_asset_pointer, video_container_asset_pointer, ...arrayOf(frames_asset_pointers)].filter(
    isObject,
  );
}

function pointedPart(part: JsonObject, { reading, files }: ReadingContext): PartRecord {
  const id = assetId(part.asset_pointer);
  const file = id === undefined ? undefined : files.get(id);
  if (file) return reading.attachFile(file);
  return typeof part.asset_pointer === 'string' ? reading.missingPart(part) : reading.unknownPart(part);
}

/** The text of a content of any kind. */
function plainText(content: JsonObject): string {
  const parts = arrayOf(content.parts).filter((part) => typeof part === 'string');
  const [text] = [content.text, content.result, content.summary].map(someText).filter(Boolean);
  return parts.length > 0 ? parts.join('\n').toWellFormed() : (text ?? '');
}

/** Whether a content has only its kind. */
export function isBlank({ content_type: _, ...rest }: JsonObject): boolean {
  return Object.values(rest).every((value) => !value || (Array.isArray(value) && value.length === 0));
}
