import { isObject, type JsonObject, nonEmptyString } from '../../../base/json.ts';
import type { ChatEvent } from '../../chatEvent.ts';

const mediaTypes: ReadonlyMap<unknown, string> = new Map([
  ['image', 'image/png'],
  ['audio', 'audio/wav'],
  ['video', 'video/mp4'],
  ['document', 'application/pdf'],
]);

/** Reads one content, or a delta of one: text with its sources, media, or thinking. */
export function readInteractionContent(content: JsonObject, events: ChatEvent[]): void {
  switch (content.type) {
    case 'text':
      readText(content, events);
      return;
    case 'text_annotation':
    case 'text_annotation_delta':
      readAnnotations(content.annotations, events);
      return;
    case 'thought':
      readThought(content, events);
      return;
    case 'thought_summary':
      tellReasoning(summaryText(content.content), undefined, events);
      return;
    case 'thought_signature':
      tellReasoning('', nonEmptyString(content.signature), events);
      return;
    default:
      readMedia(content, events);
  }
}

function readText(content: JsonObject, events: ChatEvent[]): void {
  const text = nonEmptyString(content.text);
  if (text) events.push({ type: 'text', choice: 0, text });
  readAnnotations(content.annotations, events);
}

/** A whole thought, in either schema. */
function readThought(thought: JsonObject, events: ChatEvent[]): void {
  const text = summaryText(thought.summary) || (nonEmptyString(thought.text) ?? '');
  tellReasoning(text, nonEmptyString(thought.signature), events);
}

function tellReasoning(text: string, signature: string | undefined, events: ChatEvent[]): void {
  if (!text && !signature) return;
  events.push({ type: 'reasoning', choice: 0, text, ...(signature && { signature }) });
}

function summaryText(summary: unknown): string {
  if (typeof summary === 'string') return summary;
  const contents = Array.isArray(summary) ? summary : [summary];
  return contents.map((content) => (isObject(content) ? (nonEmptyString(content.text) ?? '') : '')).join('');
}

function readAnnotations(annotations: unknown, events: ChatEvent[]): void {
  if (!Array.isArray(annotations)) return;
  for (const annotation of annotations.filter(isObject)) {
    const url = nonEmptyString(annotation.url) ?? nonEmptyString(annotation.source);
    const title = nonEmptyString(annotation.title) ?? nonEmptyString(annotation.file_name);
    if (url || title) {
      events.push({ type: 'citation', choice: 0, ...(url && { url }), ...(title && { title }) });
    }
  }
}

function readMedia(content: JsonObject, events: ChatEvent[]): void {
  const usual = mediaTypes.get(content.type);
  if (usual === undefined) return;
  const mimeType = nonEmptyString(content.mime_type) ?? usual;
  const data = nonEmptyString(content.data);
  const url = nonEmptyString(content.uri);
  if (data) events.push({ type: 'media', choice: 0, mimeType, data });
  else if (url) events.push({ type: 'mediaLink', choice: 0, mimeType, url });
}
