/**
 * The path of a request target where it fits a route's template, in one spelling: every segment is decoded
 * once, and what stands for a `{name}` is one encoded segment. A model's id may have come as several, because
 * common client libraries leave its slashes as they are.
 */
export function matchPath(target: string, template: string): string | undefined {
  const segments = decodeSegments(target);
  const expected = template.split('/');
  const last = expected.length - 1;
  if (!segments || segments.length <= last) return undefined;
  if (segments.length > expected.length && !expected[last]?.includes('{model}')) return undefined;
  const found = [...segments.slice(0, last), segments.slice(last).join('/')];
  // A method after a colon, which this route does not have, is no part of an id that would end it.
  if (expected[last] === '{model}' && namesMethod.test(segments.at(-1) ?? '')) return undefined;
  const path = found.map((segment, i) => matchSegment(segment, expected[i] ?? ''));
  return path.includes(undefined) ? undefined : path.join('/');
}

/** A route's template as the router spells it. */
export function routerPath(template: string): string {
  return template.replaceAll(':', '::').replace(/\{(\w+)\}/g, ':$1(^.+)');
}

/** Such as `:embedContent`; the colons within ids are followed by tags, such as `:8b` and `:latest`. */
const namesMethod = /:[a-z]+(?:[A-Z][a-z]+)+$/;

function decodeSegments(target: string): readonly string[] | undefined {
  const [path = ''] = target.split('?', 1);
  try {
    return path.split('/').map(decodeURIComponent);
  } catch {
    return undefined;
  }
}

function matchSegment(segment: string, template: string): string | undefined {
  const [before = '', after] = template.split(/\{\w+\}/);
  if (after === undefined) return segment === template ? segment : undefined;
  const value = segment.slice(before.length, segment.length - after.length);
  if (segment !== before + value + after || !isPlain(value)) return undefined;
  return before + encodeURIComponent(value) + after;
}

/** No part of it means a folder. */
function isPlain(value: string): boolean {
  return value.split('/').every((part) => !['', '.', '..'].includes(part));
}
