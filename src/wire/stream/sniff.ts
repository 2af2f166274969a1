/**
 * What a body holds. Gateways send each of these under any Content-Type and whatever was asked for, so
 * only the first character that is not white space is believed. `lines` are those of an event stream, or a
 * text that is none.
 */
export type BodyKind = 'lines' | 'document' | 'array' | 'html';

/** How a body begins; undefined as long as only white space came. */
export function sniff(start: string): BodyKind | undefined {
  const first = start[start.search(/\S/)];
  if (first === undefined) return undefined;
  if (first === '[') return 'array';
  if (first === '{' || first === '"') return 'document';
  return first === '<' ? 'html' : 'lines';
}

/** A comment, or a field that the rules of event streams know, which may be cut short. */
const STREAM_LINE = /^(?::|(?:data|event|id|retry)(?::|$)|(?:da?|dat|ev?|eve|even|i|re?|ret|retr)$)/;

/**
 * Whether text that brought no event is an event stream all the same, such as one that was cut while it was
 * kept alive: every line is one of a stream, and there is more than a single remark.
 */
export function isEventStream(text: string): boolean {
  const lines = text.split(/\r\n|\r|\n/);
  const written = lines.filter((line) => line !== '');
  if (!written.every((line) => STREAM_LINE.test(line))) return false;
  const isRemark = written.length === 1 && written[0]?.startsWith(':') && lines.length < 3;
  return !isRemark;
}

/** Whether text that begins with a bracket is words, such as `[error] no upstream`, rather than an array. */
export function isBracketed(text: string): boolean {
  return /^\[\s*[^\s{["\]]/.test(text);
}
