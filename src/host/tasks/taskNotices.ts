import * as vscode from 'vscode';
import { EndedBatches } from '../../tasks/endedBatches.ts';
import { findTaskGroup, hasResult, type Task } from '../../tasks/record/task.ts';
import type { TaskService } from '../../tasks/taskService.ts';
import type { GatewayError } from '../../wire/failures/gatewayError.ts';
import { failureMessage, formatFailure } from '../connection/failureMessage.ts';
import { formatTaskCount, formatVideoCount, tally } from '../kit/countWords.ts';
import { notify } from '../kit/display/notify.ts';
import { describeStoredProblem } from '../kit/explanationWords.ts';
import { type CommandId, runCommand, showView } from '../kit/manifest/contributions.ts';
import { getActionLabel } from '../kit/noticeActions.ts';
import { createTaskButton, type TaskActionId, taskActions } from './task/taskActions.ts';
import { createTaskNotice } from './task/taskNotice.ts';
import { describeStatus, nameTask, shortenPrompt } from './task/taskWords.ts';

/** The pause after an end, in milliseconds. It is shorter in the focused window, so that this window notifies. */
const delayMs = 500;
const backgroundDelayMs = 3000;

/** The interval of the checks for pending notifications, in milliseconds. */
const tickMs = 500;

/** The pause after a notification, in milliseconds, so that many ended tasks cause few notifications. */
const quietMs = 8000;

/**
 * Notifies the user once, in one window, of ended tasks: one notification for all tasks of one click, and for all
 * tasks that end during the pause. Skips tasks on the screen, and tasks that ended before they were added to the
 * ledger.
 */
export class TaskNotices {
  readonly #tasks: TaskService;
  readonly #isOnScreen: (key: string) => boolean;
  readonly #ended = new EndedBatches();
  /** The keys of unsent requests of closed windows that the user was notified of. */
  readonly #notifiedUnsent = new Set<string>();
  readonly #subscriptions: vscode.Disposable[];
  /** The keys of the tasks that had not ended at the last change. */
  #open: ReadonlySet<string> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #quietUntil = 0;
  #isDisposed = false;

  constructor(tasks: TaskService, isOnScreen: (key: string) => boolean) {
    this.#tasks = tasks;
    this.#isOnScreen = isOnScreen;
    this.#subscriptions = [
      tasks.onDidChange(() => this.#check()),
      tasks.onDidPause(({ gatewayName, error }) => void notifyPaused(gatewayName, error)),
    ];
  }

