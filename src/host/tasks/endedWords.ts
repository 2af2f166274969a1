import * as vscode from 'vscode';
import { groupOf, hasResult, type Task } from '../../tasks/record/task.ts';
import { tally, taskCount, videoCount } from '../kit/counts.ts';
import { problemWords } from '../kit/explanationWords.ts';
import { noticeOf } from './taskNotice.ts';
import { shortPrompt, statusOf, taskName } from './taskWords.ts';

/** Says how a task ended, such as "Completed: A cat on a roof". */
export function endOfOne(task: Task): string {
  const failed = task.results.find(({ state }) => state === 'failed');
  const problem = task.status === 'completed' ? failed?.problem : task.problem;
  const why = problem ? problemWords(problem) : (noticeOf(task, false)?.detail ?? '');
  const end = vscode.l10n.t('{0}: {1}', statusOf(task, false), taskName(task, 50));
  return [end, shortPrompt(why, 400)].filter(Boolean).join(' – ');
}

/** Says how several tasks ended, such as "5 videos completed" or "4 videos: 3 completed, 1 failed". */
export function endOfSeveral(tasks: readonly Task[]): string {
  const words = inOrder(tasks).map((task) => statusOf(task, false).toLowerCase());
  const [first = ''] = words;
  const count = tasks.every(({ route }) => route) ? videoCount(tasks.length) : taskCount(tasks.length);
  return words.every((word) => word === first) ? `${count} ${first}` : `${count}: ${tally(words)}`;
}

/** Completed ones first. */
function inOrder(tasks: readonly Task[]): readonly Task[] {
  return tasks.toSorted((a, b) => Number(isCompleted(b)) - Number(isCompleted(a)));
}

/** Whether it has completed, and nothing is left to say of it. */
export function isCompleted(task: Task): boolean {
  return groupOf(task, false) === 'completed' && hasResult(task);
}
