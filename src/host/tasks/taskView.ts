import * as vscode from 'vscode';
import { isObject } from '../../base/json.ts';
import { truncate } from '../../base/truncate.ts';
import type {
  MediaView,
  RecipeEntry,
  ResultView,
  TaskProgress,
  TaskTile,
  TaskView,
  TimelineEntry,
} from '../../protocol/taskPage.ts';
import type { KeptResult, Problem, StatusChange, Task, TaskHistory, TaskStatus } from '../../tasks/task.ts';
import { taskText } from '../../wire/apis/taskRecord/text.ts';
import { findVideoRoute } from '../../wire/apis/videoRoutes.ts';
import { problemWords } from '../explanationWords.ts';
import { readableJson } from '../readableJson.ts';
import { rankedActions, resultActions, taskButton } from './taskActions.ts';
import { noticeOf } from './taskNotice.ts';
import { appearanceOf, byteCount, statusOf } from './taskWords.ts';

/** What a view shows besides the task itself. */
export interface TaskViewContext {
  readonly inFlight: boolean;
  /** How long such tasks typically run, in milliseconds. */
  readonly typicalRunMs: number | undefined;
  /** Returns how a page can show a saved result; undefined when it cannot. */
  readonly media: (result: KeptResult) => MediaView | undefined;
  /** Returns how many bytes of a result have arrived during its download. */
  readonly received: (
    result: KeptResult,
  ) => { readonly received: number; readonly total?: number } | undefined;
}

const maxEstimate = 95;

/** The tile of a task. */
export function tileOf(task: Task, context: TaskViewContext): TaskTile {
  const progress = progressOf(task, context.typicalRunMs);
  const [media] = task.results.map(context.media).filter((view) => view !== undefined);
  return {
    key: task.key,
    appearance: appearanceOf(task, context.inFlight),
    status: statusOf(task, context.inFlight),
    model: task.model ?? '',
    prompt: task.prompt,
    startedAt: task.submittedAt ?? task.intendedAt,
    ...(progress && { progress }),
    ...(media && { media }),
  };
}

/** Everything the task page shows. */
export function viewOf(task: Task, history: TaskHistory, context: TaskViewContext): TaskView {
  const { main, others } = rankedActions(task, context.inFlight);
  const texts = textResults(task, history);
  const notice = texts.length > 0 ? undefined : noticeOf(task, context.inFlight);
  const { taskId, requestId, gatewayRequestId = task.problem?.gatewayRequestId } = task;
  return {
    tile: tileOf(task, context),
    ...(task.endedAt !== undefined && { tookMs: task.endedAt - (task.submittedAt ?? task.intendedAt) }),
    ...(notice && { notice }),
    results: [
      ...task.results.map((result) => resultView(result, task.results.length === 1, context)),
      ...texts,
    ],
    buttons: [...main, ...others].map(taskButton),
    mainButtons: main.length,
    recipe: recipeOf(task, history),
    timeline: timelineOf(task, history.statusChanges),
    ...(taskId !== undefined && { taskId }),
    ...(requestId !== undefined && { requestId }),
    ...(gatewayRequestId !== undefined && { gatewayRequestId }),
    ...(history.record !== undefined && { record: readableJson(history.record) }),
    ...(history.request && { request: readableJson(history.request) }),
    failedPolls: history.failedPolls.map(({ at, problem }) => ({ at, text: pollText(problem) })),
  };
}

/** The text of a failed poll, with the gateway's request id, by which its operator finds it. */
function pollText(problem: Problem): string {
  const { gatewayRequestId } = problem;
  const words = problemWords(problem);
  return gatewayRequestId === undefined
    ? words
    : vscode.l10n.t('{0} (the gateway’s request ID: {1})', words, gatewayRequestId);
}

/** The progress of a task: the gateway's, else an estimate from the user's earlier tasks. */
export function progressOf(task: Task, typicalRunMs: number | undefined): TaskProgress | undefined {
  if (task.status !== 'running') return undefined;
  if (task.progress !== undefined) return { percent: task.progress, estimated: false };
  if (typicalRunMs === undefined || task.acceptedAt === undefined) return undefined;
  const elapsed = Math.max(0, Date.now() - task.acceptedAt);
  const percent = Math.min(maxEstimate, Math.round((elapsed / typicalRunMs) * 100));
  return { percent, estimated: true };
}

