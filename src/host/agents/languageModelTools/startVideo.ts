import * as vscode from 'vscode';
import type { Task } from '../../../tasks/record/task.ts';
import { formatVideoCount } from '../../kit/countWords.ts';
import { toolName } from '../../kit/manifest/contributions.ts';
import type { Purchase } from '../../tasks/purchase/purchase.ts';
import type { AgentServices } from '../agentServices.ts';
import { defineTool } from './defineTool.ts';
import { describeTask, taskLine } from './taskText.ts';
import { startVideoInput } from './toolInputs.ts';
import { orderVideo } from './videoOrder.ts';

/** Starts videos for an agent, after the user agreed to the requests and their possible cost. */
export const startVideoTool = defineTool({
  input: startVideoInput,
  progress: () => vscode.l10n.t('Starting a video'),
  run: async (input, services, signal) => {
    const videos = await orderVideo(services, input, questionText, signal);
    return videos
      ? outcomeText(services, videos)
      : 'The user did not agree. Nothing was sent. Do not ask again unless the user wants it.';
  },
});

function questionText({ count, gateway }: Purchase): string {
  return vscode.l10n.t(
    'An agent wants to generate {0} at {1}. Send the request?',
    formatVideoCount(count),
    gateway.name,
  );
}

function outcomeText({ tasks }: AgentServices, videos: readonly Task[]): string {
  const [only, ...others] = videos;
  const description =
    only && others.length === 0
      ? describeTask(tasks, only)
      : videos.map((task) => taskLine(tasks, task)).join('\n');
  const isRefused = videos.some(({ status }) => status === 'refused');
  return isRefused
    ? `Outcome of the request, which is not sent again:\n${description}`
    : `The user agreed, and the request was sent.\n${description}\nCall ${toolName('waitForTask')} with the id of each task; a video takes minutes.`;
}
