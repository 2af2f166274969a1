import type * as z from 'zod';
import { plainLine } from '../../kit/display/plainText.ts';
import type { AgentServices } from '../agentServices.ts';

/** A tool that agents call. What they pass is checked before anything is done with it. */
export interface Tool {
  /** What is shown while it runs; undefined for input that it does not take. */
  progress(input: unknown): string | undefined;
  /**
   * @returns what the agent reads
   * @throws {ToolError} or a GatewayError; once the signal is aborted anything
   */
  run(input: unknown, services: AgentServices, signal: AbortSignal): Promise<string>;
}

interface ToolDefinition<Input> {
  readonly input: z.ZodType<Input>;
  readonly progress: (input: Input) => string;
  readonly run: (input: Input, services: AgentServices, signal: AbortSignal) => Promise<string>;
}

/** Why nothing was done. The message tells an agent as well what it can do. */
export class ToolError extends Error {
  override readonly name = 'ToolError';
  /** Why, for people. */
  readonly problem: string;

  /** @param advice for an agent */
  constructor(problem: string, advice = '') {
    super([problem, advice].filter(Boolean).join(' '));
    this.problem = problem;
  }
}

/** Makes a tool that runs only with input of its schema. */
export function defineTool<Input>({ input: schema, progress, run }: ToolDefinition<Input>): Tool {
  return {
    progress: (input) => {
      const parsed = schema.safeParse(input);
      return parsed.success ? progress(parsed.data) : undefined;
    },
    run: async (input, services, signal) => {
      const parsed = schema.safeParse(input);
      if (!parsed.success) throw new ToolError(inputProblems(parsed.error.issues));
      return run(parsed.data, services, signal);
    },
  };
}

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
