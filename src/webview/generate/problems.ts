import type { FormProblem, GenerateField } from '../../protocol/generatePage.ts';

/** What is wrong with a field or inside its value, if anything. */
export function problemOf(field: GenerateField, problems: readonly FormProblem[]): FormProblem | undefined {
  return problems.find(({ path }) => startsWith(path, field.path));
}

/** The problems that no field shows. */
export function otherProblems(
  fields: readonly GenerateField[],
  problems: readonly FormProblem[],
): readonly FormProblem[] {
  return problems.filter(({ path }) => !fields.some((field) => startsWith(path, field.path)));
}

/** The problems without those of a field that has been edited since. */
export function withoutField(field: GenerateField, problems: readonly FormProblem[]): readonly FormProblem[] {
  return problems.filter(({ path }) => !startsWith(path, field.path));
}

function startsWith(path: readonly string[], beginning: readonly string[]): boolean {
  return beginning.every((name, index) => path[index] === name);
}
