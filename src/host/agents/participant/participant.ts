import * as vscode from 'vscode';
import { errorMessage, errorTrace } from '../../../base/errors.ts';
import type { RequestFigures } from '../../../requests/requestRecord.ts';
import type { Model } from '../../../wire/apis/models/modelList.ts';
import { GatewayError } from '../../../wire/failure.ts';
import { failureNotice } from '../../connection/failures/targetNotices.ts';
import { abortSignalOfToken } from '../../kit/cancellationToken.ts';
import { modelCount } from '../../kit/counts.ts';
import { actionCommand, actionLabel } from '../../kit/noticeActions.ts';
import { searchedFacts } from '../../models/modelDescription.ts';
import type { AgentServices } from '../agentServices.ts';
import { failureFacts, latestFailure } from '../languageModelTools/explainFailure.ts';
import { gatewayForTool } from '../languageModelTools/gatewayForTool.ts';
import { ToolError } from '../languageModelTools/tool.ts';
import type { Answering } from './answering.ts';
import { askChosenModel } from './askChosenModel.ts';
import { hasGateway } from './noGateway.ts';
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

/** `/explain`: why a request failed; the latest failure, unless the prompt is the id of another request. */
async function explain({ services, request, stream }: Answering): Promise<void> {
  const { requests } = services;
  await requests.readKept();
  const id = request.prompt.trim();
  const named = id === '' || id === 'latest' ? undefined : requests.findSent(id);
  const found = named ?? latestFailure(requests);
  if (found === undefined) return stream.words(vscode.l10n.t('No failed request is known here.'));
  if (id !== '' && id !== 'latest' && !named)
    stream.words(vscode.l10n.t('The request “{0}” is not stored. This is the latest failure:', id));
  show(found, stream);
}

function show(figures: RequestFigures, stream: ParticipantStream): void {
  const { title, sentence, quote, actions, facts } = failureFacts(figures);
  stream.words([title, sentence, quote].filter(Boolean).join('\n'));
  for (const [name, value] of facts) stream.item(name, value);
  stream.endList();
  for (const action of actions) {
    const command = actionCommand(action);
    if (command !== undefined && action !== 'again') stream.button(actionLabel(action), command);
  }
  stream.button(actionLabel('open-request'), 'requests.openRequest', { requestId: figures.requestId });
}

const maxListed = 30;
/** So many models have a button each. */
const maxButtons = 3;

/** `/models`: the gateway's models, all of them or those that hold every word of the prompt. */
async function models({ services, request, stream, signal }: Answering): Promise<void> {
  if (!hasGateway(services, stream)) return;
  const { connection, models: all } = await gatewayForTool(services, signal);
  const usesOf = services.modelNotes.usesAt(connection.gateway);
  const factsOf = (model: Model) => searchedFacts(model, usesOf(model));
  const words = request.prompt.toLowerCase().split(/\s+/).filter(Boolean);
  const found = all.filter((model) => {
    const text = `${model.id} ${usesOf(model).join(' ')} ${factsOf(model)}`.toLowerCase();
    return words.every((word) => text.includes(word));
  });
  const { gateway, state } = connection;
  if (state.error) stream.notice(failureNotice(state.error));
  stream.words(
    words.length === 0
      ? vscode.l10n.t('{0} has {1}.', gateway.name, modelCount(found.length))
      : vscode.l10n.t('{0} has {1} for “{2}”.', gateway.name, modelCount(found.length), words.join(' ')),
  );
  for (const model of found.slice(0, maxListed)) stream.item(model.id, factsOf(model));
  stream.endList();
  const left = found.length - maxListed;
  if (left > 0) stream.words(vscode.l10n.t('And {0} more: add words to narrow the list.', left));
  if (found.length <= maxButtons) for (const model of found) addButton(model);
  stream.button(vscode.l10n.t('Find Model…'), 'findModel');
  stream.button(vscode.l10n.t('Refresh Models'), 'refreshModels');

  function addButton(model: Model): void {
    const isVideo = usesOf(model).includes('video');
    const title = isVideo
      ? vscode.l10n.t('New Video with {0}', model.id)
      : vscode.l10n.t('New Chat with {0}', model.id);
    stream.button(title, isVideo ? 'generate' : 'newChat', { id: model.id });
  }
}
