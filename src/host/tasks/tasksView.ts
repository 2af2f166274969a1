import * as vscode from 'vscode';
import { Throttle } from '../../base/throttle.ts';
import { groupOf, type Task, type TaskGroup } from '../../tasks/task.ts';
import type { TaskService } from '../../tasks/taskService.ts';
import { commandName, setContextKey, tasksViewId } from '../contributions.ts';
import { runningTasks } from '../counts.ts';
import { showingInView } from '../display/progress.ts';
import { countOnView, treeItem } from '../display/rows.ts';
import { failureMessage } from '../failureMessage.ts';
import type { RemoteTask, RemoteTasks } from './remoteTasks.ts';
import { remoteItem, taskItem } from './taskItems.ts';
import { groupName } from './taskWords.ts';

/** A row of the Tasks view. */
export type TasksNode =
  | { readonly kind: 'notice'; readonly item: vscode.TreeItem }
  | {
      readonly kind: 'group';
      readonly group: TaskGroup;
      /** How many there are, shown or not. */
      readonly count: number;
      readonly children: readonly TasksNode[];
    }
  | { readonly kind: 'task'; readonly key: string }
  | { readonly kind: 'remote'; readonly task: RemoteTask }
  /** Stands for those of a group that are not shown yet. */
  | { readonly kind: 'rest'; readonly group: TaskGroup; readonly count: number }
  /** Stands for those the gateway has not listed yet. */
  | { readonly kind: 'more' };

export type TaskOrder = 'newest' | 'oldest' | 'model';

const groups: readonly TaskGroup[] = ['running', 'attention', 'completed', 'failed', 'unwatched'];

/** VS Code asks for every row of an open group at once, so a long one is shown in steps. */
const rowsPerStep = 100;

/** With more running tasks than this, rows are not worth refreshing as often. */
const crowd = 100;
const refreshMs = 50;
const crowdedRefreshMs = 2000;

/** Ages and estimates of running tasks are shown anew this often. */
const tickMs = 5000;

/** The user's tasks in five groups, with those the gateway lists beside them. */
export class TasksView implements vscode.TreeDataProvider<TasksNode> {
  readonly #tasks: TaskService;
  readonly #remoteTasks: RemoteTasks;
  readonly #state: vscode.Memento;
  readonly #onDidChange = new vscode.EventEmitter<TasksNode | TasksNode[] | undefined>();
  readonly #view: vscode.TreeView<TasksNode>;
  readonly #subscriptions: vscode.Disposable[];
  readonly onDidChangeTreeData = this.#onDidChange.event;
  readonly #throttle: Throttle;
  readonly #steps = new Map<TaskGroup, number>();
  #rows = new Map<string, TasksNode>();
  #shown = new Map<string, Task>();
  #running: readonly Task[] = [];
  #filter = '';
  #endProgress: (() => void) | undefined;

