import * as vscode from 'vscode';
import { errorMessage, errorTrace } from '../../../base/errors.ts';
import { GatewayError } from '../../../wire/failures/gatewayError.ts';
import { clip, plainLine } from '../../kit/display/plainText.ts';
import { toAbortSignal } from '../../kit/display/progress.ts';
import type { ToolId } from '../../kit/manifest/contributions.ts';
import type { AgentServices } from '../agentServices.ts';
import { askModelTool } from './askModel.ts';
import { cancelTaskTool } from './cancelTask.ts';
import { type Tool, ToolError } from './defineTool.ts';
import { explainFailureTool } from './explainFailure.ts';
import { describeFailure } from './failureText.ts';
import { listModelsTool } from './listModels.ts';
import { readTaskTool } from './readTask.ts';
import { startVideoTool } from './startVideo.ts';
import { waitForTaskTool } from './waitForTask.ts';

/** The tools by their ids in the manifest. */
const tools: Readonly<Record<ToolId, Tool>> = {
  listModels: listModelsTool,
  askModel: askModelTool,
  startVideo: startVideoTool,
  readTask: readTaskTool,
  waitForTask: waitForTaskTool,
  cancelTask: cancelTaskTool,
  explainFailure: explainFailureTool,
};

/** In UTF-16 units. Results are limited because an agent sends them again with each further step. */
const maxResultLength = 24_000;
/** The least number of UTF-16 units per token, approximately. */
const unitsPerToken = 3;
const maxProgressLength = 120;

/** Returns the text that VS Code shows while a tool runs. Invalid input has no text. */
export function prepareCall(id: ToolId, input: unknown): vscode.PreparedToolInvocation {
  const words = tools[id].progress(input);
  return words === undefined ? {} : { invocationMessage: plainLine(words, maxProgressLength) };
}

/**
 * Runs a tool for an agent.
 *
 * @throws {vscode.CancellationError} once the token is cancelled
 * @throws an error whose message explains the problem and the next step to the agent
 */
export async function callTool(
  id: ToolId,
  { input, tokenizationOptions }: vscode.LanguageModelToolInvocationOptions<unknown>,
  services: AgentServices,
  token: vscode.CancellationToken,
): Promise<vscode.LanguageModelToolResult> {
  const signal = toAbortSignal(token);
  try {
    const text = await tools[id].run(input, services, signal);
    const budget = (tokenizationOptions?.tokenBudget ?? Number.POSITIVE_INFINITY) * unitsPerToken;
    const part = new vscode.LanguageModelTextPart(clip(text, Math.min(maxResultLength, budget)));
    return new vscode.LanguageModelToolResult([part]);
  } catch (error) {
    if (signal.aborted || GatewayError.is(error, 'cancelled')) throw new vscode.CancellationError();
    if (error instanceof ToolError) throw error;
    services.log.error('tool', `${id}: ${errorTrace(error)}`);
    throw new ToolError(GatewayError.is(error) ? describeFailure(error) : errorMessage(error));
  }
}
