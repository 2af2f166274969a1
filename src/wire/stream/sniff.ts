/**
 * What a body holds. Gateways send each of these under any Content-Type and whatever was asked for, so
 * only the first character that is not white space is believed. `text` is none of the others, but may
 * turn into a stream: unknown lines are allowed there.
 */
export type BodyKind = 'events' | 'document' | 'array' | 'html' | 'text';

/** How a body begins; undefined as long as only white space came. */
export function sniff(start: string): BodyKind | undefined {
  const first = start[start.search(/\S/)];
  if (first === undefined) return undefined;
  if (first === '[') return 'array';
  // The last one begins null.
  if ('{"n'.includes(first)) return 'document';
  if (first === '<') return 'html';
  return ':deir'.includes(first) ? 'events' : 'text';
}
