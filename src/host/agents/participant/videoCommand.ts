import * as vscode from 'vscode';
import type { Task } from '../../../tasks/record/task.ts';
import type { Purchase } from '../../tasks/purchase/purchase.ts';
import { describeStatus } from '../../tasks/task/taskWords.ts';
import type { AgentServices } from '../agentServices.ts';
import { isSettled } from '../languageModelTools/taskText.ts';
import { startVideoInput } from '../languageModelTools/toolInputs.ts';
import { orderVideo } from '../languageModelTools/videoOrder.ts';
import { waitForCondition } from '../languageModelTools/waitForTask.ts';
import { ensureUsableGateway, type ParticipantQuestion, showTask } from './participantQuestion.ts';
import type { ParticipantStream } from './participantStream.ts';

/** How long the reply waits for the video, in milliseconds. The task continues after that. */
const maxWaitMs = 10 * 60_000;

/** `/video`: generates a video from the prompt, after the user agreed, and shows its progress. */
export async function generateVideo({
  services,
  request,
  stream,
  signal,
}: ParticipantQuestion): Promise<void> {
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
