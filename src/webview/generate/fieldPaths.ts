import { isObject, type JsonObject, sameJson } from '../../base/json.ts';
import type { JsonSchema } from '../../base/jsonSchema.ts';
import { valueAt, withValue } from '../../base/nestedValues.ts';
import type {
  ExclusionView,
  FormProblem,
  FramePosition,
  GenerateField,
} from '../../protocol/generatePage.ts';
import { createFields, type Field, getGroupMembers } from '../form/formFields.ts';

type Path = readonly string[];

/** Finds the paths that are set in `after`, but are excluded by values that were set since `before`. */
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

/** Finds the paths that are set in a body and exclude a path; none if a path of the same side is set. */
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

/** Returns the label of the field at a path; its name in the request if the form has no such field. */
export function getFieldLabel(path: Path, fields: readonly GenerateField[]): string {
  return fields.find((each) => each.path.join() === path.join())?.label ?? path.at(-1) ?? '';
}

/** Finds the problem of a field, or of a part of its value. */
export function findProblem(fieldPath: Path, problems: readonly FormProblem[]): FormProblem | undefined {
  return problems.find(({ path }) => startsWith(path, fieldPath));
}

/** Finds the problem of a picture. */
export function findFrameProblem(
  frame: FramePosition,
  problems: readonly FormProblem[],
): FormProblem | undefined {
  return findProblem(createFramePath(frame), problems);
}

/** Lists the problems that are not shown at a field or a picture. */
export function listOtherProblems(
  fields: readonly Path[],
  frames: readonly FramePosition[],
  problems: readonly FormProblem[],
): readonly FormProblem[] {
  const shownPaths = [...fields, ...frames.map(createFramePath)];
  return problems.filter(({ path }) => !shownPaths.some((each) => startsWith(path, each)));
}

/** Returns the problems without the problems of one field. */
export function removeProblems(fieldPath: Path, problems: readonly FormProblem[]): readonly FormProblem[] {
  return problems.filter(({ path }) => !startsWith(path, fieldPath));
}

function createFramePath(frame: FramePosition): Path {
  return ['frames', frame];
}

function startsWith(path: Path, beginning: Path): boolean {
  return beginning.every((name, index) => path[index] === name);
}

/** Returns a body without the values at these paths. */
export function removePaths(paths: readonly Path[], body: JsonObject): JsonObject {
  return paths.reduce<JsonObject>(
    (rest, path) => (valueAt(rest, path) === undefined ? rest : withValue(rest, path, undefined)),
    body,
  );
}

/**
 * Replaces a body except for the values at these paths. A value is dropped if its outer value in `rest` is not an
 * object.
 */
export function replaceRest(paths: readonly Path[], body: JsonObject, rest: JsonObject): JsonObject {
  return paths.reduce((merged, path) => {
    const value = valueAt(body, path);
    return value === undefined || !hasObjectFor(merged, path) ? merged : withValue(merged, path, value);
  }, rest);
}

/** Returns the values of a body that differ from another body. */
export function pickChanges(before: JsonObject, body: JsonObject): JsonObject {
  const changed = Object.entries(body).flatMap(([name, value]) => {
    const old = valueAt(before, [name]);
    if (sameJson(old, value)) return [];
    return [[name, isObject(old) && isObject(value) ? pickChanges(old, value) : value] as const];
  });
  return Object.fromEntries(changed);
}

/** Counts the fields of a schema that are set, including those inside objects. */
export function countSetValues(schema: JsonSchema, values: JsonObject): number {
  return countSetFields(createFields(schema), values);
}

/** Counts the set fields, and the members without a field. */
function countSetFields(fields: readonly Field[], values: JsonObject): number {
  const byName = new Map(fields.map((field) => [field.name, field]));
  return Object.entries(values).reduce((count, [name, value]) => {
    const field = byName.get(name);
    const members = field && getGroupMembers(field);
    return count + (members && isObject(value) ? countSetFields(members, value) : 1);
  }, 0);
}

function hasObjectFor(body: JsonObject, path: Path): boolean {
  return path.every((_, index) => {
    const outer = valueAt(body, path.slice(0, index));
    return outer === undefined || isObject(outer);
  });
}
