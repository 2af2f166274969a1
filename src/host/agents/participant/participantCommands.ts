import * as vscode from 'vscode';
import { containsWords, searchWords } from '../../../base/searchWords.ts';
import type { RequestFigures } from '../../../requests/requestRecord.ts';
import type { Task } from '../../../tasks/record/task.ts';
import type { Model } from '../../../wire/apis/models/modelList.ts';
import { formatModelCount, formatTaskCount } from '../../kit/countWords.ts';
import { formatShortTime } from '../../kit/display/timeWords.ts';
import { getActionCommand, getActionLabel } from '../../kit/noticeActions.ts';
import { searchableFacts } from '../../models/modelDescription.ts';
import type { Purchase } from '../../tasks/purchase/purchase.ts';
import { isActionEnabled } from '../../tasks/task/taskActions.ts';
import { createTaskNotice } from '../../tasks/task/taskNotice.ts';
import { describeStatus, formatProgress, formatShortProgress, nameTask } from '../../tasks/task/taskWords.ts';
import type { AgentServices } from '../agentServices.ts';
import { failureFacts, latestFailure } from '../languageModelTools/explainFailure.ts';
import { isSettled } from '../languageModelTools/taskText.ts';
import { resolveGateway } from '../languageModelTools/toolGateway.ts';
import { startVideoInput } from '../languageModelTools/toolInputs.ts';
import { orderVideo } from '../languageModelTools/videoOrder.ts';
import { waitForCondition } from '../languageModelTools/waitForTask.ts';
import { ensureUsableGateway, type ParticipantQuestion } from './participantQuestion.ts';
import type { ParticipantStream } from './participantStream.ts';

type CommandHandler = (question: ParticipantQuestion) => Promise<void>;

/** The handlers of the manifest's commands. A test checks that both agree. */
export const commands: Readonly<Record<string, CommandHandler>> = {
  models: listModels,
  video: generateVideo,
  tasks: showTaskList,
  explain: explainFailure,
};

