import type { ReadCall } from './calls.ts';
import type { ToolNames } from './toolNames.ts';

/** Why a call was not made, for the model with its next request. */
export function reasonForModel({ called, outcome }: ReadCall, names: ToolNames): string {
  const tool = JSON.stringify(called.slice(0, 80));
  switch (outcome.type) {
    case 'unknown-tool':
      return `There is no tool ${tool}, so nothing was run. Offered are: ${names.all.join(', ') || 'none'}.`;
    case 'ambiguous':
      return `Two calls arrived mixed up, so ${tool} was not run. Make them one by one.`;
    default:
      return `The arguments of the call to ${tool} were no valid JSON, so it was not run. Call it again.`;
  }
}
