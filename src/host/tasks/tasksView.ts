import * as vscode from 'vscode';
import { Throttle } from '../../base/throttle.ts';
import { groupOf, type Task, type TaskGroup } from '../../tasks/task.ts';
import {
  type ListedGroup,
  listTasks,
  type RemoteTask,
  remoteGroupOf,
  type TaskOrder,
} from '../../tasks/taskList.ts';
import type { TaskService } from '../../tasks/taskService.ts';
import { setContextKey, viewId } from '../contributions.ts';
import { runningTasks } from '../counts.ts';
import { ViewProgress } from '../display/progress.ts';
import { countOnView, treeItem } from '../display/rows.ts';
import type { RemoteTasks } from './remoteTasks.ts';
import { RowClicks } from './rowClicks.ts';
import { actionsForAny } from './taskActions.ts';
import { remoteItem, taskItem } from './taskItems.ts';
import { groupName, statusOf } from './taskWords.ts';
import { failureItem, filterItem, groupItem, moreItem, restItem } from './viewItems.ts';

/** A row of the Tasks view. */
export type TasksNode =
  | { readonly kind: 'notice'; readonly item: vscode.TreeItem }
  | {
      readonly kind: 'group';
      readonly group: TaskGroup;
      /** The number of its tasks, including those not shown. */
      readonly count: number;
      readonly children: readonly TasksNode[];
    }
  | { readonly kind: 'task'; readonly key: string }
  | { readonly kind: 'remote'; readonly task: RemoteTask }
  /** The tasks of a group that are not shown yet. */
  | { readonly kind: 'rest'; readonly group: TaskGroup; readonly count: number }
  /** The tasks that were not listed yet. */
  | { readonly kind: 'more' };

const orderKey = 'tasks/order';

/** How many rows a group shows at a time, because VS Code asks for all rows of an open group at once. */
const rowsPerStep = 100;

/** With more running tasks than this, rows are refreshed less often. */
const crowd = 100;
const refreshMs = 50;
const crowdedRefreshMs = 2000;

/** How long VS Code takes at most until it knows the rows again, in milliseconds. */
const maxRefreshMs = 2000;

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
  #rows = new Map<string, TasksNode>();
  #shown = new Map<string, Task>();
  #running: readonly Task[] = [];
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
    return this.#view.selection;
  }

  /** The row that was just clicked. VS Code forgets all rows while it refreshes the view, and names them again soon. */
  async clicked(): Promise<TasksNode | undefined> {
    for (let waited = 0; this.selection.length === 0 && waited < maxRefreshMs; waited += refreshMs) {
      await new Promise((resolve) => setTimeout(resolve, refreshMs));
    }
    return this.selection[0];
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
    if (node === undefined) return this.#roots();
    return node.kind === 'group' ? [...node.children] : [];
  }

  getTreeItem(node: TasksNode): vscode.TreeItem {
    switch (node.kind) {
      case 'notice':
        return node.item;
      case 'group':
        return groupItem(node.group, node.count);
      case 'task':
        return this.#taskItem(node.key);
      case 'remote':
        return remoteItem(node.task);
      case 'rest':
        return restItem(node.group, node.count);
      case 'more':
        return moreItem();
    }
  }

  getParent(node: TasksNode): TasksNode | undefined {
    return this.#roots().find((root) => root.kind === 'group' && root.children.includes(node));
  }

  dispose(): void {
    this.#throttle.dispose();
    this.#progress.show(false);
    for (const subscription of this.#subscriptions) subscription.dispose();
    this.#view.dispose();
    this.#onDidChange.dispose();
  }

  #roots(): TasksNode[] {
    const known = { own: this.#tasks.all, remote: this.#remoteTasks.tasks };
    const groups = listTasks(known, {
      filter: this.#filter,
      order: this.order,
      maxShown: (group) => rowsPerStep * (this.#steps.get(group) ?? 1),
      isInFlight: (task) => this.#tasks.isInFlight(task),
      stateWords: (task) => this.#stateWords(task),
    });
    this.#listed = new Set(groups.flatMap(({ own }) => own.map(({ key }) => key)));
    this.#running = groups.find(({ group }) => group === 'running')?.own ?? [];
    const more: readonly TasksNode[] = this.#remoteTasks.hasMore ? [{ kind: 'more' }] : [];
    return [...this.#notices(), ...groups.map((group) => this.#groupNode(group)), ...more];
  }

  /** The heading above the row of a task, and what the row says of its state. */
  #stateWords(task: Task | RemoteTask): string {
    if (!('key' in task)) return groupName(remoteGroupOf(task));
    const inFlight = this.#tasks.isInFlight(task);
    return `${groupName(groupOf(task, inFlight))} ${statusOf(task, inFlight)}`;
  }

  #groupNode({ group, count, own, remote }: ListedGroup): TasksNode {
    const rows = own.map((task) => this.#row(task));
    const remoteRows = remote.map((task): TasksNode => ({ kind: 'remote', task }));
    const left = count - own.length - remote.length;
    const rest: readonly TasksNode[] = left > 0 ? [{ kind: 'rest', group, count: left }] : [];
    return { kind: 'group', group, count, children: [...rows, ...remoteRows, ...rest] };
  }

  /** Returns the same object for the same task, so that VS Code knows which row changed. */
  #row(task: Task): TasksNode {
    const row = this.#rows.get(task.key) ?? { kind: 'task', key: task.key };
    this.#rows.set(task.key, row);
    this.#shown.set(task.key, task);
    return row;
  }

  #taskItem(key: string): vscode.TreeItem {
    const task = this.#shown.get(key);
    if (!task) return treeItem({ id: `task/${key}`, label: '' });
    const progress = this.#tasks.runProgress(task);
    return taskItem(task, { inFlight: this.#tasks.isInFlight(task), progress });
  }

  #fold(node: TasksNode, isFolded: boolean): void {
    if (node.kind !== 'group') return;
    if (isFolded) this.#folded.add(node.group);
    else this.#folded.delete(node.group);
  }

  #notices(): readonly TasksNode[] {
    const { error } = this.#remoteTasks;
    const items = [
      ...(error && error.kind !== 'cancelled' ? [failureItem(error)] : []),
      ...(this.#filter === '' ? [] : [filterItem(this.#filter)]),
    ];
    return items.map((item) => ({ kind: 'notice', item }));
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
    if (this.#view.visible) this.#onDidChange.fire(undefined);
  }

  #tick(): void {
    const rows = this.#running.flatMap(({ key }) => this.#rows.get(key) ?? []);
    if (this.#view.visible && rows.length > 0) this.#onDidChange.fire(rows);
  }

  #showContext(): void {
    const { all } = this.#tasks;
    const { tasks: remote, hasMore } = this.#remoteTasks;
    setContextKey('hasTasks', all.length > 0 || remote.length > 0);
    setContextKey('hasRemoteTasks', remote.length > 0);
    setContextKey('tasksHaveMore', hasMore);
    setContextKey('taskActions', actionsForAny(all, (task) => this.#tasks.isInFlight(task)).join(' '));
    setContextKey('tasksFiltered', this.#filter !== '');
  }
}
