import { type JsonObject, sameJson } from '../../base/json.ts';
import { valueAt } from '../../base/nestedValues.ts';
import type {
  ExclusionView,
  FormProblem,
  FramePosition,
  GenerateField,
} from '../../protocol/generatePage.ts';

type Path = readonly string[];

/** The paths in `after` that are excluded by the values set since `before`. */
export function findExcluded(
  exclusions: readonly ExclusionView[],
  before: JsonObject,
  after: JsonObject,
): readonly Path[] {
  const isSet = (path: Path) => valueAt(after, path) !== undefined;
  const isNew = (path: Path) => isSet(path) && !sameJson(valueAt(before, path), valueAt(after, path));
  return exclusions.flatMap(([one, other]) => {
    if (one.some(isNew) === other.some(isNew)) return [];
    return (one.some(isNew) ? other : one).filter(isSet);
  });
}

/** The set paths of a body that exclude the path; empty if the path's own side is set. */
export function findSetInstead(
  path: Path,
  exclusions: readonly ExclusionView[],
  body: JsonObject,
): readonly Path[] {
  const includesPath = (side: readonly Path[]) => side.some((each) => each.join() === path.join());
  const isSet = (each: Path) => valueAt(body, each) !== undefined;
  const sides = exclusions.find((each) => each.some(includesPath));
  const others = sides?.find((side) => !includesPath(side)) ?? [];
  return sides?.find(includesPath)?.some(isSet) ? [] : others.filter(isSet);
}

/** The form's label of the field at a path; the name in the request if there is no main field. */
export function getFieldLabel(path: Path, fields: readonly GenerateField[]): string {
  return fields.find((each) => each.path.join() === path.join())?.label ?? path.at(-1) ?? '';
}

/** The problem of a field or inside its value, if any. */
export function findProblem(fieldPath: Path, problems: readonly FormProblem[]): FormProblem | undefined {
  return problems.find(({ path }) => startsWith(path, fieldPath));
}

/** The problem of a picture, if any. */
export function findFrameProblem(
  frame: FramePosition,
  problems: readonly FormProblem[],
): FormProblem | undefined {
  return findProblem(createFramePath(frame), problems);
}

/** The problems that are not shown at a field or a picture. */
export function listOtherProblems(
  fields: readonly Path[],
  frames: readonly FramePosition[],
  problems: readonly FormProblem[],
): readonly FormProblem[] {
  const shownPaths = [...fields, ...frames.map(createFramePath)];
  return problems.filter(({ path }) => !shownPaths.some((each) => startsWith(path, each)));
}

/** The problems, without the problems of a field that has been edited. */
export function removeProblems(fieldPath: Path, problems: readonly FormProblem[]): readonly FormProblem[] {
  return problems.filter(({ path }) => !startsWith(path, fieldPath));
}

function createFramePath(frame: FramePosition): Path {
  return ['frames', frame];
}

function startsWith(path: Path, beginning: Path): boolean {
  return beginning.every((name, index) => path[index] === name);
}
