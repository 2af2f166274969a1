import { isObject, type JsonObject, nonEmptyString } from '../../../base/json.ts';
import type { ChatEvent } from '../../chatEvent.ts';
import { imageOf } from '../encoding.ts';

/**
 * Reads the reasoning of a delta or a message. Gateways call it `reasoning_content`, `reasoning` or
 * `reasoning_details`, and some send the same text under two names: it counts once.
 */
export function readReasoning(delta: JsonObject, choice: number, events: ChatEvent[]): void {
  const plain = nonEmptyString(delta.reasoning_content) ?? nonEmptyString(delta.reasoning);
  if (plain === undefined && delta.reasoning_details === undefined) return;
  const details = Array.isArray(delta.reasoning_details) ? delta.reasoning_details.filter(isObject) : [];
  const text =
    plain ??
    details.map(({ text, summary }) => nonEmptyString(text) ?? nonEmptyString(summary) ?? '').join('');
  const signature = details.map((detail) => nonEmptyString(detail.signature)).find(Boolean);
  if (text || signature) events.push({ type: 'reasoning', choice, text, ...(signature && { signature }) });
}

/** Reads content that is a list of parts: text, pictures, and thinking with parts of its own. */
export function readContent(parts: readonly unknown[], choice: number, events: ChatEvent[]): void {
  for (const part of parts.filter(isObject)) {
    if (part.type === 'thinking') {
      const text = textOf(part.thinking);
      if (text) events.push({ type: 'reasoning', choice, text });
    } else if (part.type === 'image_url') {
      readImages([part], choice, events);
    } else {
      const text = nonEmptyString(part.text);
      if (text) events.push({ type: 'text', choice, text });
    }
  }
}

/**
 * Reads the pictures that gateways send beside the content of a delta or a message, as data URLs or
 * addresses.
 */
export function readImages(images: readonly unknown[], choice: number, events: ChatEvent[]): void {
  for (const image of images.filter(isObject)) {
    const place = image.image_url ?? image.url;
    const url = nonEmptyString(isObject(place) ? place.url : place);
    const data = nonEmptyString(image.b64_json);
    const inline = data === undefined ? imageOf(url) : { mimeType: 'image/png', data };
    if (inline) events.push({ type: 'media', choice, mimeType: inline.mimeType, data: inline.data });
    else if (url) events.push({ type: 'mediaLink', choice, mimeType: 'image/png', url });
  }
}

function textOf(thinking: unknown): string {
  if (typeof thinking === 'string') return thinking;
  if (!Array.isArray(thinking)) return '';
  return thinking.map((part) => (isObject(part) ? (nonEmptyString(part.text) ?? '') : '')).join('');
}
