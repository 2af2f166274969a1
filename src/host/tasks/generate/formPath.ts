import type { Frame } from '../../../wire/apis/format/videoRoute.ts';

type Path = readonly string[];

/** What a form shows: the paths of its fields, and its pictures. */
interface FormParts {
  readonly paths: readonly Path[];
  readonly frames: readonly Frame[];
}

/**
 * The place in the form of a field that a gateway named, in whichever spelling: some name the last part of it alone.
 *
 * @param field its path with dots
 */
export function formPath(field: string, { paths, frames }: FormParts): Path {
  const told = field.split('.').map(folded);
  const own = paths.find((path) => endsWith(path.map(folded), told));
  if (own) return own;
  const isPicture = told.some((name) => /image|img|picture|frame/.test(name));
  const [first] = frames;
  if (!isPicture || first === undefined) return field.split('.');
  return ['frames', frames.find((frame) => told.some((name) => name.includes(frame))) ?? first];
}

function endsWith(path: Path, end: Path): boolean {
  return end.every((name, at) => path[path.length - end.length + at] === name);
}

function folded(name: string): string {
  return name.toLowerCase().replaceAll('_', '');
}
