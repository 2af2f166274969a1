import * as vscode from 'vscode';
import type { Task } from '../../../tasks/record/task.ts';
import { progressSentence } from '../../tasks/task/progressWords.ts';
import { isActionEnabled } from '../../tasks/task/taskActions.ts';
import { noticeOf } from '../../tasks/task/taskNotice.ts';
import { statusOf, taskName } from '../../tasks/task/taskWords.ts';
import type { AgentServices } from '../agentServices.ts';
import type { ParticipantStream } from './participantStream.ts';

/** Shows a task with its results and what can be done with it. */
export function showTask({ tasks }: AgentServices, task: Task, stream: ParticipantStream): void {
  const inFlight = tasks.isInFlight(task);
  const row = { kind: 'task', key: task.key };
  stream.item(
    taskName(task),
    [statusOf(task, inFlight), task.model, task.gatewayName].filter(Boolean).join(' · '),
  );
  stream.endList();
  const progress = progressSentence(tasks.runProgress(task));
  if (progress !== '') stream.words(progress);
  const notice = noticeOf(task, inFlight);
  if (notice) stream.words([notice.title, notice.detail].join('\n'));
  for (const { state, path } of task.results)
    if (state === 'saved' && path !== undefined) stream.file(vscode.Uri.file(path));
  stream.button(vscode.l10n.t('Open Task'), 'tasks.openPage', row);
  if (isActionEnabled(task, inFlight, 'cancel'))
    stream.button(vscode.l10n.t('Cancel Task'), 'tasks.cancel', row);
  const requestId = task.problem?.requestId;
  if (requestId) stream.button(vscode.l10n.t('Open the Request'), 'requests.openRequest', { requestId });
}
