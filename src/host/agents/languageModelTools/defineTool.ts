import type * as z from 'zod';
import { plainLine } from '../../kit/display/plainText.ts';
import type { AgentServices } from '../agentServices.ts';

/** A tool that agents call. The input is validated before it is used. */
export interface Tool {
  /** The text to show while the tool runs; undefined for invalid input. */
  progress(input: unknown): string | undefined;
  /**
   * @returns the text for the agent
   * @throws {ToolError} or {GatewayError}; after an abort of the signal, any error
   */
  run(input: unknown, services: AgentServices, signal: AbortSignal): Promise<string>;
}

interface ToolDefinition<Input> {
  readonly input: z.ZodType<Input>;
  readonly progress: (input: Input) => string;
  readonly run: (input: Input, services: AgentServices, signal: AbortSignal) => Promise<string>;
}

/** The error of a tool. Its message contains the reason and advice for the agent. */
export class ToolError extends Error {
  override readonly name = 'ToolError';
  /** The reason, for the user. */
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

/** Describes the invalid fields of a tool's input and the next step, for an agent. */
export function inputProblems(issues: readonly Issue[]): string {
  const lines = issues.slice(0, maxIssues).map((issue) => `- ${issuePath(issue)}: ${issueText(issue)}`);
  return [
    'Nothing was done, because the input is not valid.',
    ...lines,
    'Correct these fields and call the tool again.',
  ].join('\n');
}

function issuePath({ path }: Issue): string {
  return path.length === 0 ? 'input' : plainLine(path.map(String).join('.'), maxNameLength);
}

function issueText(issue: Issue): string {
  switch (issue.code) {
    case 'unrecognized_keys':
      return `unknown field ${issue.keys.map((key) => `“${plainLine(key, maxNameLength)}”`).join(', ')}; leave it out`;
    case 'invalid_value':
      return `must be one of ${issue.values.map(String).join(', ')}`;
    default:
      return plainLine(issue.message, 200);
  }
}
