import * as vscode from 'vscode';
import { isObject } from '../../../base/json.ts';
import type { TaskProgress } from '../../../base/taskProgress.ts';
import { truncate } from '../../../base/truncate.ts';
import type { GenerateField } from '../../../protocol/generatePage.ts';
import type {
  MediaView,
  RecipeEntry,
  ResultView,
  TaskAppearance,
  TaskTile,
  TaskView,
  TimelineEntry,
} from '../../../protocol/taskPage.ts';
import type {
  LedgerResult,
  Problem,
  StatusChange,
  Task,
  TaskHistory,
  TaskStatus,
} from '../../../tasks/record/task.ts';
import { isQueued } from '../../../tasks/runProgress.ts';
import { decodeTask } from '../../../wire/apis/taskRecord/decodeTask.ts';
import { readTaskText } from '../../../wire/apis/taskRecord/taskText.ts';
import { findVideoRoute } from '../../../wire/apis/videoRoutes.ts';
import { plainLine } from '../../kit/display/plainText.ts';
import { problemWords } from '../../kit/explanationWords.ts';
import { readableJson } from '../../kit/readableJson.ts';
import { rankedActions, resultActions, taskButton } from './taskActions.ts';
import { noticeOf } from './taskNotice.ts';
import {
  appearanceOf,
  byteCount,
  deletedWords,
  quoteGateway,
  reportedStatus,
  statusWords,
} from './taskWords.ts';
import { mainFields } from './videoForm.ts';

/** Data for the view besides the task itself. */
interface TaskViewContext {
  readonly isInFlight: boolean;
  readonly progress: TaskProgress | undefined;
  /** Returns how a page can show a saved result; undefined when it cannot. */
  readonly media: (result: LedgerResult) => MediaView | undefined;
  /** Returns the number of bytes of a result that have arrived during its download. */
  readonly received: (
    result: LedgerResult,
  ) => { readonly received: number; readonly total?: number } | undefined;
}

/** The tile of a task. */
export function tileOf(task: Task, context: TaskViewContext): TaskTile {
  const { progress } = context;
  const [media] = task.results.map(context.media).filter((view) => view !== undefined);
  return {
    key: task.key,
    appearance: appearanceOf(task, context.isInFlight),
    status: statusWords(task, context.isInFlight),
    model: task.model ?? '',
    prompt: task.prompt,
    startedAt: task.submittedAt ?? task.intendedAt,
    ...(task.rawStatus !== undefined && { reportedStatus: reportedStatus(task) }),
    ...(progress && { progress }),
    ...(media && { media }),
  };
}

/** All content of the task page. */
export function taskPageView(task: Task, history: TaskHistory, context: TaskViewContext): TaskView {
  const { main, others } = rankedActions(task, context.isInFlight);
  const texts = textResults(task, history);
  const notice = texts.length > 0 ? undefined : noticeOf(task, context.isInFlight);
  const { taskId, requestId, gatewayRequestId = task.problem?.gatewayRequestId } = task;
  const next = nextOf(task, history, context.isInFlight);
  const tile = { ...tileOf(task, context), ...(texts.length > 0 && textCompleted()) };
  return {
    tile,
    ...(next !== undefined && { next }),
    ...(task.endedAt !== undefined && { durationMs: task.endedAt - (task.submittedAt ?? task.intendedAt) }),
    ...(notice && { notice }),
    results: [
      ...task.results.map((result) => resultView(result, task.results.length === 1, context)),
      ...texts,
    ],
    buttons: [...main, ...others].map(taskButton),
    mainButtons: main.length,
    recipe: recipeOf(task, history),
    timeline: timelineOf(task, history.statusChanges, tile.appearance),
    ...(taskId !== undefined && { taskId }),
    ...(requestId !== undefined && { requestId }),
    ...(gatewayRequestId !== undefined && { gatewayRequestId }),
    ...(history.record !== undefined && { record: readableJson(history.record) }),
    ...(history.request && { request: readableJson(history.request) }),
    failedPolls: history.failedPolls.map(({ at, problem }) => ({ at, text: pollText(problem) })),
  };
}

/** A text is a result as well, although the task itself does not list it. */
function textCompleted(): Pick<TaskTile, 'appearance' | 'status'> {
  return { appearance: 'completed', status: vscode.l10n.t('Completed') };
}

const maxAddressLength = 300;

