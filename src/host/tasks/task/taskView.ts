import * as vscode from 'vscode';
import { listLeaves } from '../../../base/nestedValues.ts';
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
import { describeStoredProblem } from '../../kit/explanationWords.ts';
import { formatReadableJson } from '../../kit/readableJson.ts';
import { createTaskButton, listResultActions, rankActions } from './taskActions.ts';
import { createTaskNotice } from './taskNotice.ts';
import {
  chooseAppearance,
  describeDeleted,
  describeStatus,
  formatBytes,
  quoteGateway,
  quoteStatus,
} from './taskWords.ts';
import { listMainFields } from './videoForm.ts';

/** The data of the view in addition to the task itself. */
interface TaskViewContext {
  readonly isInFlight: boolean;
  readonly progress: TaskProgress | undefined;
  /** Returns the address and the type of a saved result; undefined if a page cannot show it. */
  readonly media: (result: LedgerResult) => MediaView | undefined;
  /** Returns the number of bytes of a result that have arrived during its download. */
  readonly received: (
    result: LedgerResult,
  ) => { readonly received: number; readonly total?: number } | undefined;
}

export function createTile(task: Task, context: TaskViewContext): TaskTile {
  const { progress } = context;
  const [media] = task.results.map(context.media).filter((view) => view !== undefined);
  return {
    key: task.key,
    appearance: chooseAppearance(task, context.isInFlight),
    status: describeStatus(task, context.isInFlight),
    model: task.model ?? '',
    prompt: task.prompt,
    startedAt: task.submittedAt ?? task.intendedAt,
    ...(task.rawStatus !== undefined && { reportedStatus: quoteStatus(task) }),
    ...(progress && { progress }),
    ...(media && { media }),
  };
}

/** Creates the whole content of the task page. */
export function createTaskView(task: Task, history: TaskHistory, context: TaskViewContext): TaskView {
  const { main, others } = rankActions(task, context.isInFlight);
  const texts = createTextResults(task, history);
  const notice = texts.length > 0 ? undefined : createTaskNotice(task, context.isInFlight);
  const { taskId, requestId, gatewayRequestId = task.problem?.gatewayRequestId } = task;
  const next = describeNext(task, history, context.isInFlight);
  const tile = { ...createTile(task, context), ...(texts.length > 0 && createTextState()) };
  return {
    tile,
    ...(next !== undefined && { next }),
    ...(task.endedAt !== undefined && { durationMs: task.endedAt - (task.submittedAt ?? task.intendedAt) }),
    ...(notice && { notice }),
    results: [
      ...task.results.map((result) => createResultView(result, task.results.length === 1, context)),
      ...texts,
    ],
    buttons: [...main, ...others].map(createTaskButton),
    mainButtons: main.length,
    recipe: createRecipe(task, history),
    timeline: createTimeline(task, history.statusChanges, tile.appearance),
    ...(taskId !== undefined && { taskId }),
    ...(requestId !== undefined && { requestId }),
    ...(gatewayRequestId !== undefined && { gatewayRequestId }),
    ...(history.record !== undefined && { record: formatReadableJson(history.record) }),
    ...(history.request && { request: formatReadableJson(history.request) }),
    failedPolls: history.failedPolls.map(({ at, problem }) => ({ at, text: formatFailedPoll(problem) })),
  };
}

/** Returns the state of a task whose result is a text, which the task itself does not list. */
function createTextState(): Pick<TaskTile, 'appearance' | 'status'> {
  return { appearance: 'completed', status: vscode.l10n.t('Completed') };
}

const maxAddressLength = 300;

