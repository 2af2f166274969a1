import type * as z from 'zod';
import type { AgentServices } from '../agentServices.ts';
import { inputProblems } from './inputProblems.ts';

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
