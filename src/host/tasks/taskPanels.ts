import * as vscode from 'vscode';
import type { TaskService } from '../../tasks/taskService.ts';
import { taskPanelType } from '../contributions.ts';
import { openTab } from '../display/tabs.ts';
import type { Log } from '../log.ts';
import type { MediaViews } from './mediaViews.ts';
import { TaskPanel } from './taskPanel.ts';
import { taskTitle } from './taskWords.ts';

interface RememberedPage {
  readonly key?: unknown;
}

/** The open task pages, one for each task. A window that is loaded anew opens them again. */
export class TaskPanels implements vscode.WebviewPanelSerializer {
  readonly #context: vscode.ExtensionContext;
  readonly #tasks: TaskService;
  readonly #media: MediaViews;
  readonly #log: Log;
  readonly #pages = new Map<string, TaskPanel>();
  readonly #serializer: vscode.Disposable;

  constructor(context: vscode.ExtensionContext, tasks: TaskService, media: MediaViews, log: Log) {
    this.#context = context;
    this.#tasks = tasks;
    this.#media = media;
    this.#log = log;
    this.#serializer = vscode.window.registerWebviewPanelSerializer(taskPanelType, this);
  }

  /** The task whose page is in front. */
  get active(): string | undefined {
    return [...this.#pages.values()].find(({ panel }) => panel.active)?.key;
  }

  /** Whether the user can see this task's page right now. */
  isSeen(key: string): boolean {
    return vscode.window.state.focused && this.#pages.get(key)?.panel.visible === true;
  }

  open(key: string): void {
    const page = this.#pages.get(key);
    if (page) {
      page.panel.reveal();
      return;
    }
    const task = this.#tasks.get(key);
    const title = task ? taskTitle(task) : vscode.l10n.t('Task');
    const panel = openTab(taskPanelType, title, {
      enableScripts: true,
      localResourceRoots: [],
    });
    this.#add(panel, key);
  }

  async deserializeWebviewPanel(panel: vscode.WebviewPanel, remembered: RememberedPage): Promise<void> {
    const { key } = remembered ?? {};
    await this.#tasks.open().catch(() => undefined);
    if (typeof key === 'string' && this.#tasks.get(key) && !this.#pages.has(key)) this.#add(panel, key);
    else panel.dispose();
  }

  dispose(): void {
    this.#serializer.dispose();
    for (const { panel } of this.#pages.values()) panel.dispose();
  }

  #add(panel: vscode.WebviewPanel, key: string): void {
    const { extensionUri } = this.#context;
    const dist = vscode.Uri.joinPath(extensionUri, 'dist');
    panel.iconPath = {
      light: vscode.Uri.joinPath(extensionUri, 'media', 'task-light.svg'),
      dark: vscode.Uri.joinPath(extensionUri, 'media', 'task-dark.svg'),
    };
    this.#pages.set(key, new TaskPanel(panel, key, dist, this.#tasks, this.#media, this.#log));
    panel.onDidDispose(() => this.#pages.delete(key));
  }
}
