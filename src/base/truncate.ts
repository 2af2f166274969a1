/** The beginning of a text, at most `length` UTF-16 units long, without half a character at its end. */
export function limitLength(text: string, length: number): string {
  const start = text.slice(0, length);
  const last = start.charCodeAt(start.length - 1);
  return last >= 0xd800 && last <= 0xdbff ? start.slice(0, -1) : start;
}

/** The first `maxLength` UTF-16 units of a longer text, followed by an ellipsis. */
export function truncate(text: string, maxLength: number): string {
  return text.length > maxLength ? `${limitLength(text, maxLength)}…` : text;
}
