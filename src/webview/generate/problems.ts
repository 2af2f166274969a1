import type { FormProblem, Frame } from '../../protocol/generatePage.ts';

type Path = readonly string[];

/** What is wrong with a field or inside its value, if anything. */
export function problemAt(at: Path, problems: readonly FormProblem[]): FormProblem | undefined {
  return problems.find(({ path }) => startsWith(path, at));
}

/** What is wrong with a picture, if anything. */
export function frameProblemOf(frame: Frame, problems: readonly FormProblem[]): FormProblem | undefined {
  return problemAt(framePath(frame), problems);
}

/** The problems that neither a field nor the place of a picture shows. */
export function otherProblems(
  fields: readonly Path[],
  frames: readonly Frame[],
  problems: readonly FormProblem[],
): readonly FormProblem[] {
  const shown = [...fields, ...frames.map(framePath)];
  return problems.filter(({ path }) => !shown.some((each) => startsWith(path, each)));
}

/** The problems without those of a field that has been edited since. */
export function withoutProblemsAt(at: Path, problems: readonly FormProblem[]): readonly FormProblem[] {
  return problems.filter(({ path }) => !startsWith(path, at));
}

function framePath(frame: Frame): Path {
  return ['frames', frame];
}

function startsWith(path: Path, beginning: Path): boolean {
  return beginning.every((name, index) => path[index] === name);
}
