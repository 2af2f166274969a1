import * as vscode from 'vscode';
import { isObject } from '../../base/json.ts';
import { type FromTaskPage, fromTaskPage, type TaskView, type ToTaskPage } from '../../protocol/taskPage.ts';
import type { Task } from '../../tasks/record/task.ts';
import type { TaskService } from '../../tasks/taskService.ts';
import { renameTab } from '../kit/display/editorTabs.ts';
import { runCommand, setContextKey } from '../kit/manifest/contributions.ts';
import { Page, type PageFrame } from '../kit/pages/page.ts';
import type { PanelKind } from '../kit/pages/panels.ts';
import { listMediaFolders, type MediaViews } from './task/mediaViews.ts';
import { findCommand } from './task/taskActions.ts';
import { createTaskView } from './task/taskView.ts';
import { createTitle } from './task/taskWords.ts';

/** The options for opening a task page. */
export interface TaskOpening {
  /** The task's key in the ledger. */
  readonly key: string;
  /** Whether the next preview replaces the tab, as with files. */
  readonly isPreview?: boolean;
}

/**
 * The editor tab of a task. Shows the data of the ledger and updates with it. The preview tab can show any task.
 */
export class TaskPanel {
  readonly panel: vscode.WebviewPanel;
  readonly #tasks: TaskService;
  readonly #media: MediaViews;
  readonly #page: Page<FromTaskPage, ToTaskPage>;
  #key: string;
  #isPreview: boolean;

  constructor(frame: PageFrame, opening: TaskOpening, tasks: TaskService, media: MediaViews) {
    this.panel = frame.panel;
    this.#key = opening.key;
    this.#isPreview = opening.isPreview === true;
    this.#tasks = tasks;
    this.#media = media;
    this.#page = new Page(frame, {
      // Ignore unknown actions: the page is untrusted (T13).
      messages: fromTaskPage.refine((message) => message.type === 'ready' || findCommand(message.action)),
      state: () => this.#createState(),
      handle: ({ action, result }) => this.#runAction(action, result),
      folders: this.#listFolders(),
    });
    this.#page.addDisposables(
      tasks.onDidChange((changed) => {
        if (changed === undefined || changed === this.#key) this.#showTask();
      }),
      media.onDidRead(() => this.#page.postStateSoon()),
      this.panel.onDidChangeViewState(() => this.#updatePreviewContext()),
      new vscode.Disposable(() => this.keepOpen()),
    );
    this.#showTitle();
    this.#updatePreviewContext();
  }

  get key(): string {
    return this.#key;
  }

  get isPreview(): boolean {
    return this.#isPreview;
  }

  /** Shows another task in this tab. */
  show(key: string): void {
    this.#key = key;
    this.#showTask();
  }

  /** Turns the preview into a permanent tab of its task. */
  keepOpen(): void {
    if (!this.#isPreview) return;
    this.#isPreview = false;
    setContextKey('taskPreview', false);
  }

  /** Sets the context key for the menus: whether the active page is the preview. */
  #updatePreviewContext(): void {
    if (this.#isPreview) setContextKey('taskPreview', this.panel.active);
  }

  #runAction(action: string, result: number | undefined): unknown {
    const command = findCommand(action);
    return command && runCommand(command, { kind: 'task', key: this.#key, result, action });
  }

  /** Shows the task, or closes the tab of a task that was removed. */
  #showTask(): void {
    if (!this.#task) {
      this.panel.dispose();
      return;
    }
    this.#page.allow(this.#listFolders());
    this.#showTitle();
    this.#page.postStateSoon();
  }

  #createState(): { readonly type: 'state'; readonly state: TaskView } | undefined {
    const task = this.#task;
    const history = this.#tasks.readHistory(this.#key);
    if (!task || !history) return undefined;
    const state = createTaskView(task, history, {
      isInFlight: this.#tasks.isInFlight(task),
      progress: this.#tasks.findProgress(task),
      media: (result) => this.#media.find(result, this.panel.webview),
      received: (result) => this.#tasks.findDownloadProgress(task.key, result.index),
    });
    return { type: 'state', state };
  }

  get #task(): Task | undefined {
    return this.#tasks.get(this.#key);
  }

  #listFolders(): readonly vscode.Uri[] {
    return listMediaFolders(this.#tasks.resultsFolder, this.#task?.results ?? []);
  }

  #showTitle(): void {
    const task = this.#task;
    if (task) renameTab(this.panel, createTitle(task));
  }
}

/** Finds the page that shows the task. If there is none, a preview reuses the current preview page. */
function findReusable(open: readonly TaskPanel[], { key, isPreview }: TaskOpening): TaskPanel | undefined {
  const shownPage = open.find((page) => page.key === key);
  if (shownPage) {
    if (!isPreview) shownPage.keepOpen();
    return shownPage;
  }
  const preview = isPreview ? open.find((page) => page.isPreview) : undefined;
  preview?.show(key);
  return preview;
}

/** Describes task panels: one for each task and one preview. A restored panel is not a preview. */
export function describeTaskPanels(tasks: TaskService, media: MediaViews): PanelKind<TaskPanel, TaskOpening> {
  return {
    title: ({ key }) => {
      const task = tasks.get(key);
      return task ? createTitle(task) : vscode.l10n.t('Task');
    },
    reuse: findReusable,
    readId: ({ key }) => key,
    // A restored tab is not the preview, because there is only one.
    create: (frame, { key, isPreview }, wasOpen) =>
      new TaskPanel(frame, { key, isPreview: isPreview === true && !wasOpen }, tasks, media),
    async restore(storedState) {
      const key = isObject(storedState) ? storedState.key : undefined;
      await tasks.open().catch(() => undefined);
      return typeof key === 'string' && tasks.get(key) ? { key } : undefined;
    },
  };
}