function resultView(result: KeptResult, isOnly: boolean, context: TaskViewContext): ResultView {
  const media = context.media(result);
  const { received, total } = context.received(result) ?? {};
  const percent = received !== undefined && total ? (received / total) * 100 : undefined;
  return {
    index: result.index,
    ...(media && { media }),
    status: resultStatus(result, received),
    failed: result.state === 'failed',
    ...(percent !== undefined && { percent }),
    buttons: resultActions(result, isOnly).map(taskButton),
  };
}

/** Results that are text. They are in the task's record, not in a file. */
function textResults({ status, results }: Task, { record }: TaskHistory): readonly ResultView[] {
  const text = status === 'completed' ? taskText(record) : '';
  if (text === '') return [];
  const kept = vscode.l10n.t('Text, kept with the record');
  return [{ index: results.length, text, status: kept, failed: false, buttons: [taskButton('copy-text')] }];
}

function resultStatus(result: KeptResult, received: number | undefined): string {
  switch (result.state) {
    case 'waiting':
      return vscode.l10n.t('Not saved yet');
    case 'fetching':
      return received === undefined
        ? vscode.l10n.t('Downloading')
        : vscode.l10n.t('Downloading, {0}', byteCount(received));
    case 'saved':
      return result.bytes === undefined
        ? vscode.l10n.t('Saved')
        : vscode.l10n.t('Saved, {0}', byteCount(result.bytes));
    case 'failed':
      return result.problem ? problemWords(result.problem) : vscode.l10n.t('It could not be saved.');
    case 'link':
      return result.problem
        ? problemWords(result.problem)
        : vscode.l10n.t('It stays where it is; it cannot be downloaded from here.');
  }
}

/** The timeline of a task. Leaves out the status `intent` unless it is the only one. */
function timelineOf(task: Task, changes: readonly StatusChange[]): readonly TimelineEntry[] {
  const told = changes.length > 1 ? changes.filter(({ status }) => status !== 'intent') : changes;
  return told.map((change) => timelineEntry(task, change));
}

function timelineEntry({ failedAs }: Task, { at, status, rawStatus }: StatusChange): TimelineEntry {
  const wasCancelled = status === 'failed' && failedAs === 'cancelled';
  return {
    at,
    label: rawStatus ?? statusName(status),
    appearance: wasCancelled ? 'cancelled' : statusAppearance(status),
  };
}

function statusName(status: TaskStatus): string {
  const names: Readonly<Record<TaskStatus, string>> = {
    intent: vscode.l10n.t('Written down'),
    submitting: vscode.l10n.t('Submitted'),
    unknown: vscode.l10n.t('Unknown outcome'),
    refused: vscode.l10n.t('Refused'),
    running: vscode.l10n.t('Accepted'),
    completed: vscode.l10n.t('Completed'),
    failed: vscode.l10n.t('Failed'),
    missing: vscode.l10n.t('Gone'),
  };
  return names[status];
}

function statusAppearance(status: TaskStatus): TimelineEntry['appearance'] {
  if (status === 'completed') return 'completed';
  if (status === 'unknown') return 'attention';
  return status === 'failed' || status === 'refused' || status === 'missing' ? 'failed' : 'running';
}

function recipeOf(task: Task, { request }: TaskHistory): readonly RecipeEntry[] {
  const entries: RecipeEntry[] = [{ label: vscode.l10n.t('Gateway'), value: task.gatewayName }];
  if (task.route) {
    const label = findVideoRoute(task.route)?.label;
    entries.push({ label: vscode.l10n.t('Route'), value: label ?? task.route });
  }
  const { model: _, input, ...rest } = (request ?? {}) as Readonly<Record<string, unknown>>;
  const { prompt: __, ...inputs } = isObject(input) ? input : {};
  const fields = leaves({ ...inputs, ...rest }).slice(0, maxFields);
  return [...entries, ...fields.map(([label, value]) => ({ label, value }))];
}

const maxFields = 40;
const maxValueLength = 200;

/** All values of a nested object, each with the last name of its path. */
function leaves(object: Readonly<Record<string, unknown>>): readonly (readonly [string, string])[] {
  return Object.entries(object).flatMap(([name, value]) => {
    if (isObject(value)) return leaves(value);
    const text = typeof value === 'string' ? value : JSON.stringify(value);
    const shown = text.startsWith('data:') ? vscode.l10n.t('a picture') : text;
    return [[name, truncate(shown, maxValueLength)] as const];
  });
}
