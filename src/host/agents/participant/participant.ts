import * as vscode from 'vscode';
import { errorMessage, errorTrace } from '../../../base/errors.ts';
import { GatewayError } from '../../../wire/failure.ts';
import { failureNotice } from '../../connection/failures/targetNotices.ts';
import { abortSignalOfToken } from '../../kit/cancellationToken.ts';
import type { AgentServices } from '../agentServices.ts';
import { ToolError } from '../languageModelTools/tool.ts';
import type { Answering } from './answering.ts';
import { askChosenModel } from './askChosenModel.ts';
import { explain } from './explain.ts';
import { models } from './models.ts';
import { ParticipantStream } from './participantStream.ts';
import { tasks } from './tasks.ts';
import { video } from './video.ts';

/** A question to the participant. */
export interface ParticipantRequest {
  readonly request: vscode.ChatRequest;
  readonly history: vscode.ChatContext['history'];
  readonly stream: vscode.ChatResponseStream;
  readonly token: vscode.CancellationToken;
}

type Answer = (answering: Answering) => Promise<void>;

/** The commands of the manifest. A test holds that both have the same. */
export const commands: Readonly<Record<string, Answer>> = { models, video, tasks, explain };

/**
 * Answers a question in VS Code's chat. Every failure ends in words with what can be done; a stopped answer just ends.
 */
export async function answerRequest(
  services: AgentServices,
  { request, history, stream, token }: ParticipantRequest,
): Promise<vscode.ChatResult> {
  const { command = '' } = request;
  const signal = abortSignalOfToken(token);
  const shown = new ParticipantStream(stream);
  const answer = Object.hasOwn(commands, command) ? commands[command] : askChosenModel;
  const metadata = { command };
  try {
    await answer?.({ services, request, history, stream: shown, token, signal });
    return { metadata };
  } catch (error) {
    if (signal.aborted || GatewayError.is(error, 'cancelled')) return { metadata };
    services.log.error('chat', `@gateway: ${errorTrace(error)}`);
    if (GatewayError.is(error)) shown.notice(failureNotice(error));
    else shown.words(error instanceof ToolError ? error.problem : errorMessage(error));
    return { metadata: { ...metadata, failed: true } };
  }
}

/** What to ask next, after an answer. */
export function followups({ metadata = {} }: vscode.ChatResult): readonly vscode.ChatFollowup[] {
  const { t } = vscode.l10n;
  const whichModels = { command: 'models', prompt: 'chat', label: t('Which models can chat?') };
  const whichVideos = { command: 'models', prompt: 'video', label: t('Which models make videos?') };
  const whatRuns = { command: 'tasks', prompt: 'running', label: t('Which tasks are running?') };
  const whatFailed = { command: 'explain', prompt: 'latest', label: t('Why did the last request fail?') };
  switch (metadata.command) {
    case 'models':
      return [whichModels, whichVideos];
    case 'video':
      return [whatRuns];
    case 'tasks':
      return [whatFailed, whichVideos];
    case 'explain':
      return [whichModels, whatRuns];
    default:
      return metadata.failed ? [whatFailed, whichModels] : [];
  }
}
