import type * as vscode from 'vscode';
import type { FromTaskPage, TaskAction, TaskView, ToTaskPage } from '../../protocol/taskPage.ts';
import type { KeptResult, Task } from '../../tasks/task.ts';
import type { TaskService } from '../../tasks/taskService.ts';
import { type CommandId, runCommand } from '../contributions.ts';
import { renameTab } from '../display/tabs.ts';
import type { Log } from '../log.ts';
import { Page } from '../pages/page.ts';
import { type MediaViews, mediaRoots } from './mediaViews.ts';
import { viewOf } from './taskView.ts';
import { taskTitle } from './taskWords.ts';

/** The editor tab of one task. It shows what the ledger knows, and shows it anew when that changes. */
export class TaskPanel {
  readonly panel: vscode.WebviewPanel;
  readonly key: string;
  readonly #tasks: TaskService;
  readonly #media: MediaViews;
  readonly #page: Page<FromTaskPage, ToTaskPage>;
  readonly #dist: vscode.Uri;
  readonly #subscriptions: vscode.Disposable[];
  #pending: NodeJS.Timeout | undefined;

  constructor(
    panel: vscode.WebviewPanel,
    key: string,
    dist: vscode.Uri,
    tasks: TaskService,
    media: MediaViews,
    log: Log,
  ) {
    this.panel = panel;
    this.key = key;
    this.#tasks = tasks;
    this.#media = media;
    this.#dist = dist;
    this.#allowMedia();
    this.#subscriptions = [
      tasks.onDidChange((changed) => {
        if (changed === undefined || changed === key) this.#paintSoon();
      }),
      media.onDidRead(() => this.#paintSoon()),
    ];
    panel.onDidDispose(() => this.#dispose());
    this.#page = new Page({
      panel,
      dist,
      element: 'mg-task',
      messages: async () => (await import('../../protocol/taskPage.ts')).fromTaskPage,
      handle: (message) => this.#handle(message),
      log,
    });
    this.#showTitle();
  }

  #handle(message: FromTaskPage): unknown {
    return message.type === 'ready' ? this.#paint() : this.#act(message.action, message.result);
  }

  #act(action: TaskAction, result: number | undefined): Thenable<unknown> {
    return runCommand(taskCommands[action], { kind: 'task', key: this.key, result });
  }

  /** A burst of changes is shown once. */
  #paintSoon(): void {
    this.#pending ??= setTimeout(() => {
      this.#pending = undefined;
      this.#paint();
    }, 50);
  }

  #paint(): void {
    const state = this.#view();
    if (state === undefined) {
      this.panel.dispose();
      return;
    }
    this.#allowMedia();
    this.#showTitle();
    this.#page.post({ type: 'state', state });
  }

  #view(): TaskView | undefined {
    const task = this.#task;
    const history = this.#tasks.history(this.key);
    return (
      task &&
      history &&
      viewOf(task, history, {
        inFlight: this.#tasks.isInFlight(task),
        typicalRunMs: this.#tasks.typicalRunMs(task),
        media: (result) => this.#media.of(result, this.panel.webview),
        received: (result) => this.#tasks.progress(task.key, result.index),
      })
    );
  }

  get #task(): Task | undefined {
    return this.#tasks.get(this.key);
  }

  /** Setting the options loads the page anew, so they are set only when a folder is missing. */
  #allowMedia(): void {
    const roots = [this.#dist, ...mediaRoots(this.#tasks.resultsFolder, this.#results)];
    const { localResourceRoots: allowed = [] } = this.panel.webview.options;
    if (roots.every((root) => allowed.some((each) => each.fsPath === root.fsPath))) return;
    this.panel.webview.options = { enableScripts: true, localResourceRoots: roots };
  }

  get #results(): readonly KeptResult[] {
    return this.#task?.results ?? [];
  }

  #showTitle(): void {
    const task = this.#task;
    if (task) renameTab(this.panel, taskTitle(task));
  }

  #dispose(): void {
    clearTimeout(this.#pending);
    for (const subscription of this.#subscriptions) subscription.dispose();
  }
}

/** The command behind each button of the page. */
const taskCommands: Readonly<Record<TaskAction, CommandId>> = {
  save: 'tasks.save',
  reveal: 'tasks.reveal',
  'open-in-player': 'tasks.openInPlayer',
  'fetch-again': 'tasks.fetchResult',
  'stop-fetching': 'tasks.stopFetching',
  'open-link': 'tasks.copyLink',
  'watch-now': 'tasks.watchNow',
  'stop-watching': 'tasks.stopWatching',
  resume: 'tasks.resume',
  cancel: 'tasks.cancel',
  delete: 'tasks.delete',
  remove: 'tasks.remove',
  'run-again': 'tasks.runAgain',
  send: 'tasks.send',
  discard: 'tasks.discard',
  find: 'tasks.find',
  'set-credential': 'setCredential',
  'show-log': 'showLog',
  'copy-task-id': 'tasks.copyId',
  'copy-request-id': 'tasks.copyRequestId',
  'copy-request': 'tasks.copyRequest',
  'copy-record': 'tasks.copyRecord',
  'copy-text': 'tasks.copyText',
};