/** The next event of a running task. */
function nextOf(task: Task, { record }: TaskHistory, inFlight: boolean): string | undefined {
  if (inFlight)
    return vscode.l10n.t('The request is being sent. The gateway’s reply will contain the task ID.');
  if (task.status !== 'running' || task.watching !== 'on') return undefined;
  const afterwards = vscode.l10n.t(
    'When it is done, the result is downloaded to this machine. You can close this page or VS Code: the task continues at the gateway, and VS Code resumes watching it when it starts again.',
  );
  const { unsureResults } = decodeTask(record);
  if (unsureResults) {
    const addresses = unsureResults.map(({ url }) => plainLine(url, maxAddressLength)).join('\n');
    return vscode.l10n.t(
      'Its state is unknown, but its record contains a result. If the next checks find the same, the task is treated as completed.\n{0}',
      addresses,
    );
  }
  return isQueued(task)
    ? vscode.l10n.t('The gateway has not started the task yet. {0}', afterwards)
    : afterwards;
}

/** The text of a failed poll, with the gateway's request id, which its operator can search for. */
function pollText(problem: Problem): string {
  const { gatewayRequestId } = problem;
  const words = problemWords(problem);
  return gatewayRequestId === undefined
    ? words
    : vscode.l10n.t('{0} (the gateway’s request ID: {1})', words, gatewayRequestId);
}

function resultView(result: LedgerResult, isOnly: boolean, context: TaskViewContext): ResultView {
  const media = context.media(result);
  const { received, total } = context.received(result) ?? {};
  const percent = received !== undefined && total ? (received / total) * 100 : undefined;
  return {
    index: result.index,
    ...(media && { media }),
    status: resultStatus(result, received),
    hasFailed: result.state === 'failed',
    ...(percent !== undefined && { percent }),
    buttons: resultActions(result, isOnly).map(taskButton),
  };
}

/** Results that are text. They are in the task's record, not in a file. */
function textResults({ status, results }: Task, { record }: TaskHistory): readonly ResultView[] {
  const text = status === 'completed' ? readTaskText(record) : '';
  if (text === '') return [];
  const storedText = vscode.l10n.t('Text, stored with the record');
  return [
    { index: results.length, text, status: storedText, hasFailed: false, buttons: [taskButton('copy-text')] },
  ];
}

function resultStatus(result: LedgerResult, received: number | undefined): string {
  switch (result.state) {
    case 'waiting':
      return vscode.l10n.t('Not saved yet');
    case 'downloading':
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
        : vscode.l10n.t('It remains at its original location and cannot be downloaded here.');
  }
}

const maxFields = 40;
const maxValueLength = 200;

/** The parameters of a task, in the words of the Generate form. */
function recipeOf(task: Task, { request }: TaskHistory): readonly RecipeEntry[] {
  const { route } = task;
  const entries: RecipeEntry[] = [{ label: vscode.l10n.t('Gateway'), value: task.gatewayName }];
  if (route) {
    const label = findVideoRoute(route)?.label;
    entries.push({ label: vscode.l10n.t('Route'), value: label ?? route });
  }
  const fields = route ? mainFields(route) : [];
  const shown = leaves((request ?? {}) as Readonly<Record<string, unknown>>, [])
    .filter(({ path }) => !isShownSeparately(path, fields))
    .slice(0, maxFields);
  return [...entries, ...shown.map((leaf) => entryOf(leaf, fields))];
}

interface Leaf {
  readonly path: readonly string[];
  readonly value: unknown;
}

/** All values of a nested object. */
function leaves(object: Readonly<Record<string, unknown>>, path: readonly string[]): readonly Leaf[] {
  return Object.entries(object).flatMap(([name, value]) =>
    isObject(value) ? leaves(value, [...path, name]) : [{ path: [...path, name], value }],
  );
}

/** The model and the prompt are shown elsewhere, and every request of these routes is for a video. */
function isShownSeparately(path: readonly string[], fields: readonly GenerateField[]): boolean {
  const name = path.join('.');
  if (name === 'model' || name === 'response_format.type') return true;
  return fields.find((field) => field.path.join('.') === name)?.control === 'prompt';
}

function entryOf({ path, value }: Leaf, fields: readonly GenerateField[]): RecipeEntry {
  const name = path.join('.');
  const field = fields.find((each) => each.path.join('.') === name);
  const sent = truncate(typeof value === 'string' ? value : JSON.stringify(value), maxValueLength);
  const shown = valueWords(value, field) ?? sent;
  return {
    label: field?.label ?? labelFromName(path.at(-1) ?? ''),
    value: shown,
    name,
    ...(shown !== sent && !isPicture(value) && { sent }),
  };
}

