/**
 * The kind of a body. Gateways send each kind with any Content-Type, so only the first character other than white
 * space counts. `lines` is an event stream, or plain text.
 */
export type BodyKind = 'lines' | 'document' | 'array' | 'html';

/** The kind of a body by its beginning; undefined if it is only white space so far. */
export function detectBodyKind(start: string): BodyKind | undefined {
  const first = start[start.search(/\S/)];
  if (first === undefined) return undefined;
  if (first === '[') return 'array';
  if (first === '{' || first === '"') return 'document';
  return first === '<' ? 'html' : 'lines';
}

/** A comment, or a field of event streams, perhaps truncated. */
const streamLine = /^(?::|(?:data|event|id|retry)(?::|$)|(?:da?|dat|ev?|eve|even|i|re?|ret|retr)$)/;

/**
 * Whether text without events is an event stream, such as a stream that was truncated during keep-alive comments:
 * every line is valid in one, and there is more than a single comment.
 */
export function isEventStream(text: string): boolean {
  const lines = text.split(/\r\n|\r|\n/);
  const nonEmptyLines = lines.filter((line) => line !== '');
  if (!nonEmptyLines.every((line) => streamLine.test(line))) return false;
  const isRemark = nonEmptyLines.length === 1 && nonEmptyLines[0]?.startsWith(':') && lines.length < 3;
  return !isRemark;
}

/** Whether text that begins with a bracket is a message, such as `[error] no upstream`, instead of an array. */
export function isBracketedMessage(text: string): boolean {
  return /^\[\s*[^\s{["\]]/.test(text);
}
