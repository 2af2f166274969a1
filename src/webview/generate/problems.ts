import type { FormProblem, Frame } from '../../protocol/generatePage.ts';

type Path = readonly string[];

/** The problem of a field or inside its value, if any. */
export function problemAt(at: Path, problems: readonly FormProblem[]): FormProblem | undefined {
  return problems.find(({ path }) => startsWith(path, at));
}

/** The problem of a picture, if any. */
export function frameProblemOf(frame: Frame, problems: readonly FormProblem[]): FormProblem | undefined {
  return problemAt(framePath(frame), problems);
}

/** The problems that no field and no picture shows. */
export function otherProblems(
  fields: readonly Path[],
  frames: readonly Frame[],
  problems: readonly FormProblem[],
): readonly FormProblem[] {
  const shown = [...fields, ...frames.map(framePath)];
  return problems.filter(({ path }) => !shown.some((each) => startsWith(path, each)));
}

/** The problems without those of a field that was edited since. */
export function withoutProblemsAt(at: Path, problems: readonly FormProblem[]): readonly FormProblem[] {
  return problems.filter(({ path }) => !startsWith(path, at));
}

function framePath(frame: Frame): Path {
  return ['frames', frame];
}

function startsWith(path: Path, beginning: Path): boolean {
  return beginning.every((name, index) => path[index] === name);
}
