import type { FormProblem, Frame, GenerateField } from '../../protocol/generatePage.ts';

/** What is wrong with a field or inside its value, if anything. */
export function problemOf(field: GenerateField, problems: readonly FormProblem[]): FormProblem | undefined {
  return problems.find(({ path }) => startsWith(path, field.path));
}

/** What is wrong with a picture, if anything. */
export function frameProblemOf(frame: Frame, problems: readonly FormProblem[]): FormProblem | undefined {
  return problems.find(({ path }) => startsWith(path, framePath(frame)));
}

/** The problems that neither a field nor the place of a picture shows. */
export function otherProblems(
  fields: readonly GenerateField[],
  frames: readonly Frame[],
  problems: readonly FormProblem[],
): readonly FormProblem[] {
  const shown = [...fields.map(({ path }) => path), ...frames.map(framePath)];
  return problems.filter(({ path }) => !shown.some((each) => startsWith(path, each)));
}

/** The problems without those of a field that has been edited since. */
export function withoutField(field: GenerateField, problems: readonly FormProblem[]): readonly FormProblem[] {
  return problems.filter(({ path }) => !startsWith(path, field.path));
}

function framePath(frame: Frame): readonly string[] {
  return ['frames', frame];
}

function startsWith(path: readonly string[], beginning: readonly string[]): boolean {
  return beginning.every((name, index) => path[index] === name);
}
