import { isObject } from '../../base/json.ts';
import { parseStored, StorageError, type Values } from '../../storage/database.ts';
import { readExplanation } from '../../wire/explanations/explanation.ts';
import type { LedgerResult, Problem, Task, TaskStatus } from '../record/task.ts';

/** The fields of a task that are stored in its row, in the order of the columns. */
const taskFields = listFields<Exclude<keyof Task, 'results'>>({
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
  maxPercent: true,
  resultKind: true,
  deletedAt: true,
});

const resultFields = listFields<keyof LedgerResult>({
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
export type ResultRow = Row<LedgerResult>;

/** Objects are JSON text in a row. An absent field is null. */
type Row<Stored> = {
  readonly [Field in keyof Stored]-?:
    | (NonNullable<Stored[Field]> extends object ? string : NonNullable<Stored[Field]>)
    | (undefined extends Stored[Field] ? null : never);
};

/** Lists every field. The type checker reports a missing field. */
function listFields<Field extends string>(fields: Readonly<Record<Field, true>>): readonly Field[] {
  return Object.keys(fields) as Field[];
}

export const taskColumns = taskFields.join(', ');

export const resultColumns = `position AS "index", ${resultFields.slice(1).join(', ')}`;

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
export function toTask(values: Values, results: readonly LedgerResult[]): Task {
  const task = toFields(taskFields, values);
  // SQLite may return rows of another table if pages were swapped.
  if (typeof task.key !== 'string' || !isStatus(task.status) || typeof task.intendedAt !== 'number') {
    throw new StorageError('damaged', 'The table of tasks contains an invalid row.');
  }
  if (typeof task.problem === 'string') task.problem = readProblem(task.problem);
  task.results = results;
  return task as unknown as Task;
}

/** @param values in the order of `resultColumns` */
export function toResult(values: Values): LedgerResult {
  const result = toFields(resultFields, values);
  if (typeof result.problem === 'string') result.problem = readProblem(result.problem);
  return result as unknown as LedgerResult;
}

/**
 * Reads a problem from its JSON text. Drops an explanation that this version does not know.
 *
 * @throws {StorageError} of kind `damaged` for a text that is not JSON
 */
export function readProblem(json: string): Problem {
  return checkProblem(parseStored<unknown>(json)) ?? { message: json };
}

function checkProblem(stored: unknown): Problem | undefined {
  if (!isObject(stored) || typeof stored.message !== 'string') return undefined;
  const { explanation, ...problem } = stored as unknown as Problem;
  const knownExplanation = readExplanation(explanation);
  return { ...problem, ...(knownExplanation && { explanation: knownExplanation }) };
}

/** Omits columns that are null. */
function toFields(names: readonly string[], values: Values): Record<string, unknown> {
  const fields: Record<string, unknown> = {};
  names.forEach((name, index) => {
    if (values[index] !== null) fields[name] = values[index];
  });
  return fields;
}
