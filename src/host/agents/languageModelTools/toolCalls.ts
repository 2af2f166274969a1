import * as vscode from 'vscode';
import { errorMessage, errorTrace } from '../../../base/errors.ts';
import { GatewayError } from '../../../wire/failure.ts';
import { abortSignalOfToken } from '../../kit/cancellationToken.ts';
import { clipped, plainLine } from '../../kit/display/plainText.ts';
import type { ToolId } from '../../kit/manifest/contributions.ts';
import type { AgentServices } from '../agentServices.ts';
import { askModel } from './askModel.ts';
import { cancelTask } from './cancelTask.ts';
import { explainFailure } from './explainFailure.ts';
import { failureForAgent } from './failureText.ts';
import { listModels } from './listModels.ts';
import { readTask } from './readTask.ts';
import { startVideo } from './startVideo.ts';
import { type Tool, ToolError } from './tool.ts';
import { waitForTask } from './waitForTask.ts';

/** The code of each tool of the manifest. */
const tools: Readonly<Record<ToolId, Tool>> = {
  listModels,
  askModel,
  startVideo,
  readTask,
  waitForTask,
  cancelTask,
  explainFailure,
};

/** The longest result, in UTF-16 units: an agent reads all of it with each of its further steps. */
const maxResultLength = 24_000;
/** About how many UTF-16 units a token is at least. */
const unitsPerToken = 3;
const maxProgressLength = 120;

/** What VS Code shows while a tool runs. */
export function prepareCall(id: ToolId, input: unknown): vscode.PreparedToolInvocation {
  const words = tools[id].progress(input);
  return words === undefined ? {} : { invocationMessage: plainLine(words, maxProgressLength) };
}

/**
 * Runs a tool for an agent.
 *
 * @throws {vscode.CancellationError} once the token is cancelled
 * @throws an error whose message tells the agent what went wrong and what to do
 */
export async function callTool(
  id: ToolId,
  { input, tokenizationOptions }: vscode.LanguageModelToolInvocationOptions<unknown>,
  services: AgentServices,
  token: vscode.CancellationToken,
): Promise<vscode.LanguageModelToolResult> {
  const signal = abortSignalOfToken(token);
  try {
    const text = await tools[id].run(input, services, signal);
    const budget = (tokenizationOptions?.tokenBudget ?? Number.POSITIVE_INFINITY) * unitsPerToken;
    const part = new vscode.LanguageModelTextPart(clipped(text, Math.min(maxResultLength, budget)));
    return new vscode.LanguageModelToolResult([part]);
  } catch (error) {
    if (signal.aborted || GatewayError.is(error, 'cancelled')) throw new vscode.CancellationError();
    if (error instanceof ToolError) throw error;
    services.log.error('tool', `${id}: ${errorTrace(error)}`);
    throw new ToolError(GatewayError.is(error) ? failureForAgent(error) : errorMessage(error));
  }
}
