/**
 * Matches a request target with a route's template. Every segment is decoded once, and in the result the
 * value of a `{name}` is one encoded segment. The id of a model may span several segments, because common
 * client libraries do not encode its slashes.
 *
 * @returns the path in one spelling, or undefined when it does not match
 */
export function matchPath(target: string, template: string): string | undefined {
  const segments = decodeSegments(target);
  const expected = template.split('/');
  const last = expected.length - 1;
  if (!segments || segments.length <= last) return undefined;
  if (segments.length > expected.length && !expected[last]?.includes('{model}')) return undefined;
  const found = [...segments.slice(0, last), segments.slice(last).join('/')];
  // A method after a colon that this route does not have is no part of the id.
  if (expected[last] === '{model}' && namesMethod.test(segments.at(-1) ?? '')) return undefined;
  const path = found.map((segment, i) => matchSegment(segment, expected[i] ?? ''));
  return path.includes(undefined) ? undefined : path.join('/');
}

/** The template in the router's spelling. */
export function routerPath(template: string): string {
  return template.replaceAll(':', '::').replace(/\{(\w+)\}/g, ':$1(^.+)');
}

/** Matches `:embedContent`, but not tags of ids such as `:8b` and `:latest`. */
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

/** Whether no part of the value means a folder. */
function isPlain(value: string): boolean {
  return value.split('/').every((part) => !['', '.', '..'].includes(part));
}
