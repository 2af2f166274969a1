import * as vscode from 'vscode';
import { Throttle } from '../../base/throttle.ts';
import { groupOf, type Task, type TaskGroup } from '../../tasks/record/task.ts';
import { listTasks, type RemoteTask, remoteGroupOf, type TaskOrder } from '../../tasks/taskList.ts';
import type { TaskService } from '../../tasks/taskService.ts';
import { runningTasks } from '../kit/counts.ts';
import { KnownRows } from '../kit/display/knownRows.ts';
import { ViewProgress } from '../kit/display/progress.ts';
import { countOnView, treeItem } from '../kit/display/rows.ts';
import { TreeSelection } from '../kit/display/treeSelection.ts';
import { setContextKey, viewId } from '../kit/manifest/contributions.ts';
import type { RemoteTasks } from './remoteTasks.ts';
import { groupName, statusOf } from './task/taskWords.ts';
import { type TasksNode, viewRows } from './viewRows.ts';

const orderKey = 'tasks/order';

/** How many rows a group shows at a time, because VS Code asks for all rows of an open group at once. */
const rowsPerStep = 100;

/** With more running tasks than this, rows are refreshed less often. */
const crowd = 100;
const refreshMs = 50;
const crowdedRefreshMs = 2000;

/** How often the times of running tasks are refreshed, in milliseconds. */
const tickMs = 5000;

/** The Tasks view: the user's tasks in groups by their state, and those that were created elsewhere. */
export class TasksView implements vscode.TreeDataProvider<TasksNode> {
  readonly #tasks: TaskService;
  readonly #remoteTasks: RemoteTasks;
  readonly #state: vscode.Memento;
  readonly #onDidChange = new vscode.EventEmitter<TasksNode | TasksNode[] | undefined>();
  readonly #view: vscode.TreeView<TasksNode>;
  readonly #subscriptions: vscode.Disposable[];
  readonly onDidChangeTreeData = this.#onDidChange.event;
  readonly #throttle: Throttle;
  readonly #progress = new ViewProgress(viewId('tasks'));
  readonly #steps = new Map<TaskGroup, number>();
  readonly #folded = new Set<TaskGroup>(['unwatched']);
  readonly clicks = new RowClicks();
  /** The keys of the tasks that are listed now. */
  #listed: ReadonlySet<string> = new Set();
  readonly #rows = new KnownRows<TasksNode>();
  readonly #selection: TreeSelection<TasksNode>;
  #filter = '';