function valueWords(value: unknown, field: GenerateField | undefined): string | undefined {
  if (isPicture(value)) return vscode.l10n.t('a picture');
  if (typeof value === 'boolean') return value ? vscode.l10n.t('Yes') : vscode.l10n.t('No');
  return field?.choices?.find((choice) => choice.value === value)?.label;
}

function isPicture(value: unknown): boolean {
  return typeof value === 'string' && value.startsWith('data:');
}

/** The label of a field that is not in the form, such as "Service tier" for `service_tier`. */
function labelFromName(name: string): string {
  const words = name
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .replace(/[_-]+/g, ' ')
    .trim()
    .toLowerCase();
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}`;
}

/**
 * The timeline of a task in our own words. It has one entry for each state, with the gateway's words for that state.
 * Leaves out the status `intent` unless it is the only one.
 *
 * @param appearance the appearance of the task, used for its completion
 */
function timelineOf(
  task: Task,
  changes: readonly StatusChange[],
  appearance: TaskAppearance,
): readonly TimelineEntry[] {
  const shown = changes.length > 1 ? changes.filter(({ status }) => status !== 'intent') : changes;
  const states: State[] = [];
  for (const change of shown) {
    const { rawStatus } = change;
    const state = stateOf(task, change, appearance);
    const last = states.at(-1);
    if (last && isReportedAtFirst(task, last, states.length) && state.appearance === 'queued')
      states.splice(-1, 1, { ...state, at: last.at, words: [...last.words, ...state.words] });
    else if (last?.label !== state.label) states.push(state);
    else if (rawStatus !== undefined && !last.words.includes(rawStatus)) last.words.push(rawStatus);
  }
  if (task.deletedAt !== undefined)
    states.push({ at: task.deletedAt, label: deletedWords(), appearance: 'cancelled', words: [] });
  return states.map(({ at, label, appearance, words }) => ({
    at,
    label,
    appearance,
    ...(words.length > 0 && { reportedStatuses: quoteGateway(words) }),
  }));
}

interface State extends Omit<TimelineEntry, 'reportedStatuses'> {
  /** The gateway's words for it. */
  readonly words: string[];
}

function stateOf(task: Task, { at, status, rawStatus }: StatusChange, appearance: TaskAppearance): State {
  const words = rawStatus === undefined ? [] : [rawStatus];
  const isWaiting = isQueued({ ...task, status, rawStatus });
  if (isWaiting) return { at, label: vscode.l10n.t('Queued'), appearance: 'queued', words };
  if (status === 'failed' && task.failedAs === 'cancelled')
    return { at: endOf(task, at), label: vscode.l10n.t('Cancelled'), appearance: 'cancelled', words };
  if (status === 'completed') return { at: endOf(task, at), label: statusName(status), appearance, words };
  if (status === 'failed')
    return { at: endOf(task, at), label: statusName(status), appearance: 'failed', words };
  return { at, label: statusName(status), appearance: appearanceOfStatus(status), words };
}

/** Interactions have no status for a queued task: the first reply reports each of them as in progress. */
function isReportedAtFirst({ route }: Task, { label }: State, stateCount: number): boolean {
  return route === 'interactions' && stateCount === 2 && label === statusName('running');
}

/**
 * When a task ended: at the time that the gateway reports, which is before the poll. The header of the page uses the
 * same time.
 */
function endOf({ endedAt }: Task, polledAt: number): number {
  return endedAt === undefined ? polledAt : Math.min(endedAt, polledAt);
}

function statusName(status: TaskStatus): string {
  const names: Readonly<Record<TaskStatus, string>> = {
    intent: vscode.l10n.t('Saved before sending'),
    submitting: vscode.l10n.t('Submitted'),
    unknown: vscode.l10n.t('Unknown outcome'),
    refused: vscode.l10n.t('Refused'),
    running: vscode.l10n.t('Running'),
    completed: vscode.l10n.t('Completed'),
    failed: vscode.l10n.t('Failed'),
    missing: vscode.l10n.t('Missing'),
  };
  return names[status];
}

function appearanceOfStatus(status: TaskStatus): TaskAppearance {
  if (status === 'unknown') return 'attention';
  return status === 'failed' || status === 'refused' || status === 'missing' ? 'failed' : 'running';
}
