import { isObject, parseJson } from '../../base/json.ts';
import { StorageError, type Values } from '../../storage/database.ts';
import { readExplanation } from '../../wire/explanations/explanation.ts';
import type { KeptResult, Problem, Task, TaskStatus, Watching } from '../task.ts';

/** A row of the table of tasks, with the columns `taskColumns`. */
export interface TaskRow {
  readonly key: string;
  readonly gateway: string;
  readonly gatewayName: string;
  readonly route: Task['route'] | null;
  readonly model: string | null;
  readonly prompt: string;
  readonly status: TaskStatus;
  readonly failedAs: Task['failedAs'] | null;
  readonly watching: Watching;
  readonly taskId: string | null;
  readonly requestId: string | null;
  readonly gatewayRequestId: string | null;
  readonly rawStatus: string | null;
  readonly progress: number | null;
  /** JSON text. */
  readonly problem: string | null;
  readonly intendedAt: number;
  readonly submittedAt: number | null;
  readonly acceptedAt: number | null;
  readonly watchedSince: number | null;
  readonly endedAt: number | null;
  readonly expiresAt: number | null;
}

/** A row of the table of results, with the columns `resultColumns`. */
export interface ResultRow {
  readonly index: number;
  readonly state: KeptResult['state'];
  readonly url: string;
  readonly mimeType: string | null;
  readonly expiresAt: number | null;
  readonly path: string | null;
  readonly bytes: number | null;
  readonly sha256: string | null;
  /** JSON text, or a sentence of an earlier version. */
  readonly problem: string | null;
}

const taskFields = [
  ...[
    'key',
    'gateway',
    'gatewayName',
    'route',
    'model',
    'prompt',
    'status',
    'failedAs',
    'watching',
    'taskId',
  ],
  ...[
    'requestId',
    'rawStatus',
    'progress',
    'problem',
    'intendedAt',
    'submittedAt',
    'acceptedAt',
    'watchedSince',
  ],
  ...['endedAt', 'expiresAt', 'gatewayRequestId'],
] as const satisfies readonly (keyof Task)[];

const resultFields = [
  ...['index', 'state', 'url', 'mimeType', 'expiresAt', 'path', 'bytes', 'sha256', 'problem'],
] as const satisfies readonly (keyof KeptResult)[];

/**
 * The status as it is stored. The columns keep the names of the first version, `profile`, `stage` and `word`, and
 * `missing` its word of then: windows of an earlier version go on with the file, and what is left of a damaged one is
 * read in the layout of whatever version wrote it, by one plan.
 */
export const statusColumn = "iif(stage = 'gone', 'missing', stage)";

export function storedStatus(status: TaskStatus): string {
  return status === 'missing' ? 'gone' : status;
}

const columnsByField: Readonly<Record<string, string>> = {
  gatewayName: 'profile AS gatewayName',
  status: `${statusColumn} AS status`,
  rawStatus: 'word AS rawStatus',
};

export const taskColumns = taskFields.map((field) => columnsByField[field] ?? field).join(', ');

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
  if (typeof result.problem === 'string') result.problem = readResultProblem(result.problem);
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

/** The problem of a result, which earlier versions wrote as a sentence. */
function readResultProblem(text: string): Problem {
  return problemIn(parseJson(text)) ?? { message: text };
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