  constructor(tasks: TaskService, remoteTasks: RemoteTasks, state: vscode.Memento) {
    this.#tasks = tasks;
    this.#remoteTasks = remoteTasks;
    this.#state = state;
    this.#throttle = new Throttle(
      () => this.#refresh(),
      () => (tasks.running > crowd ? crowdedRefreshMs : refreshMs),
    );
    this.#view = vscode.window.createTreeView(viewId('tasks'), {
      treeDataProvider: this,
      showCollapseAll: true,
      canSelectMany: true,
    });
    this.#selection = new TreeSelection(this.#view);
    const tick = setInterval(() => this.#tick(), tickMs);
    this.#subscriptions = [
      tasks.onDidChange(() => this.#refreshSoon()),
      remoteTasks.onDidChange(() => this.#refreshSoon()),
      this.#view.onDidCollapseElement(({ element }) => this.#fold(element, true)),
      this.#view.onDidExpandElement(({ element }) => this.#fold(element, false)),
      this.#view.onDidChangeVisibility(({ visible }) => {
        if (visible) this.#refreshSoon();
      }),
      new vscode.Disposable(() => clearInterval(tick)),
    ];
    this.#showContext();
  }

  get selection(): readonly TasksNode[] {
    return this.#selection.rows;
  }

  /** The row that was just clicked. */
  clicked(): Promise<TasksNode | undefined> {
    return this.#selection.clicked();
  }

  get order(): TaskOrder {
    return this.#state.get<TaskOrder>(orderKey, 'newest');
  }

  get filter(): string {
    return this.#filter;
  }

  async sortBy(order: TaskOrder): Promise<void> {
    await this.#state.update(orderKey, order);
    this.#refresh();
  }

  /** Whether the user can see the row of a task, as far as VS Code tells. */
  shows(key: string): boolean {
    const task = this.#tasks.get(key);
    if (!task || !this.#view.visible || !this.#listed.has(key)) return false;
    return !this.#folded.has(groupOf(task, this.#tasks.isInFlight(task)));
  }

  /** Shows only tasks whose model, prompt, gateway or state contains every word. An empty text shows all. */
  filterBy(text: string): void {
    this.#filter = text.trim();
    this.#refresh();
  }

  showMore(group: TaskGroup): void {
    this.#steps.set(group, (this.#steps.get(group) ?? 1) + 1);
    this.#refresh();
  }

  getChildren(node?: TasksNode): TasksNode[] {
    if (node === undefined) this.#update();
    this.#selection.listed();
    return [...(node === undefined ? this.#rows.roots : this.#rows.childrenOf(node))];
  }

  getTreeItem(node: TasksNode): vscode.TreeItem {
    return this.#rows.itemOf(node) ?? treeItem({ id: 'gone', label: '' });
  }

  getParent(node: TasksNode): TasksNode | undefined {
    return this.#rows.parentOf(node);
  }

  dispose(): void {
    this.#throttle.dispose();
    this.#progress.show(false);
    for (const subscription of this.#subscriptions) subscription.dispose();
    this.#view.dispose();
    this.#onDidChange.dispose();
  }

  /** @returns the rows that changed; undefined when the list of groups and notices did */
  #update(): readonly TasksNode[] | undefined {
    const known = { own: this.#tasks.all, remote: this.#remoteTasks.tasks };
    const groups = listTasks(known, {
      filter: this.#filter,
      order: this.order,
      maxShown: (group) => rowsPerStep * (this.#steps.get(group) ?? 1),
      isInFlight: (task) => this.#tasks.isInFlight(task),
      stateWords: (task) => this.#stateWords(task),
    });
    this.#listed = new Set(groups.flatMap(({ own }) => own.map(({ key }) => key)));
    const { filter } = this;
    return this.#rows.update(
      viewRows({ groups, tasks: this.#tasks, remoteTasks: this.#remoteTasks, filter }),
    );
  }

  /** The heading above the row of a task, and what the row says of its state. */
  #stateWords(task: Task | RemoteTask): string {
    if (!('key' in task)) return groupName(remoteGroupOf(task));
    const inFlight = this.#tasks.isInFlight(task);
    return `${groupName(groupOf(task, inFlight))} ${statusOf(task, inFlight)}`;
  }

  #fold(node: TasksNode, isFolded: boolean): void {
    if (node.kind !== 'group') return;
    if (isFolded) this.#folded.add(node.group);
    else this.#folded.delete(node.group);
  }

  #showBadge(): void {
    const count = this.#tasks.running;
    countOnView(this.#view, count, runningTasks(count));
  }

  /** Refreshes the view soon, once for a burst of changes. */
  #refreshSoon(): void {
    this.#progress.show(this.#remoteTasks.isAsking);
    this.#throttle.schedule();
  }

  #refresh(): void {
    this.#showContext();
    this.#showBadge();
    // A hidden view asks for its rows when it is shown again.
    if (this.#view.visible) this.#fire(this.#update());
  }

  /** Counts the times of running tasks on, from what is known of them now. */
  #tick(): void {
    if (!this.#view.visible) return;
    const changed = this.#update();
    const running = this.#rows.roots.find((node) => node.kind === 'group' && node.group === 'running');
    const counted = running ? this.#rows.childrenOf(running).filter(({ kind }) => kind === 'task') : [];
    this.#fire(changed && [...new Set([...changed, ...counted])]);
  }

  #fire(changed: readonly TasksNode[] | undefined): void {
    if (changed?.length !== 0) this.#onDidChange.fire(changed && [...changed]);
  }

  #showContext(): void {
    const { all } = this.#tasks;
    const { tasks: remote, hasMore } = this.#remoteTasks;
    setContextKey('hasTasks', all.length > 0 || remote.length > 0);
    setContextKey('tasksHaveMore', hasMore);
    setContextKey('tasksFiltered', this.#filter !== '');
  }
}

/** How soon a second click follows the first, in milliseconds. */
const doubleClickMs = 500;

/** How soon VS Code opens a row after Enter, in milliseconds. */
const enterMs = 1000;

/**
 * Tells whether a row is opened to stay: by a double click or by Enter, as files are. VS Code tells an extension
 * neither, only that a row was opened.
 */
class RowClicks {
  #last: { readonly row: string; readonly at: number } | undefined;
  #enteredAt = Number.NEGATIVE_INFINITY;

  /** Enter was pressed: VS Code opens the focused row. */
  entered(): void {
    this.#enteredAt = performance.now();
  }

  /** A row was opened. Returns whether it is to stay. */
  opens(row: string): boolean {
    const at = performance.now();
    const isSecond = this.#last?.row === row && at - this.#last.at < doubleClickMs;
    const isEntered = at - this.#enteredAt < enterMs;
    this.#last = { row, at };
    this.#enteredAt = Number.NEGATIVE_INFINITY;
    return isSecond || isEntered;
  }
}
