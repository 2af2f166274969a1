import * as vscode from 'vscode';
import type { Task } from '../../../tasks/record/task.ts';
import { videoCount } from '../../kit/counts.ts';
import { toolName } from '../../kit/manifest/contributions.ts';
import type { Purchase } from '../../tasks/purchase/spendingConsent.ts';
import type { AgentServices } from '../agentServices.ts';
import { taskForAgent, taskLine } from './taskText.ts';
import { defineTool } from './tool.ts';
import { startVideoInput } from './toolInputs.ts';
import { orderVideo } from './videoOrder.ts';

/** Starts videos for an agent, after the user agreed to what is sent and what it may cost. */
export const startVideo = defineTool({
  input: startVideoInput,
  progress: () => vscode.l10n.t('Starting a video'),
  run: async (wish, services, signal) => {
    const made = await orderVideo(services, wish, questionOf, signal);
    return made
      ? sentWords(services, made)
      : 'The user did not agree. Nothing was sent. Do not ask again unless the user wants it.';
  },
});

function questionOf({ count, gateway }: Purchase): string {
  return vscode.l10n.t('An agent requests {0} at {1}. Send the request?', videoCount(count), gateway.name);
}

function sentWords({ tasks }: AgentServices, made: readonly Task[]): string {
  const [only, ...others] = made;
  const told =
    only && others.length === 0
      ? taskForAgent(tasks, only)
      : made.map((task) => taskLine(tasks, task)).join('\n');
  const isRefused = made.some(({ status }) => status === 'refused');
  return isRefused
    ? `What became of the request, which is not sent again:\n${told}`
    : `The user agreed, and it was sent.\n${told}\nCall ${toolName('waitForTask')} with the id of each task; a video takes minutes.`;
}
