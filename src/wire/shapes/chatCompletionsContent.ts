import type { ChatEvent } from '../chatEvent.ts';
import { isObject, type JsonObject, nonEmptyString } from '../json.ts';

/**
 * Reads the reasoning of a delta or a message. Gateways name it `reasoning_content`, `reasoning` or
 * `reasoning_details`, and some send the same text under two names at once: it is shown once.
 */
export function readReasoning(delta: JsonObject, choice: number, events: ChatEvent[]): void {
  const plain = nonEmptyString(delta.reasoning_content) ?? nonEmptyString(delta.reasoning);
  if (plain === undefined && delta.reasoning_details === undefined) return;
  const details = Array.isArray(delta.reasoning_details) ? delta.reasoning_details.filter(isObject) : [];
  const text = plain ?? details.map((detail) => detail.text ?? detail.summary ?? '').join('');
  const signature = details.map((detail) => nonEmptyString(detail.signature)).find(Boolean);
  if (text || signature) events.push({ type: 'reasoning', choice, text, ...(signature && { signature }) });
}

/** Reads content that is a list of parts instead of a string: text, and thinking that nests its own parts. */
export function readContent(parts: readonly unknown[], choice: number, events: ChatEvent[]): void {
  for (const part of parts.filter(isObject)) {
    if (part.type === 'thinking') {
      const text = textOf(part.thinking);
      if (text) events.push({ type: 'reasoning', choice, text });
    } else {
      const text = nonEmptyString(part.text);
      if (text) events.push({ type: 'text', choice, text });
    }
  }
}

function textOf(thinking: unknown): string {
  if (typeof thinking === 'string') return thinking;
  if (!Array.isArray(thinking)) return '';
  return thinking.map((part) => (isObject(part) ? (nonEmptyString(part.text) ?? '') : '')).join('');
}
