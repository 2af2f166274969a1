import * as vscode from 'vscode';
import type { TaskNotice } from '../../../protocol/taskPage.ts';
import { hasResult, type Problem, type Task } from '../../../tasks/record/task.ts';
import { formatShortTime } from '../../kit/display/timeWords.ts';
import { describeStoredProblem, findCatalogueEntry } from '../../kit/explanationWords.ts';
import { endSentence, hasOnlyWordsOf } from '../../kit/sentence.ts';
import { createTaskButton, type TaskActionId, taskActions } from './taskActions.ts';
import { describeDeleted } from './taskWords.ts';

/** Creates the notice about a task; undefined for a running or completed task without a problem. */
export function createTaskNotice(task: Task, isInFlight: boolean): TaskNotice | undefined {
  if (isInFlight) return undefined;
  switch (task.status) {
    case 'intent':
      return createInfo(
        vscode.l10n.t('This request was not sent'),
        vscode.l10n.t(
          'The window closed before the request was sent, so nothing was billed. Send it now, or discard it.',
        ),
        'send',
        'discard',
      );
    case 'submitting':
    case 'unknown':
      return createUnknownNotice(task);
    case 'refused':
      return createRefusedNotice(task.problem);
    case 'running':
      return task.watching === 'on' ? undefined : createUnwatchedNotice(task);
    case 'completed':
      if (task.deletedAt !== undefined) return createDeletedNotice(task.deletedAt);
      return hasResult(task) ? undefined : createEmptyNotice(task);
    case 'failed':
      return createFailedNotice(task);
    case 'missing':
      return task.deletedAt === undefined
        ? createMissingNotice(task.problem)
        : createDeletedNotice(task.deletedAt);
  }
}

function createUnknownNotice({ submittedAt, intendedAt, requestId, problem }: Task): TaskNotice {
  const time = formatShortTime(submittedAt ?? intendedAt);
  return createFailure(
    vscode.l10n.t('The outcome of this request is unknown'),
    vscode.l10n.t(
      'It was sent at {0} with the request ID {1}, but no task ID was returned, so it may have been billed. It will not be sent again automatically. Find the task in the gateway’s list, or ask your provider about the request ID.{2}',
      time,
      requestId ?? '–',
      formatProblem(problem),
    ),
    'find',
    'copy-request-id',
    ...(requestId === undefined ? [] : (['open-request'] as const)),
  );
}

function createRefusedNotice(problem: Problem | undefined): TaskNotice {
  return createFailure(
    vscode.l10n.t('Nothing was created'),
    describeRefusal(problem),
    ...listHelpActions(problem),
  );
}

/** Lists the catalogue's steps that are task actions, and the action that shows all details. */
function listHelpActions(problem: Problem | undefined): readonly TaskActionId[] {
  const steps = problem ? (findCatalogueEntry(problem)?.steps ?? []) : [];
  const taskSteps = steps.filter((step) => step in taskActions) as readonly TaskActionId[];
  return [...taskSteps, problem?.requestId ? 'open-request' : 'show-log'];
}

function describeRefusal(problem: Problem | undefined): string {
  const why = formatProblem(problem).trim();
  return why === ''
    ? vscode.l10n.t('The request was refused, so nothing was billed.')
    : vscode.l10n.t('{0} Nothing was billed.', why);
}

function createUnwatchedNotice({ watching, progress }: Task): TaskNotice {
  const why =
    watching === 'timed-out'
      ? vscode.l10n.t('It exceeded the time limit for watching tasks (a setting).')
      : vscode.l10n.t('You stopped watching it.');
  const state =
    progress === undefined
      ? vscode.l10n.t('It may still be running or may have finished.')
      : vscode.l10n.t(
          'Its last known progress was {0} %. It may still be running or may have finished.',
          String(progress),
        );
  return createInfo(
    vscode.l10n.t('No longer watched'),
    vscode.l10n.t('{0} {1}', why, state),
    'resume',
    'watch-now',
  );
}

function createMissingNotice(problem: Problem | undefined): TaskNotice {
  const why = problem?.explanation?.id === 'task-not-found' ? '' : formatProblem(problem);
  return createFailure(
    vscode.l10n.t('The gateway no longer has this task'),
    vscode.l10n.t(
      'It was deleted there or has expired. The data received so far is still available here.{0}',
      why,
    ),
    'watch-now',
  );
}

function createDeletedNotice(deletedAt: number): TaskNotice {
  const time = new Date(deletedAt).toLocaleString(vscode.env.language);
  return createInfo(
    describeDeleted(),
    vscode.l10n.t('You deleted it there on {0}. The data received so far is still available here.', time),
  );
}

function createFailedNotice({ failedAs, problem }: Task): TaskNotice {
  if (failedAs === 'cancelled') {
    const cancellation = vscode.l10n.t('The gateway stopped it before it finished.');
    return createInfo(vscode.l10n.t('Cancelled'), `${cancellation}${formatProblem(problem, 'Cancelled')}`);
  }
  if (failedAs === 'needs-attention') {
    return createFailure(
      vscode.l10n.t('The task needs input'),
      vscode.l10n.t('It needs more input: edit the request and run it again.{0}', formatProblem(problem)),
    );
  }
  const title = vscode.l10n.t('The task failed');
  return createFailure(
    title,
    formatProblem(problem, title).trim() ||
      vscode.l10n.t('The gateway did not give a reason. It sent only its record of the task.'),
  );
}

/** Creates the notice of a missing result. A task that was created elsewhere may not have a file as its result. */
function createEmptyNotice({ route }: Task): TaskNotice {
  if (route === undefined) {
    return createInfo(
      vscode.l10n.t('There is no file'),
      vscode.l10n.t('The gateway’s record of the task has no result. The record is below.'),
    );
  }
  return createFailure(
    vscode.l10n.t('There is no result'),
    vscode.l10n.t(
      'The gateway lists no result; a content filter may have blocked it. The gateway sent only its record of the task.',
    ),
  );
}

/** Formats a problem as a sentence after a space; empty if it adds no information to the shown text. */
function formatProblem(problem: Problem | undefined, shownText = ''): string {
  if (!problem) return '';
  const words = describeStoredProblem(problem);
  const code = findRecordCode(problem);
  const more = hasOnlyWordsOf(words, shownText) ? '' : words;
  const isCodeNew = code !== undefined && !hasOnlyWordsOf(code, `${shownText} ${words}`);
  if (!isCodeNew) return more === '' ? '' : ` ${endSentence(more)}`;
  return more === '' ? ` ${endSentence(code)}` : ` ${endSentence(`${more.replace(/\.$/, '')} (${code})`)}`;
}

/** Finds the code from the record of the task. The code of a failed request is one of our own kinds. */
function findRecordCode({ code, requestId, explanation }: Problem): string | undefined {
  return requestId === undefined && explanation === undefined ? code : undefined;
}

function createInfo(title: string, detail: string, ...actions: readonly TaskActionId[]): TaskNotice {
  return { title, detail, severity: 'info', buttons: actions.map(createTaskButton) };
}

function createFailure(title: string, detail: string, ...actions: readonly TaskActionId[]): TaskNotice {
  return { title, detail, severity: 'error', buttons: actions.map(createTaskButton) };
}
