import type { z } from 'zod';
import { quoteName } from '../../base/hiddenCharacters.ts';

type Issue = z.core.$ZodIssue;

interface SchemaProblem {
  /** The path; empty for the whole value. */
  readonly path: readonly PropertyKey[];
  /**
   * The expected and the actual value. A text is quoted only if a fixed list of values is expected, because other
   * texts may be private.
   */
  readonly problem: string;
}

/** Explains why a value does not fit its schema. */
export function listSchemaProblems(
  error: Pick<z.ZodError, 'issues'>,
  value: unknown,
): readonly SchemaProblem[] {
  return error.issues.map((issue) => describeIssue(issue, value));
}

function describeIssue(issue: Issue, value: unknown): SchemaProblem {
  const { path } = issue;
  const actual = readValueAt(value, path);
  if (issue.code === 'invalid_union') return describeUnion(issue, actual);
  const expectation = describeExpectation(issue);
  if (expectation === undefined) return { path, problem: issue.message };
  const isWord = issue.code === 'invalid_value' && typeof actual === 'string';
  return {
    path,
    problem: describeMismatch(
      expectation,
      actual,
      isWord ? JSON.stringify(actual.slice(0, 40)) : describeValue(actual),
    ),
  };
}

/** Describes the first branch that accepts the type of the value, or all branches if none does. */
function describeUnion(issue: z.core.$ZodIssueInvalidUnion, actual: unknown): SchemaProblem {
  const firstIssues = issue.errors.flatMap((branch) => branch.slice(0, 1));
  const inner = firstIssues.find(({ path }) => path.length > 0);
  if (!inner) {
    const expectation = firstIssues
      .map((branch) => describeExpectation(branch) ?? branch.message)
      .join(' or ');
    return { path: issue.path, problem: describeMismatch(expectation, actual, describeValue(actual)) };
  }
  const innerProblem = describeIssue(inner, actual);
  return { path: [...issue.path, ...innerProblem.path], problem: innerProblem.problem };
}

function describeMismatch(expected: string, actual: unknown, actualText: string): string {
  return `expected ${expected}; ${actual === undefined ? 'it is missing' : `got ${actualText}`}`;
}

/** Describes the value that the schema expects; undefined if the message of the issue already describes it. */
function describeExpectation(issue: Issue): string | undefined {
  switch (issue.code) {
    case 'invalid_type':
      return typeNames[issue.expected] ?? issue.expected;
    case 'invalid_value': {
      const values = issue.values.map((value) => JSON.stringify(value)).join(', ');
      return issue.values.length > 1 ? `one of ${values}` : values;
    }
    case 'too_small':
      return describeLimit('at least', Number(issue.minimum), issue.origin);
    case 'too_big':
      return describeLimit('at most', Number(issue.maximum), issue.origin);
    default:
      return undefined;
  }
}

const typeNames: Readonly<Record<string, string>> = {
  string: 'a string',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'an array',
  object: 'an object',
  record: 'an object',
};

function describeLimit(bound: string, limit: number, origin: string): string {
  if (origin === 'string') return `a string of ${bound} ${limit} character${limit === 1 ? '' : 's'}`;
  if (origin === 'array') return `an array of ${bound} ${limit} element${limit === 1 ? '' : 's'}`;
  return `a number that is ${bound} ${limit}`;
}

const plainName = /^[\p{L}_$][\p{L}\p{N}_$-]{0,80}$/u;

/** Formats a path like `messages[0].role`. Names with other characters are quoted. */
export function formatPath(path: readonly PropertyKey[]): string {
  return path
    .map((key) => {
      if (typeof key === 'number') return `[${key}]`;
      return plainName.test(String(key)) ? `.${String(key)}` : `[${quoteName(String(key))}]`;
    })
    .join('')
    .replace(/^\./, '');
}

function readValueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  let current = value;
  for (const key of path) {
    if (typeof current !== 'object' || current === null) return undefined;
    current = Reflect.get(current, key);
  }
  return current;
}

function describeValue(value: unknown): string {
  if (value === null) return 'null';
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  if (typeof value === 'string') return value === '' ? 'an empty string' : 'a string';
  if (Array.isArray(value)) return value.length === 0 ? 'an empty array' : 'an array';
  return 'an object';
}
