import * as vscode from 'vscode';
import type { Task } from '../../../tasks/record/task.ts';
import type { Purchase } from '../../tasks/purchase/spendingConsent.ts';
import { statusOf } from '../../tasks/task/taskWords.ts';
import type { AgentServices } from '../agentServices.ts';
import { isSettled } from '../languageModelTools/taskText.ts';
import { startVideoInput } from '../languageModelTools/toolInputs.ts';
import { orderVideo } from '../languageModelTools/videoOrder.ts';
import { isSoWithin } from '../languageModelTools/waitForTask.ts';
import type { Answering } from './answering.ts';
import { hasGateway } from './noGateway.ts';
import type { ParticipantStream } from './participantStream.ts';
import { showTask } from './showTask.ts';

/** How long the answer stays open for a video, in milliseconds. The task goes on in any case. */
const maxWaitMs = 10 * 60_000;

/** `/video`: makes a video of the prompt, after the user agreed, and follows it. */
export async function video({ services, request, stream, signal }: Answering): Promise<void> {
  if (!hasGateway(services, stream)) return;
  const wish = startVideoInput.safeParse({ prompt: request.prompt });
  if (!wish.success) {
    stream.words(vscode.l10n.t('Describe the video after /video, or fill in the form.'));
    return stream.button(vscode.l10n.t('New Video'), 'generate');
  }
  const made = await orderVideo(services, wish.data, questionOf, signal);
  const [task] = made ?? [];
  if (!task) return stream.words(vscode.l10n.t('Nothing was sent.'));
  stream.button(vscode.l10n.t('Open Task'), 'tasks.openPage', { kind: 'task', key: task.key });
  await follow(services, task, stream, signal);
  showTask(services, services.tasks.get(task.key) ?? task, stream);
}

function questionOf({ gateway }: Purchase): string {
  return vscode.l10n.t('Make this video at {0}?', gateway.name);
}

/** Tells each state of a task until it has ended. */
async function follow(
  { tasks }: AgentServices,
  { key }: Task,
  stream: ParticipantStream,
  signal: AbortSignal,
): Promise<void> {
  let told = '';
  const look = () => {
    const now = tasks.get(key);
    const isOver = isSettled(tasks, key);
    const words = now && !isOver ? statusOf(now, tasks.isInFlight(now)) : told;
    if (words !== told) stream.progress(words);
    told = words;
    return isOver;
  };
  await isSoWithin(tasks, look, maxWaitMs, signal);
}