  dispose(): void {
    this.#isDisposed = true;
    clearTimeout(this.#timer);
    for (const subscription of this.#subscriptions) subscription.dispose();
  }

  #check(): void {
    if (!this.#tasks.isOpen) return;
    const tasks = this.#tasks.all;
    const open = new Set(tasks.filter(isChanging).map(({ key }) => key));
    const ended = [...(this.#open ?? [])].filter((key) => !open.has(key));
    this.#open = open;
    for (const key of ended) this.#notifySoon(key);
    for (const task of tasks) {
      if (task.status === 'intent' && !this.#tasks.isInFlight(task)) this.#notifyOfUnsent(task.key);
    }
  }

  #notifyOfUnsent(key: string): void {
    if (this.#notifiedUnsent.has(key)) return;
    this.#notifiedUnsent.add(key);
    this.#notifySoon(key);
  }

  #notifySoon(key: string): void {
    if (vscode.window.state.focused && this.#isOnScreen(key)) {
      void this.#claim(key);
      return;
    }
    this.#ended.add(key, performance.now());
    this.#timer ??= setTimeout(() => void this.#notifyDue(), tickMs);
  }

  async #notifyDue(): Promise<void> {
    const now = performance.now();
    const delay = vscode.window.state.focused ? delayMs : backgroundDelayMs;
    const due = now < this.#quietUntil ? [] : this.#ended.takeDue(now, delay, this.#open ?? new Set());
    const ended: Task[] = [];
    for (const key of due.toSorted()) ended.push(...(await this.#claimTask(key)));
    if (this.#isDisposed) return;
    if (ended.length > 0) {
      this.#quietUntil = now + quietMs;
      void notifyOfEnd(ended);
    }
    this.#timer = this.#ended.isEmpty ? undefined : setTimeout(() => void this.#notifyDue(), tickMs);
  }

  /** Returns the task in a list; an empty list if this window does not have to notify the user of it. */
  async #claimTask(key: string): Promise<readonly Task[]> {
    const task = this.#tasks.get(key);
    if (!task || !shouldNotify(task)) return [];
    if (this.#tasks.isInFlight(task)) {
      this.#notifiedUnsent.delete(key);
      return [];
    }
    const isSeen = this.#isOnScreen(key);
    return (await this.#claim(key)) && !isSeen ? [task] : [];
  }

  /**
   * @returns whether no other window has shown the notification; false if the ledger cannot be read. Never
   * rejects.
   */
  async #claim(key: string): Promise<boolean> {
    const task = this.#tasks.get(key);
    if (task === undefined) return false;
    return this.#tasks.claimNotice(key, task.status).catch(() => false);
  }
}

async function notifyOfEnd(tasks: readonly Task[]): Promise<void> {
  const [only, ...others] = tasks;
  const severity = tasks.every(isCompleted) ? 'info' : 'warning';
  if (only && others.length === 0) return notifyOfOne(only, severity);
  const show = vscode.l10n.t('Show');
  if ((await notify(severity, describeEnds(tasks), show)) === show) await showView('tasks');
}

async function notifyOfOne(task: Task, severity: 'info' | 'warning'): Promise<void> {
  const offers = listOffers(task);
  const chosen = await notify(severity, describeEnd(task), ...offers.map(({ label }) => label));
  const offer = offers.find(({ label }) => label === chosen);
  if (offer) await runCommand(offer.command, { kind: 'task', key: task.key });
}

/** Shows that polling at a gateway is paused until its credential is replaced, or until it is connected again. */
async function notifyPaused(gatewayName: string, error: GatewayError): Promise<void> {
  const isDisconnected = error.explanation.id === 'gateway-not-connected';
  const help = getActionLabel(isDisconnected ? 'connect' : 'set-credential');
  const text = vscode.l10n.t(
    '{0}: {1} Its tasks are paused until then.',
    gatewayName,
    formatFailure(failureMessage(error)),
  );
  if ((await notify('error', text, help)) !== help) return;
  if (isDisconnected) await runCommand('connect');
  else await runCommand('setCredential', gatewayName);
}

/** Whether the task or its results will change by themselves. */
function isChanging({ status, watching, results }: Task): boolean {
  if (status === 'completed')
    return results.some(({ state }) => state === 'waiting' || state === 'downloading');
  return status === 'submitting' || (status === 'running' && watching === 'on');
}

/** Whether to notify of a task's end. The user's own actions do not cause a notification. */
function shouldNotify({ status, failedAs, watching }: Task): boolean {
  if (status === 'running') return watching === 'timed-out';
  return status !== 'submitting' && failedAs !== 'cancelled';
}

interface Offer {
  readonly label: string;
  readonly command: CommandId;
}

function listOffers(task: Task): readonly Offer[] {
  const open: Offer = { label: vscode.l10n.t('Open'), command: 'tasks.openPage' };
  return [
    open,
    ...chooseActions(task).map((action) => ({
      ...taskActions[action],
      label: createTaskButton(action).label,
    })),
  ];
}

function chooseActions({ status, results, problem }: Task): readonly TaskActionId[] {
  if (results.some(({ state }) => state === 'saved')) return ['save'];
  if (status === 'intent') return ['send', 'discard'];
  if (status === 'unknown') return ['find'];
  if (problem?.code === 'spending-limit') return ['raise-limit'];
  return status === 'running' ? ['resume'] : [];
}

/** Describes the end of a task, such as "Completed: A cat on a roof". */
function describeEnd(task: Task): string {
  const failed = task.results.find(({ state }) => state === 'failed');
  const problem = task.status === 'completed' ? failed?.problem : task.problem;
  const detail = problem ? describeStoredProblem(problem) : (createTaskNotice(task, false)?.detail ?? '');
  const end = vscode.l10n.t('{0}: {1}', describeStatus(task, false), nameTask(task, 50));
  return [end, shortenPrompt(detail, 400)].filter(Boolean).join(' – ');
}

/** Describes the end of several tasks, such as "5 videos completed" or "4 videos: 3 completed, 1 failed". */
function describeEnds(tasks: readonly Task[]): string {
  const words = sortCompletedFirst(tasks).map((task) => describeStatus(task, false).toLowerCase());
  const [first = ''] = words;
  const count = tasks.every(({ route }) => route)
    ? formatVideoCount(tasks.length)
    : formatTaskCount(tasks.length);
  return words.every((word) => word === first) ? `${count} ${first}` : `${count}: ${tally(words)}`;
}

/** Sorts tasks that completed with a result first. */
function sortCompletedFirst(tasks: readonly Task[]): readonly Task[] {
  return tasks.toSorted((a, b) => Number(isCompleted(b)) - Number(isCompleted(a)));
}

/** Whether a task completed with a result. */
function isCompleted(task: Task): boolean {
  return findTaskGroup(task, false) === 'completed' && hasResult(task);
}
