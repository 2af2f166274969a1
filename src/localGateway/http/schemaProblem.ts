import type { z } from 'zod';

type Issue = z.core.$ZodIssue;

export interface SchemaProblem {
  readonly at: readonly PropertyKey[];
  /** The place, such as `messages[0].role`; empty for the whole value. */
  readonly path: string;
  /** What is expected and what came. A text that came is quoted only where one of a few words is expected. */
  readonly problem: string;
}

/** Explains why a value does not fit its schema. */
export function schemaProblems(error: Pick<z.ZodError, 'issues'>, value: unknown): readonly SchemaProblem[] {
  return error.issues.map((issue) => {
    const { path, problem } = describe(issue, value);
    return { at: path, path: pathText(path), problem };
  });
}

interface Finding {
  readonly path: readonly PropertyKey[];
  readonly problem: string;
}

function describe(issue: Issue, value: unknown): Finding {
  const { path } = issue;
  const came = valueAt(value, path);
  if (issue.code === 'invalid_union') return describeUnion(issue, came);
  const expected = expectation(issue);
  if (expected === undefined) return { path, problem: issue.message };
  const isWord = issue.code === 'invalid_value' && typeof came === 'string';
  return {
    path,
    problem: mismatch(expected, came, isWord ? JSON.stringify(came.slice(0, 40)) : kindOf(came)),
  };
}

/** Describes the branch that fits furthest, or all branches when none fits at all. */
function describeUnion(issue: z.core.$ZodIssueInvalidUnion, came: unknown): Finding {
  const first = issue.errors.flatMap((branch) => branch.slice(0, 1));
  const within = first.find(({ path }) => path.length > 0);
  if (!within) {
    const expected = first.map((branch) => expectation(branch) ?? branch.message).join(' or ');
    return { path: issue.path, problem: mismatch(expected, came, kindOf(came)) };
  }
  const { path, problem } = describe(within, came);
  return { path: [...issue.path, ...path], problem };
}

function mismatch(expected: string, came: unknown, got: string): string {
  return `expected ${expected}; ${came === undefined ? 'it is missing' : `got ${got}`}`;
}

/** What the schema expects; undefined when its own message says so. */
function expectation(issue: Issue): string | undefined {
  switch (issue.code) {
    case 'invalid_type':
      return nouns[issue.expected] ?? issue.expected;
    case 'invalid_value': {
      const words = issue.values.map((value) => JSON.stringify(value)).join(', ');
      return issue.values.length > 1 ? `one of ${words}` : words;
    }
    case 'too_small':
      return amount('at least', Number(issue.minimum), issue.origin);
    case 'too_big':
      return amount('at most', Number(issue.maximum), issue.origin);
    default:
      return undefined;
  }
}

const nouns: Readonly<Record<string, string>> = {
  string: 'a string',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'an array',
  object: 'an object',
  record: 'an object',
};

function amount(bound: string, limit: number, origin: string): string {
  if (origin === 'string') return `a string of ${bound} ${limit} character${limit === 1 ? '' : 's'}`;
  if (origin === 'array') return `an array of ${bound} ${limit} element${limit === 1 ? '' : 's'}`;
  return `a number of ${bound} ${limit}`;
}

/** A path as `messages[0].role`. */
export function pathText(path: readonly PropertyKey[]): string {
  return path
    .map((key) => (typeof key === 'number' ? `[${key}]` : `.${String(key)}`))
    .join('')
    .replace(/^\./, '');
}

function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  let at = value;
  for (const key of path) {
    if (typeof at !== 'object' || at === null) return undefined;
    at = Reflect.get(at, key);
  }
  return at;
}

function kindOf(value: unknown): string {
  if (value === null) return 'null';
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  if (typeof value === 'string') return value === '' ? 'an empty string' : 'a string';
  if (Array.isArray(value)) return value.length === 0 ? 'an empty array' : 'an array';
  return 'an object';
}
