import * as vscode from 'vscode';
import { groupOf, type Task } from '../../tasks/task.ts';
import type { TaskService } from '../../tasks/taskService.ts';
import type { GatewayError } from '../../wire/failure.ts';
import { type CommandId, runCommand } from '../contributions.ts';
import { notify } from '../display/notify.ts';
import { problemWords } from '../explanationWords.ts';
import { failureMessage, failureText } from '../failureMessage.ts';
import type { Panels } from '../pages/panels.ts';
import { type TaskActionId, taskActions, taskButton } from './taskActions.ts';
import { noticeOf } from './taskNotice.ts';
import type { TaskOpening, TaskPanel } from './taskPanel.ts';
import { shortPrompt, statusOf } from './taskWords.ts';

/** How long a window in the background waits, in milliseconds, so that the focused window notifies first. */
const backgroundDelayMs = 2500;
const delayMs = 300;

/**
 * Notifies once, in one window, how a task ended. Not for a task whose page is visible, nor for one that had
 * ended before it came into the ledger.
 */
export class TaskNotices {
  readonly #tasks: TaskService;
  readonly #pages: Panels<TaskPanel, TaskOpening>;
  /** Unsent requests of closed windows that the user was notified of. */
  readonly #leftOver = new Set<string>();
  readonly #timers = new Set<NodeJS.Timeout>();
  readonly #subscriptions: vscode.Disposable[];
  /** The tasks that had not ended at the last change. */
  #open: ReadonlySet<string> | undefined;

  constructor(tasks: TaskService, pages: Panels<TaskPanel, TaskOpening>) {
    this.#tasks = tasks;
    this.#pages = pages;
    this.#subscriptions = [
      tasks.onDidChange(() => this.#check()),
      tasks.onDidPause(({ gatewayName, error }) => void tellPaused(gatewayName, error)),
    ];
  }

  dispose(): void {
    for (const timer of this.#timers) clearTimeout(timer);
    for (const subscription of this.#subscriptions) subscription.dispose();
  }

  #check(): void {
    if (!this.#tasks.isOpen) return;
    const tasks = this.#tasks.all;
    const open = new Set(tasks.filter(isOpen).map(({ key }) => key));
    const ended = [...(this.#open ?? [])].filter((key) => !open.has(key));
    this.#open = open;
    for (const key of ended) this.#tellSoon(key);
    for (const task of tasks) {
      if (task.status === 'intent' && !this.#tasks.isInFlight(task)) this.#tellLeftOver(task.key);
    }
  }

  #tellLeftOver(key: string): void {
    if (this.#leftOver.has(key)) return;
    this.#leftOver.add(key);
    this.#tellSoon(key);
  }

  #tellSoon(key: string): void {
    if (this.#isSeen(key)) {
      this.#claimSilently(key);
      return;
    }
    const timer = setTimeout(
      () => {
        this.#timers.delete(timer);
        void this.#tell(key);
      },
      vscode.window.state.focused ? delayMs : backgroundDelayMs,
    );
    this.#timers.add(timer);
  }

  /** Whether the task's page is visible in a focused window. */
  #isSeen(key: string): boolean {
    const isShown = this.#pages.all.some((page) => page.key === key && page.panel.visible);
    return vscode.window.state.focused && isShown;
  }

  #claimSilently(key: string): void {
    const task = this.#tasks.get(key);
    if (task) this.#tasks.claimNotice(key, task.status);
  }

  async #tell(key: string): Promise<void> {
    const task = this.#tasks.get(key);
    if (!task || !isWorthTelling(task)) return;
    if (this.#tasks.isInFlight(task)) {
      this.#leftOver.delete(key);
      return;
    }
    if (this.#isSeen(key) || !this.#tasks.claimNotice(key, task.status)) return;
    const offers = offersFor(task);
    const severity = groupOf(task, false) === 'completed' ? 'info' : 'warning';
    const chosen = await notify(severity, words(task), ...offers.map(({ label }) => label));
    const offer = offers.find(({ label }) => label === chosen);
    if (offer) await runCommand(offer.command, { kind: 'task', key });
  }
}

/** Shows that polling at a gateway is paused until its credential is replaced. */
async function tellPaused(gatewayName: string, error: GatewayError): Promise<void> {
  const set = vscode.l10n.t('Set Credential…');
  const text = vscode.l10n.t(
    '{0}: {1} Its tasks wait until then.',
    gatewayName,
    failureText(failureMessage(error)),
  );
  const chosen = await notify('error', text, set);
  if (chosen === set) await runCommand('setCredential', gatewayName);
}

/** Whether the task or its results will change by themselves. */
function isOpen({ status, watching, results }: Task): boolean {
  if (status === 'completed') return results.some(({ state }) => state === 'waiting' || state === 'fetching');
  return status === 'submitting' || (status === 'running' && watching === 'on');
}

/** Whether to notify of a task's end. What the user did needs no notification. */
function isWorthTelling({ status, failedAs, watching }: Task): boolean {
  if (status === 'running') return watching === 'timed-out';
  return status !== 'submitting' && failedAs !== 'cancelled';
}

interface Offer {
  readonly label: string;
  readonly command: CommandId;
}

function offersFor(task: Task): readonly Offer[] {
  const open: Offer = { label: vscode.l10n.t('Open'), command: 'tasks.openPage' };
  return [
    open,
    ...offeredActions(task).map((action) => ({ ...taskActions[action], label: taskButton(action).label })),
  ];
}

function offeredActions({ status, results }: Task): readonly TaskActionId[] {
  if (results.some(({ state }) => state === 'saved')) return ['save'];
  if (status === 'intent') return ['send', 'discard'];
  if (status === 'unknown') return ['find'];
  return status === 'running' ? ['resume'] : [];
}

function words(task: Task): string {
  const what = shortPrompt(task.prompt, 50) || (task.model ?? '');
  const status = statusOf(task, false);
  const failed = task.results.find(({ state }) => state === 'failed');
  const problem = task.status === 'completed' ? failed?.problem : task.problem;
  const notice = task.status === 'completed' ? undefined : noticeOf(task, false);
  const why = problem ? problemWords(problem) : (notice?.detail ?? '');
  return [vscode.l10n.t('{0}: {1}', status, what), shortPrompt(why, 200)].filter(Boolean).join(' – ');
}
