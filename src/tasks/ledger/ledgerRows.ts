import { isObject } from '../../base/json.ts';
import { StorageError, type Values } from '../../storage/database.ts';
import { readExplanation } from '../../wire/explanations/explanation.ts';
import type { KeptResult, Problem, Task, TaskStatus } from '../record/task.ts';

/** The fields of a task that its row holds, in the order of the columns. */
const taskFields = namesOf<Exclude<keyof Task, 'results'>>({
  key: true,
  gateway: true,
  gatewayName: true,
  route: true,
  model: true,
  prompt: true,
  status: true,
  failedAs: true,
  watching: true,
  taskId: true,
  requestId: true,
  rawStatus: true,
  progress: true,
  problem: true,
  intendedAt: true,
  submittedAt: true,
  acceptedAt: true,
  watchedSince: true,
  endedAt: true,
  expiresAt: true,
  gatewayRequestId: true,
  mostProgress: true,
  holds: true,
  deletedAt: true,
});

const resultFields = namesOf<keyof KeptResult>({
  index: true,
  state: true,
  url: true,
  mimeType: true,
  expiresAt: true,
  path: true,
  bytes: true,
  sha256: true,
  problem: true,
});

/** A row of the table of tasks, with the columns `taskColumns`. */
export type TaskRow = Row<Omit<Task, 'results'>>;

/** A row of the table of results, with the columns `resultColumns`. */
export type ResultRow = Row<KeptResult>;

/** Objects are JSON text in a row. Null stands for what is absent. */
type Row<Kept> = {
  readonly [Field in keyof Kept]-?:
    | (NonNullable<Kept[Field]> extends object ? string : NonNullable<Kept[Field]>)
    | (undefined extends Kept[Field] ? null : never);
};

/** Names every field: types fail where one is forgotten. */
function namesOf<Field extends string>(fields: Readonly<Record<Field, true>>): readonly Field[] {
  return Object.keys(fields) as Field[];
}

export const taskColumns = taskFields.join(', ');

export const resultColumns = `place AS "index", ${resultFields.slice(1).join(', ')}`;

const statuses: Readonly<Record<TaskStatus, true>> = {
  intent: true,
  submitting: true,
  unknown: true,
  refused: true,
  running: true,
  completed: true,
  failed: true,
  missing: true,
};

function isStatus(value: unknown): boolean {
  return typeof value === 'string' && Object.hasOwn(statuses, value);
}

/**
 * @param values in the order of `taskColumns`
 * @throws {StorageError} of kind `damaged` for a row of another table
 */
export function taskOf(values: Values, results: readonly KeptResult[]): Task {
  const task = fieldsOf(taskFields, values);
  // SQLite returns rows of another table when pages have been swapped.
  if (typeof task.key !== 'string' || !isStatus(task.status) || typeof task.intendedAt !== 'number') {
    throw new StorageError('damaged', 'The table of tasks holds what is no task.');
  }
  if (typeof task.problem === 'string') task.problem = readProblem(task.problem);
  task.results = results;
  return task as unknown as Task;
}

/** @param values in the order of `resultColumns` */
export function resultOf(values: Values): KeptResult {
  const result = fieldsOf(resultFields, values);
  if (typeof result.problem === 'string') result.problem = readProblem(result.problem);
  return result as unknown as KeptResult;
}

/** Parses JSON text that the ledger wrote itself. */
export function parsed<Kept>(json: string): Kept {
  try {
    return JSON.parse(json) as Kept;
  } catch (error) {
    throw new StorageError('damaged', 'What was kept of a task cannot be read.', { cause: error });
  }
}

/**
 * A problem from its JSON text, without an explanation for which this version has no sentence.
 *
 * @throws {StorageError} of kind `damaged` for what is no JSON
 */
export function readProblem(json: string): Problem {
  return problemIn(parsed<unknown>(json)) ?? { message: json };
}

function problemIn(kept: unknown): Problem | undefined {
  if (!isObject(kept) || typeof kept.message !== 'string') return undefined;
  const { explanation, ...problem } = kept as unknown as Problem;
  const known = readExplanation(explanation);
  return { ...problem, ...(known && { explanation: known }) };
}

/** Leaves out columns that are null. */
function fieldsOf(names: readonly string[], values: Values): Record<string, unknown> {
  const fields: Record<string, unknown> = {};
  names.forEach((name, index) => {
    if (values[index] !== null) fields[name] = values[index];
  });
  return fields;
}
