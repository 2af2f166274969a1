import * as vscode from 'vscode';
import { errorMessage, errorTrace } from '../../../base/errors.ts';
import { containsWords, searchWords } from '../../../base/searchWords.ts';
import type { RequestFigures } from '../../../requests/requestRecord.ts';
import type { Model } from '../../../wire/apis/models/modelList.ts';
import { GatewayError } from '../../../wire/failures/gatewayError.ts';
import { formatModelCount } from '../../kit/countWords.ts';
import { toAbortSignal } from '../../kit/display/progress.ts';
import { getActionCommand, getActionLabel } from '../../kit/noticeActions.ts';
import { searchableFacts } from '../../models/modelDescription.ts';
import type { AgentServices } from '../agentServices.ts';
import { ToolError } from '../languageModelTools/defineTool.ts';
import { failureFacts, latestFailure } from '../languageModelTools/explainFailure.ts';
import { resolveGateway } from '../languageModelTools/toolGateway.ts';
import { ensureUsableGateway, type ParticipantQuestion } from './participantQuestion.ts';
import { ParticipantStream } from './participantStream.ts';
import { sendToChosenModel } from './sendToChosenModel.ts';
import { showTaskList } from './tasksCommand.ts';
import { generateVideo } from './videoCommand.ts';

/** A question to the participant, as VS Code passes it. */
interface ParticipantRequest {
  readonly request: vscode.ChatRequest;
  readonly history: vscode.ChatContext['history'];
  readonly stream: vscode.ChatResponseStream;
  readonly token: vscode.CancellationToken;
}

type CommandHandler = (question: ParticipantQuestion) => Promise<void>;

/** The handlers of the manifest's commands. A test checks that both agree. */
export const commands: Readonly<Record<string, CommandHandler>> = {
  models: listModels,
  video: generateVideo,
  tasks: showTaskList,
  explain: explainFailure,
};

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

/** `/explain`: explains why a request failed. The prompt is its id; without one, it is the latest failed request. */
async function explainFailure({ services, request, stream }: ParticipantQuestion): Promise<void> {
  const { requests } = services;
  await requests.readEarlierFailures();
  const id = request.prompt.trim();
  const isLatest = id === '' || id === 'latest';
  const named = isLatest ? undefined : requests.findSent(id);
  const figures = named ?? latestFailure(requests);
  if (figures === undefined) return stream.paragraph(vscode.l10n.t('No failed requests are recorded.'));
  if (!isLatest && !named)
    stream.paragraph(vscode.l10n.t('The request “{0}” is not stored. This is the latest failure:', id));
  showFailure(figures, stream);
}

function showFailure(figures: RequestFigures, stream: ParticipantStream): void {
  const { title, sentence, quote, actions, facts } = failureFacts(figures);
  stream.paragraph([title, sentence, quote].filter(Boolean).join('\n'));
  for (const [name, value] of facts) stream.listItem(name, value);
  stream.endList();
  for (const action of actions) {
    const command = getActionCommand(action);
    if (command !== undefined && action !== 'again') stream.button(getActionLabel(action), command);
  }
  stream.button(getActionLabel('open-request'), 'requests.openRequest', { requestId: figures.requestId });
}

const maxListed = 30;
/** In a longer list, no model has a button. */
const maxButtons = 3;

/** `/models`: lists the gateway's models, filtered by every word of the prompt. */
async function listModels({ services, request, stream, signal }: ParticipantQuestion): Promise<void> {
  if (!ensureUsableGateway(services, stream)) return;
  const { connection, models: all } = await resolveGateway(services, signal);
  const usesOf = services.modelChoices.usesLookup(connection.gateway);
  const factsOf = (model: Model) => searchableFacts(model, usesOf(model));
  const words = searchWords(request.prompt);
  const found = all.filter((model) =>
    containsWords(`${model.id} ${usesOf(model).join(' ')} ${factsOf(model)}`, words),
  );
  const { gateway, state } = connection;
  if (state.error) stream.failure(state.error);
  stream.paragraph(
    words.length === 0
      ? vscode.l10n.t('{0} has {1}.', gateway.name, formatModelCount(found.length))
      : vscode.l10n.t(
          '{0} has {1} for “{2}”.',
          gateway.name,
          formatModelCount(found.length),
          words.join(' '),
        ),
  );
  for (const model of found.slice(0, maxListed)) stream.listItem(model.id, factsOf(model));
  stream.endList();
  const remaining = found.length - maxListed;
  if (remaining > 0)
    stream.paragraph(vscode.l10n.t('And {0} more: add words to narrow the list.', remaining));
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