/** `/explain`: explains the failure of the request whose id is the prompt, or else of the latest failed request. */
async function explainFailure({ services, request, stream }: ParticipantQuestion): Promise<void> {
  const { requests } = services;
  await requests.readEarlierFailures();
  const id = request.prompt.trim();
  const isLatest = id === '' || id === 'latest';
  const requestedFigures = isLatest ? undefined : requests.findSent(id);
  const figures = requestedFigures ?? latestFailure(requests);
  if (figures === undefined) return stream.paragraph(vscode.l10n.t('No failed requests are recorded.'));
  if (!isLatest && !requestedFigures)
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

const maxListedModels = 30;
/** In a longer list, models have no buttons. */
const maxModelsWithButtons = 3;

/** `/models`: lists the gateway's models, filtered by every word of the prompt. */
async function listModels({ services, request, stream, signal }: ParticipantQuestion): Promise<void> {
  if (!ensureUsableGateway(services, stream)) return;
  const { connection, models: all } = await resolveGateway(services, signal);
  const getUses = services.modelChoices.usesLookup(connection.gateway);
  const describeFacts = (model: Model) => searchableFacts(model, getUses(model));
  const words = searchWords(request.prompt);
  const matchingModels = all.filter((model) =>
    containsWords(`${model.id} ${getUses(model).join(' ')} ${describeFacts(model)}`, words),
  );
  const { gateway, state } = connection;
  if (state.error) stream.failure(state.error);
  stream.paragraph(
    words.length === 0
      ? vscode.l10n.t('{0} has {1}.', gateway.name, formatModelCount(matchingModels.length))
      : vscode.l10n.t(
          '{0} has {1} for “{2}”.',
          gateway.name,
          formatModelCount(matchingModels.length),
          words.join(' '),
        ),
  );
  for (const model of matchingModels.slice(0, maxListedModels))
    stream.listItem(model.id, describeFacts(model));
  stream.endList();
  const remaining = matchingModels.length - maxListedModels;
  if (remaining > 0)
    stream.paragraph(vscode.l10n.t('And {0} more: add words to narrow the list.', remaining));
  if (matchingModels.length <= maxModelsWithButtons) for (const model of matchingModels) addButton(model);
  stream.button(vscode.l10n.t('Find Model…'), 'findModel');
  stream.button(vscode.l10n.t('Refresh Models'), 'refreshModels');

  function addButton(model: Model): void {
    const isVideo = getUses(model).includes('video');
    const title = isVideo
      ? vscode.l10n.t('New Video with {0}', model.id)
      : vscode.l10n.t('New Chat with {0}', model.id);
    stream.button(title, isVideo ? 'generate' : 'newChat', { id: model.id });
  }
}

const maxListedTasks = 10;
const maxTaskButtons = 3;

/** `/tasks`: lists the latest tasks, filtered by every word of the prompt. */
async function showTaskList({ services, request, stream }: ParticipantQuestion): Promise<void> {
  const { tasks: service } = services;
  await service.open();
  const describeFacts = (task: Task) =>
    [
      [describeStatus(task, service.isInFlight(task)), formatShortProgress(service.findProgress(task))]
        .filter(Boolean)
        .join(' '),
      task.model,
      formatShortTime(task.submittedAt ?? task.intendedAt),
    ]
      .filter(Boolean)
      .join(' · ');
  const words = searchWords(request.prompt);
  const matchingTasks = service.all.filter((task) => {
    const text = [task.prompt, task.taskId, task.key, task.gatewayName, describeFacts(task)].join(' ');
    return containsWords(text, words);
  });
  const [only, ...others] = matchingTasks;
  if (only && others.length === 0) return showTask(services, only, stream);
  stream.paragraph(
    words.length === 0
      ? foundText(matchingTasks.length)
      : vscode.l10n.t('Found {0} for “{1}”.', formatTaskCount(matchingTasks.length), words.join(' ')),
  );
  for (const task of matchingTasks.slice(0, maxListedTasks))
    stream.listItem(nameTask(task), describeFacts(task));
  stream.endList();
  for (const task of matchingTasks.slice(0, maxTaskButtons))
    stream.button(vscode.l10n.t('Open “{0}”', nameTask(task)), 'tasks.openPage', {
      kind: 'task',
      key: task.key,
    });
  if (matchingTasks.length === 0) stream.button(vscode.l10n.t('New Video'), 'generate');
}

function foundText(count: number): string {
  return count === 0
    ? vscode.l10n.t('There are no tasks yet.')
    : vscode.l10n.t('Found {0}.', formatTaskCount(count));
}

/** Shows a task with its results and its possible actions. */
function showTask({ tasks }: AgentServices, task: Task, stream: ParticipantStream): void {
  const inFlight = tasks.isInFlight(task);
  const row = { kind: 'task', key: task.key };
  stream.listItem(
    nameTask(task),
    [describeStatus(task, inFlight), task.model, task.gatewayName].filter(Boolean).join(' · '),
  );
  stream.endList();
  const progress = formatProgress(tasks.findProgress(task));
  if (progress !== '') stream.paragraph(progress);
  const notice = createTaskNotice(task, inFlight);
  if (notice) stream.paragraph([notice.title, notice.detail].join('\n'));
  for (const action of ['raise-limit', 'open-limits'] as const) {
    const command = getActionCommand(action);
    if (command && notice?.buttons.some((button) => button.action === action))
      stream.button(getActionLabel(action), command);
  }
  for (const { state, path } of task.results)
    if (state === 'saved' && path !== undefined) stream.file(vscode.Uri.file(path));
  stream.button(vscode.l10n.t('Open Task'), 'tasks.openPage', row);
  if (isActionEnabled(task, inFlight, 'cancel'))
    stream.button(vscode.l10n.t('Cancel Task'), 'tasks.cancel', row);
  const requestId = task.problem?.requestId;
  if (requestId) stream.button(vscode.l10n.t('Open the Request'), 'requests.openRequest', { requestId });
}

/** The time limit of the reply for showing progress, in milliseconds. The task continues after that. */
const maxWaitMs = 10 * 60_000;

/** `/video`: generates a video from the prompt, after the user agreed, and shows its progress. */
async function generateVideo({ services, request, stream, signal }: ParticipantQuestion): Promise<void> {
  if (!ensureUsableGateway(services, stream)) return;
  const input = startVideoInput.safeParse({ prompt: request.prompt });
  if (!input.success) {
    stream.paragraph(vscode.l10n.t('Describe the video after /video, or fill in the form.'));
    return stream.button(vscode.l10n.t('New Video'), 'generate');
  }
  const [task] = (await orderVideo(services, input.data, questionText, signal)) ?? [];
  if (!task) return stream.paragraph(vscode.l10n.t('Nothing was sent.'));
  stream.button(vscode.l10n.t('Open Task'), 'tasks.openPage', { kind: 'task', key: task.key });
  await showProgress(services, task, stream, signal);
  showTask(services, services.tasks.get(task.key) ?? task, stream);
}

function questionText({ gateway }: Purchase): string {
  return vscode.l10n.t('Generate this video at {0}?', gateway.name);
}

/** Shows each state of a task until it has ended, or for `maxWaitMs`. */
async function showProgress(
  { tasks }: AgentServices,
  { key }: Task,
  stream: ParticipantStream,
  signal: AbortSignal,
): Promise<void> {
  let shownWords = '';
  const showState = () => {
    const task = tasks.get(key);
    const isOver = isSettled(tasks, key);
    const words = task && !isOver ? describeStatus(task, tasks.isInFlight(task)) : shownWords;
    if (words !== shownWords) stream.progress(words);
    shownWords = words;
    return isOver;
  };
  await waitForCondition(tasks, showState, maxWaitMs, signal);
}
