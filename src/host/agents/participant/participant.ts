import * as vscode from 'vscode';
import { errorMessage, errorTrace } from '../../../base/errors.ts';
import { GatewayError } from '../../../wire/failures/gatewayError.ts';
import { toAbortSignal } from '../../kit/display/progress.ts';
import type { AgentServices } from '../agentServices.ts';
import { ToolError } from '../languageModelTools/defineTool.ts';
import { commands } from './participantCommands.ts';
import { ParticipantStream } from './participantStream.ts';
import { sendToChosenModel } from './sendToChosenModel.ts';

/** A question to the participant, as VS Code passes it. */
interface ParticipantRequest {
  readonly request: vscode.ChatRequest;
  readonly history: vscode.ChatContext['history'];
  readonly stream: vscode.ChatResponseStream;
  readonly token: vscode.CancellationToken;
}

/** Replies to a question in VS Code's chat. Shows a failure with its next steps, unless the user cancelled. */
export async function handleRequest(
  services: AgentServices,
  { request, history, stream, token }: ParticipantRequest,
): Promise<vscode.ChatResult> {
  const { command = '' } = request;
  const signal = toAbortSignal(token);
  const participantStream = new ParticipantStream(stream);
  const handler = Object.hasOwn(commands, command) ? commands[command] : sendToChosenModel;
  const metadata = { command };
  try {
    await handler?.({ services, request, history, stream: participantStream, token, signal });
    return { metadata };
  } catch (error) {
    if (signal.aborted || GatewayError.is(error, 'cancelled')) return { metadata };
    services.log.error('chat', `@gateway: ${errorTrace(error)}`);
    if (GatewayError.is(error)) participantStream.failure(error);
    else participantStream.paragraph(error instanceof ToolError ? error.problem : errorMessage(error));
    return { metadata: { ...metadata, failed: true } };
  }
}

/** Suggests the next questions after a reply. */
export function followups({ metadata = {} }: vscode.ChatResult): readonly vscode.ChatFollowup[] {
  const { t } = vscode.l10n;
  const whichModels = { command: 'models', prompt: 'chat', label: t('Which models can chat?') };
  const whichVideos = { command: 'models', prompt: 'video', label: t('Which models make videos?') };
  const runningTasks = { command: 'tasks', prompt: 'running', label: t('Which tasks are running?') };
  const lastFailure = { command: 'explain', prompt: 'latest', label: t('Why did the last request fail?') };
  switch (metadata.command) {
    case 'models':
      return [whichModels, whichVideos];
    case 'video':
      return [runningTasks];
    case 'tasks':
      return [lastFailure, whichVideos];
    case 'explain':
      return [whichModels, runningTasks];
    default:
      return metadata.failed ? [lastFailure, whichModels] : [];
  }
}
