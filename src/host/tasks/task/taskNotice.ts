import * as vscode from 'vscode';
import type { TaskNotice } from '../../../protocol/taskPage.ts';
import { hasResult, type Problem, type Task } from '../../../tasks/record/task.ts';
import { shortTime } from '../../kit/display/timeWords.ts';
import { problemEntry, problemWords } from '../../kit/explanationWords.ts';
import { hasOnlyWordsOf, sentence } from '../../kit/sentence.ts';
import { type TaskActionId, taskActions, taskButton } from './taskActions.ts';
import { deletedWords } from './taskWords.ts';

/** The notice about a task; undefined for a running or completed task without a problem. */
export function noticeOf(task: Task, inFlight: boolean): TaskNotice | undefined {
  if (inFlight) return undefined;
  switch (task.status) {
    case 'intent':
      return info(
        vscode.l10n.t('This request was not sent'),
        vscode.l10n.t(
          'The window closed before the request was sent, so nothing was billed. Send it now, or discard it.',
        ),
        'send',
        'discard',
      );
    case 'submitting':
    case 'unknown':
      return unknownNotice(task);
    case 'refused':
      return refusedNotice(task.problem);
    case 'running':
      return task.watching === 'on' ? undefined : unwatchedNotice(task);
    case 'completed':
      if (task.deletedAt !== undefined) return deletedNotice(task.deletedAt);
      return hasResult(task) ? undefined : emptyNotice(task);
    case 'failed':
      return failedNotice(task);
    case 'missing':
      return task.deletedAt === undefined ? missingNotice(task.problem) : deletedNotice(task.deletedAt);
  }
}

function unknownNotice({ submittedAt, intendedAt, requestId, problem }: Task): TaskNotice {
  const time = shortTime(submittedAt ?? intendedAt);
  return failure(
    vscode.l10n.t('The outcome of this request is unknown'),
    vscode.l10n.t(
      'It was sent at {0} with the request ID {1}, but no task ID was returned, so it may have been billed. It will not be sent again automatically. Find the task in the gateway’s list, or ask your provider about the request ID.{2}',
      time,
      requestId ?? '–',
      problemSentence(problem),
    ),
    'find',
    'copy-request-id',
    ...(requestId === undefined ? [] : (['open-request'] as const)),
  );
}

function refusedNotice(problem: Problem | undefined): TaskNotice {
  return failure(vscode.l10n.t('Nothing was created'), refusal(problem), ...helpActions(problem));
}

/** The catalogue's steps that are task actions, and the action that shows all details. */
function helpActions(problem: Problem | undefined): readonly TaskActionId[] {
  const steps = problem ? (problemEntry(problem)?.steps ?? []) : [];
  const known = steps.filter((step) => step in taskActions) as readonly TaskActionId[];
  return [...known, problem?.requestId ? 'open-request' : 'show-log'];
}

function refusal(problem: Problem | undefined): string {
  const why = problemSentence(problem).trim();
  return why === ''
    ? vscode.l10n.t('The request was refused, so nothing was billed.')
    : vscode.l10n.t('{0} Nothing was billed.', why);
}

function unwatchedNotice({ watching, progress }: Task): TaskNotice {
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
  return info(
    vscode.l10n.t('No longer watched'),
    vscode.l10n.t('{0} {1}', why, state),
    'resume',
    'watch-now',
  );
}

function missingNotice(problem: Problem | undefined): TaskNotice {
  const why = problem?.explanation?.id === 'task-not-found' ? '' : problemSentence(problem);
  return failure(
    vscode.l10n.t('The gateway no longer has this task'),
    vscode.l10n.t(
      'It was deleted there or has expired. The data received so far is still available here.{0}',
      why,
    ),
    'watch-now',
  );
}

function deletedNotice(deletedAt: number): TaskNotice {
  const time = new Date(deletedAt).toLocaleString(vscode.env.language);
  return info(
    deletedWords(),
    vscode.l10n.t('You deleted it there on {0}. The data received so far is still available here.', time),
  );
}

function failedNotice({ failedAs, problem }: Task): TaskNotice {
  if (failedAs === 'cancelled') {
    const cancellation = vscode.l10n.t('The gateway stopped it before it finished.');
    return info(vscode.l10n.t('Cancelled'), `${cancellation}${problemSentence(problem, 'Cancelled')}`);
  }
  if (failedAs === 'needs-attention') {
    return failure(
      vscode.l10n.t('The task needs input'),
      vscode.l10n.t('It needs more input: edit the request and run it again.{0}', problemSentence(problem)),
    );
  }
  const title = vscode.l10n.t('The task failed');
  return failure(
    title,
    problemSentence(problem, title).trim() ||
      vscode.l10n.t('The gateway did not give a reason. It sent only its record of the task.'),
  );
}

/** For a task that was created elsewhere, it is unknown whether it should have made a file. */
function emptyNotice({ route }: Task): TaskNotice {
  if (route === undefined) {
    return info(
      vscode.l10n.t('There is no file'),
      vscode.l10n.t('The gateway’s record of the task has no result. The record is below.'),
    );
  }
  return failure(
    vscode.l10n.t('There is no result'),
    vscode.l10n.t(
      'The gateway lists no result; a content filter may have blocked it. The gateway sent only its record of the task.',
    ),
  );
}

/** A problem as a sentence that follows others; empty if it adds no information to the known text. */
function problemSentence(problem: Problem | undefined, shownText = ''): string {
  if (!problem) return '';
  const words = problemWords(problem);
  const code = providersCode(problem);
  const more = hasOnlyWordsOf(words, shownText) ? '' : words;
  const addsCode = code !== undefined && !hasOnlyWordsOf(code, `${shownText} ${words}`);
  if (!addsCode) return more === '' ? '' : ` ${sentence(more)}`;
  return more === '' ? ` ${sentence(code)}` : ` ${sentence(`${more.replace(/\.$/, '')} (${code})`)}`;
}

/** The code in the record of the task. A failed request has one of our own kinds instead. */
function providersCode({ code, requestId, explanation }: Problem): string | undefined {
  return requestId === undefined && explanation === undefined ? code : undefined;
}

function info(title: string, detail: string, ...actions: readonly TaskActionId[]): TaskNotice {
  return { title, detail, severity: 'info', buttons: actions.map(taskButton) };
}

function failure(title: string, detail: string, ...actions: readonly TaskActionId[]): TaskNotice {
  return { title, detail, severity: 'error', buttons: actions.map(taskButton) };
}
