import type { FormProblem, FramePosition } from '../../protocol/generatePage.ts';

type Path = readonly string[];

/** The problem of a field or inside its value, if any. */
export function problemAt(fieldPath: Path, problems: readonly FormProblem[]): FormProblem | undefined {
  return problems.find(({ path }) => startsWith(path, fieldPath));
}

/** The problem of a picture, if any. */
export function frameProblemOf(
  frame: FramePosition,
  problems: readonly FormProblem[],
): FormProblem | undefined {
  return problemAt(framePath(frame), problems);
}

/** The problems that are not shown at a field or a picture. */
export function otherProblems(
  fields: readonly Path[],
  frames: readonly FramePosition[],
  problems: readonly FormProblem[],
): readonly FormProblem[] {
  const shownPaths = [...fields, ...frames.map(framePath)];
  return problems.filter(({ path }) => !shownPaths.some((each) => startsWith(path, each)));
}

/** The problems, without the problems of a field that has been edited. */
export function withoutProblemsAt(fieldPath: Path, problems: readonly FormProblem[]): readonly FormProblem[] {
  return problems.filter(({ path }) => !startsWith(path, fieldPath));
}

function framePath(frame: FramePosition): Path {
  return ['frames', frame];
}

function startsWith(path: Path, beginning: Path): boolean {
  return beginning.every((name, index) => path[index] === name);
}
