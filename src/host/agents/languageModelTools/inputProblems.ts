import type * as z from 'zod';
import { plainLine } from '../../kit/display/plainText.ts';

type Issue = z.core.$ZodIssue;

const maxIssues = 8;
const maxNameLength = 60;

/** What is wrong with the input of a tool, field by field, and what to do, in words for an agent. */
export function inputProblems(issues: readonly Issue[]): string {
  const lines = issues.slice(0, maxIssues).map((issue) => `- ${where(issue)}: ${what(issue)}`);
  return [
    'Nothing was done, because the input is not valid.',
    ...lines,
    'Correct these fields and call the tool again.',
  ].join('\n');
}

function where({ path }: Issue): string {
  return path.length === 0 ? 'input' : plainLine(path.map(String).join('.'), maxNameLength);
}

/** The words of the schema where it has its own, with what it takes. */
function what(issue: Issue): string {
  switch (issue.code) {
    case 'unrecognized_keys':
      return `unknown field ${issue.keys.map((key) => `“${plainLine(key, maxNameLength)}”`).join(', ')}; leave it out`;
    case 'invalid_value':
      return `must be one of ${issue.values.map(String).join(', ')}`;
    default:
      return plainLine(issue.message, 200);
  }
}
