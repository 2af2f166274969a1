import * as vscode from 'vscode';
import { containsWords, searchWords } from '../../../base/searchWords.ts';
import type { Task } from '../../../tasks/record/task.ts';
import { formatTaskCount } from '../../kit/countWords.ts';
import { formatShortTime } from '../../kit/display/timeWords.ts';
import { describeStatus, formatShortProgress, nameTask } from '../../tasks/task/taskWords.ts';
import { type ParticipantQuestion, showTask } from './participantQuestion.ts';

const maxListed = 10;
const maxButtons = 3;

/** `/tasks`: lists the latest tasks, filtered by every word of the prompt. */
export async function showTaskList({ services, request, stream }: ParticipantQuestion): Promise<void> {
  const { tasks: service } = services;
  await service.open();
  const factsOf = (task: Task) =>
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
  const found = service.all.filter((task) => {
    const text = [task.prompt, task.taskId, task.key, task.gatewayName, factsOf(task)].join(' ');
    return containsWords(text, words);
  });
  const [only, ...others] = found;
  if (only && others.length === 0) return showTask(services, only, stream);
  stream.paragraph(
    words.length === 0
      ? foundText(found.length)
      : vscode.l10n.t('Found {0} for “{1}”.', formatTaskCount(found.length), words.join(' ')),
  );
  for (const task of found.slice(0, maxListed)) stream.listItem(nameTask(task), factsOf(task));
  stream.endList();
  for (const task of found.slice(0, maxButtons))
    stream.button(vscode.l10n.t('Open “{0}”', nameTask(task)), 'tasks.openPage', {
      kind: 'task',
      key: task.key,
    });
  if (found.length === 0) stream.button(vscode.l10n.t('New Video'), 'generate');
}

function foundText(count: number): string {
  return count === 0
    ? vscode.l10n.t('There are no tasks yet.')
    : vscode.l10n.t('Found {0}.', formatTaskCount(count));
}
