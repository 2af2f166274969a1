import * as vscode from 'vscode';
import { containsWords, searchWords } from '../../../base/searchWords.ts';
import type { Task } from '../../../tasks/record/task.ts';
import { taskCount } from '../../kit/countWords.ts';
import { shortTime } from '../../kit/display/timeWords.ts';
import { shortProgress, statusWords, taskName } from '../../tasks/task/taskWords.ts';
import { type ParticipantQuestion, showTask } from './participantQuestion.ts';

const maxListed = 10;
const maxButtons = 3;

/** `/tasks`: lists the latest tasks, filtered by every word of the prompt. */
export async function listTasks({ services, request, stream }: ParticipantQuestion): Promise<void> {
  const { tasks: service } = services;
  await service.open();
  const factsOf = (task: Task) =>
    [
      [statusWords(task, service.isInFlight(task)), shortProgress(service.runProgress(task))]
        .filter(Boolean)
        .join(' '),
      task.model,
      shortTime(task.submittedAt ?? task.intendedAt),
    ]
      .filter(Boolean)
      .join(' · ');
  const words = searchWords(request.prompt);
  const found = service.all.filter((task) => {
    const text = [task.prompt, task.taskId, task.key, task.gatewayName, factsOf(task)].join(' ');
    return containsWords(text, words);
  });
  const [only, ...others] = found;
  if (only && others.length === 0) return showTask(services, only, stream);
  stream.paragraph(
    words.length === 0
      ? foundText(found.length)
      : vscode.l10n.t('Found {0} for “{1}”.', taskCount(found.length), words.join(' ')),
  );
  for (const task of found.slice(0, maxListed)) stream.listItem(taskName(task), factsOf(task));
  stream.endList();
  for (const task of found.slice(0, maxButtons))
    stream.button(vscode.l10n.t('Open “{0}”', taskName(task)), 'tasks.openPage', {
      kind: 'task',
      key: task.key,
    });
  if (found.length === 0) stream.button(vscode.l10n.t('New Video'), 'generate');
}

function foundText(count: number): string {
  return count === 0
    ? vscode.l10n.t('There are no tasks yet.')
    : vscode.l10n.t('Found {0}.', taskCount(count));
}