/** Describes the next event of a running task. */
function describeNext(task: Task, { record }: TaskHistory, isInFlight: boolean): string | undefined {
  if (isInFlight)
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

/** Formats a failed poll with the gateway's request id, which its operator can search for. */
function formatFailedPoll(problem: Problem): string {
  const { gatewayRequestId } = problem;
  const words = describeStoredProblem(problem);
  return gatewayRequestId === undefined
    ? words
    : vscode.l10n.t('{0} (the gateway’s request ID: {1})', words, gatewayRequestId);
}

function createResultView(result: LedgerResult, isOnly: boolean, context: TaskViewContext): ResultView {
  const media = context.media(result);
  const { received, total } = context.received(result) ?? {};
  const percent = received !== undefined && total ? (received / total) * 100 : undefined;
  return {
    index: result.index,
    ...(media && { media }),
    status: describeResult(result, received),
    hasFailed: result.state === 'failed',
    ...(percent !== undefined && { percent }),
    buttons: listResultActions(result, isOnly).map(createTaskButton),
  };
}

/** Creates the views of results that are text. They are in the task's record, not in a file. */
function createTextResults({ status, results }: Task, { record }: TaskHistory): readonly ResultView[] {
  const text = status === 'completed' ? readTaskText(record) : '';
  if (text === '') return [];
  const storedText = vscode.l10n.t('Text, stored with the record');
  return [
    {
      index: results.length,
      text,
      status: storedText,
      hasFailed: false,
      buttons: [createTaskButton('copy-text')],
    },
  ];
}

function describeResult(result: LedgerResult, received: number | undefined): string {
  switch (result.state) {
    case 'waiting':
      return vscode.l10n.t('Not saved yet');
    case 'downloading':
      return received === undefined
        ? vscode.l10n.t('Downloading')
        : vscode.l10n.t('Downloading, {0}', formatBytes(received));
    case 'saved':
      return result.bytes === undefined
        ? vscode.l10n.t('Saved')
        : vscode.l10n.t('Saved, {0}', formatBytes(result.bytes));
    case 'failed':
      return result.problem ? describeStoredProblem(result.problem) : vscode.l10n.t('It could not be saved.');
    case 'link':
      return result.problem
        ? describeStoredProblem(result.problem)
        : vscode.l10n.t('It remains at its original location and cannot be downloaded here.');
  }
}

const maxFields = 40;
const maxValueLength = 200;

/** Lists the parameters of a task, in the words of the Generate form. */
function createRecipe(task: Task, { request }: TaskHistory): readonly RecipeEntry[] {
  const { route } = task;
  const entries: RecipeEntry[] = [{ label: vscode.l10n.t('Gateway'), value: task.gatewayName }];
  if (route) {
    const label = findVideoRoute(route)?.label;
    entries.push({ label: vscode.l10n.t('Route'), value: label ?? route });
  }
  const fields = route ? listMainFields(route) : [];
  const shownLeaves = listLeaves({ ...request })
    .filter(({ path }) => !isShownSeparately(path, fields))
    .slice(0, maxFields);
  return [...entries, ...shownLeaves.map(({ path, value }) => createEntry(path, value, fields))];
}

/** Whether a parameter is not listed: the page shows the model and the prompt elsewhere, and results are videos. */
function isShownSeparately(path: readonly string[], fields: readonly GenerateField[]): boolean {
  const name = path.join('.');
  if (name === 'model' || name === 'response_format.type') return true;
  return fields.find((field) => field.path.join('.') === name)?.control === 'prompt';
}

function createEntry(path: readonly string[], value: unknown, fields: readonly GenerateField[]): RecipeEntry {
  const name = path.join('.');
  const field = fields.find((each) => each.path.join('.') === name);
  const sent = truncate(typeof value === 'string' ? value : JSON.stringify(value), maxValueLength);
  const shown = describeValue(value, field) ?? sent;
  return {
    label: field?.label ?? createLabel(path.at(-1) ?? ''),
    value: shown,
    name,
    ...(shown !== sent && !isPicture(value) && { sent }),
  };
}

function describeValue(value: unknown, field: GenerateField | undefined): string | undefined {
  if (isPicture(value)) return vscode.l10n.t('a picture');
  if (typeof value === 'boolean') return value ? vscode.l10n.t('Yes') : vscode.l10n.t('No');
  return field?.choices?.find((choice) => choice.value === value)?.label;
}

function isPicture(value: unknown): boolean {
  return typeof value === 'string' && value.startsWith('data:');
}

/** Creates the label of a field that is not in the form, such as "Service tier" for `service_tier`. */
function createLabel(name: string): string {
  const words = name
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .replace(/[_-]+/g, ' ')
    .trim()
    .toLowerCase();
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}`;
}

/**
 * Creates the timeline of a task in our own words, with one entry for each state and the gateway's words for it.
 * Omits the status `intent` unless it is the only status.
 *
 * @param appearance the appearance of the task, used for its completion
 */
function createTimeline(
  task: Task,
  changes: readonly StatusChange[],
  appearance: TaskAppearance,
): readonly TimelineEntry[] {
  const shownChanges = changes.length > 1 ? changes.filter(({ status }) => status !== 'intent') : changes;
  const states: State[] = [];
  for (const change of shownChanges) {
    const { rawStatus } = change;
    const state = createState(task, change, appearance);
    const last = states.at(-1);
    if (last && isReportedAtFirst(task, last, states.length) && state.appearance === 'queued')
      states.splice(-1, 1, { ...state, at: last.at, words: [...last.words, ...state.words] });
    else if (last?.label !== state.label) states.push(state);
    else if (rawStatus !== undefined && !last.words.includes(rawStatus)) last.words.push(rawStatus);
  }
  if (task.deletedAt !== undefined)
    states.push({ at: task.deletedAt, label: describeDeleted(), appearance: 'cancelled', words: [] });
  return states.map(({ at, label, appearance, words }) => ({
    at,
    label,
    appearance,
    ...(words.length > 0 && { reportedStatuses: quoteGateway(words) }),
  }));
}

interface State extends Omit<TimelineEntry, 'reportedStatuses'> {
  /** The gateway's words for the state. */
  readonly words: string[];
}

function createState(task: Task, { at, status, rawStatus }: StatusChange, appearance: TaskAppearance): State {
  const words = rawStatus === undefined ? [] : [rawStatus];
  const isWaiting = isQueued({ ...task, status, rawStatus });
  if (isWaiting) return { at, label: vscode.l10n.t('Queued'), appearance: 'queued', words };
  if (status === 'failed' && task.failedAs === 'cancelled')
    return { at: findEndTime(task, at), label: vscode.l10n.t('Cancelled'), appearance: 'cancelled', words };
  if (status === 'completed')
    return { at: findEndTime(task, at), label: nameStatus(status), appearance, words };
  if (status === 'failed')
    return { at: findEndTime(task, at), label: nameStatus(status), appearance: 'failed', words };
  return { at, label: nameStatus(status), appearance: chooseStatusAppearance(status), words };
}

/** Whether a state may be wrong: interactions do not have a queued status, so the first one is reported as running. */
function isReportedAtFirst({ route }: Task, { label }: State, stateCount: number): boolean {
  return route === 'interactions' && stateCount === 2 && label === nameStatus('running');
}

/**
 * Returns the end of a task: the reported time, which is before the poll that read it. The header of the page uses the
 * same time.
 */
function findEndTime({ endedAt }: Task, polledAt: number): number {
  return endedAt === undefined ? polledAt : Math.min(endedAt, polledAt);
}

function nameStatus(status: TaskStatus): string {
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

function chooseStatusAppearance(status: TaskStatus): TaskAppearance {
  if (status === 'unknown') return 'attention';
  return status === 'failed' || status === 'refused' || status === 'missing' ? 'failed' : 'running';
}
