import * as vscode from 'vscode';
import type { Task } from '../../../tasks/record/task.ts';
import { createConnectionNotice } from '../../connection/failures/pageNotices.ts';
import { getActionCommand, getActionLabel } from '../../kit/noticeActions.ts';
import { isActionEnabled } from '../../tasks/task/taskActions.ts';
import { createTaskNotice } from '../../tasks/task/taskNotice.ts';
import { describeStatus, formatProgress, nameTask } from '../../tasks/task/taskWords.ts';
import type { AgentServices } from '../agentServices.ts';
import type { ParticipantStream } from './participantStream.ts';

/** A question to the participant, with everything that a reply needs. */
export interface ParticipantQuestion {
  readonly services: AgentServices;
  readonly request: vscode.ChatRequest;
  readonly history: vscode.ChatContext['history'];
  readonly stream: ParticipantStream;
  readonly token: vscode.CancellationToken;
  /** Aborted with the token. */
  readonly signal: AbortSignal;
}

/** Whether the window has a gateway that can receive requests. If not, shows the next step. */
export function ensureUsableGateway({ connection }: AgentServices, stream: ParticipantStream): boolean {
  const { state } = connection;
  if (state.phase === 'stopped') {
    stream.paragraph(vscode.l10n.t('The local gateway was stopped.'));
    stream.button(getActionLabel('start-local-gateway'), 'localGateway.start');
    return false;
  }
  if (state.gateway) return true;
  const notice = createConnectionNotice(state);
  if (notice) stream.notice(notice);
  return false;
}

/** Shows a task with its results and its possible actions. */
export function showTask({ tasks }: AgentServices, task: Task, stream: ParticipantStream): void {
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