  constructor(tasks: TaskService, remoteTasks: RemoteTasks, state: vscode.Memento) {
    this.#tasks = tasks;
    this.#remoteTasks = remoteTasks;
    this.#state = state;
    this.#throttle = new Throttle(
      () => this.#refresh(),
      () => (tasks.running > crowd ? crowdedRefreshMs : refreshMs),
    );
    this.#view = vscode.window.createTreeView(tasksViewId, {
      treeDataProvider: this,
      showCollapseAll: true,
      canSelectMany: true,
    });
    const tick = setInterval(() => this.#tick(), tickMs);
    this.#subscriptions = [
      tasks.onDidChange(() => this.#refreshSoon()),
      remoteTasks.onDidChange(() => this.#refreshSoon()),
      this.#view.onDidChangeVisibility(({ visible }) => {
        if (visible) this.#refreshSoon();
      }),
      new vscode.Disposable(() => clearInterval(tick)),
    ];
    this.#showContext();
  }

  /** The rows that are selected. */
  get selection(): readonly TasksNode[] {
    return this.#view.selection;
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

  /** Shows only tasks whose model, prompt, gateway or state holds every word; empty shows all. */
  filterBy(text: string): void {
    this.#filter = text.trim();
    this.#refresh();
  }

  /** Shows more rows of a group. */
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
    this.#endProgress?.();
    for (const subscription of this.#subscriptions) subscription.dispose();
    this.#view.dispose();
    this.#onDidChange.dispose();
  }

  #roots(): TasksNode[] {
    const shown = this.#sorted(this.#tasks.all.filter((task) => this.#passes(task)));
    const byGroup = Map.groupBy(shown, (task) => groupOf(task, this.#tasks.isInFlight(task)));
    const remote = Map.groupBy(this.#remote(), remoteGroup);
    const roots = groups.flatMap((group) =>
      this.#groupRows(group, byGroup.get(group) ?? [], remote.get(group) ?? []),
    );
    this.#running = byGroup.get('running') ?? [];
    return [...this.#notices(), ...roots, ...(this.#remoteTasks.hasMore ? [{ kind: 'more' } as const] : [])];
  }

  #groupRows(group: TaskGroup, own: readonly Task[], others: readonly RemoteTask[]): readonly TasksNode[] {
    const count = own.length + others.length;
    if (count === 0) return [];
    const limit = rowsPerStep * (this.#steps.get(group) ?? 1);
    const rows = own.slice(0, limit).map((task) => this.#row(task));
    const remote = others.slice(0, limit - rows.length).map((task): TasksNode => ({ kind: 'remote', task }));
    const left = count - rows.length - remote.length;
    const rest: readonly TasksNode[] = left > 0 ? [{ kind: 'rest', group, count: left }] : [];
    return [{ kind: 'group', group, count, children: [...rows, ...remote, ...rest] }];
  }

  /** The same row for the same task, so that VS Code can be told which one changed. */
  #row(task: Task): TasksNode {
    const row = this.#rows.get(task.key) ?? { kind: 'task', key: task.key };
    this.#rows.set(task.key, row);
    this.#shown.set(task.key, task);
    return row;
  }

  #taskItem(key: string): vscode.TreeItem {
    const task = this.#shown.get(key);
    if (!task) return treeItem({ id: `task/${key}`, label: '' });
    const typicalRunMs = this.#tasks.typicalRunMs(task);
    return taskItem(task, { inFlight: this.#tasks.isInFlight(task), typicalRunMs });
  }

  #remote(): readonly RemoteTask[] {
    const wanted = words(this.#filter);
    return this.#remoteTasks.tasks.filter(({ id, rawStatus }) => holds(`${id} ${rawStatus ?? ''}`, wanted));
  }

  #passes({ model, prompt, gatewayName, status, rawStatus, taskId }: Task): boolean {
    if (this.#filter === '') return true;
    return holds([model, prompt, gatewayName, status, rawStatus, taskId].join(' '), words(this.#filter));
  }

  #sorted(tasks: readonly Task[]): readonly Task[] {
    switch (this.order) {
      case 'newest':
        return tasks;
      case 'oldest':
        return tasks.toReversed();
      case 'model':
        return tasks.toSorted((a, b) => (a.model ?? '').localeCompare(b.model ?? ''));
    }
  }

  #notices(): readonly TasksNode[] {
    const { error } = this.#remoteTasks;
    return [
      ...(error && error.kind !== 'cancelled' ? [failureRow(error)] : []),
      ...(this.#filter === '' ? [] : [filterRow(this.#filter)]),
    ];
  }

  #showBadge(): void {
    const count = this.#tasks.running;
    countOnView(this.#view, count, runningTasks(count));
  }

  /** A burst of changes is shown once. */
  #refreshSoon(): void {
    this.#showProgress(this.#remoteTasks.isAsking);
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
    setContextKey('hasTasks', this.#tasks.all.length > 0 || this.#remoteTasks.tasks.length > 0);
    setContextKey('tasksFiltered', this.#filter !== '');
  }

  #showProgress(asking: boolean): void {
    if (!asking) {
      this.#endProgress?.();
      this.#endProgress = undefined;
      return;
    }
    if (this.#endProgress) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#endProgress = resolve;
    showingInView(tasksViewId, () => promise);
  }
}

const orderKey = 'tasks/order';

function remoteGroup({ status, failedAs }: RemoteTask): TaskGroup {
  if (status === 'running') return 'unwatched';
  if (status === 'completed') return 'completed';
  return failedAs === 'needs-attention' ? 'attention' : 'failed';
}

function groupItem(group: TaskGroup, count: number): vscode.TreeItem {
  return treeItem({
    id: `group/${group}`,
    label: groupName(group),
    description: String(count),
    context: 'taskGroup',
    children: group === 'unwatched' ? 'collapsed' : 'expanded',
  });
}

function restItem(group: TaskGroup, count: number): vscode.TreeItem {
  const label = vscode.l10n.t('Show more ({0})', count);
  const command = { command: commandName('tasks.showMore'), title: label, arguments: [group] };
  return treeItem({ id: `rest/${group}`, label, icon: 'ellipsis', command });
}

function moreItem(): vscode.TreeItem {
  const label = vscode.l10n.t('Load more from the gateway');
  const command = { command: commandName('tasks.loadMore'), title: label };
  return treeItem({ id: 'more', label, icon: 'ellipsis', command });
}

function failureRow(error: Parameters<typeof failureMessage>[0]): TasksNode {
  const { title, detail } = failureMessage(error);
  const item = treeItem({
    id: 'failure',
    label: title,
    icon: 'error',
    color: 'list.errorForeground',
    description: vscode.l10n.t('showing only what is kept here'),
    tooltip: detail,
    command: { command: commandName('tasks.refresh'), title },
  });
  return { kind: 'notice', item };
}

function filterRow(filter: string): TasksNode {
  const label = vscode.l10n.t('Showing only “{0}”', filter);
  const item = treeItem({
    id: 'filter',
    label,
    icon: 'filter-filled',
    description: vscode.l10n.t('click to show all'),
    command: { command: commandName('tasks.clearFilter'), title: label },
  });
  return { kind: 'notice', item };
}

function words(text: string): readonly string[] {
  return text.toLowerCase().split(/\s+/).filter(Boolean);
}

function holds(text: string, wanted: readonly string[]): boolean {
  const lower = text.toLowerCase();
  return wanted.every((word) => lower.includes(word));
}
