import type * as vscode from 'vscode';
import { Throttle } from '../../base/throttle.ts';
import { findTaskGroup, type RemoteTask, type Task, type TaskGroup } from '../../tasks/record/task.ts';
import { findRemoteGroup, groupTasks, type TaskOrder } from '../../tasks/taskGroups.ts';
import type { TaskService } from '../../tasks/taskService.ts';
import { formatRunningTasks } from '../kit/countWords.ts';
import { ViewProgress } from '../kit/display/progress.ts';
import { RowView } from '../kit/display/rowView.ts';
import { showViewCount } from '../kit/display/treeRows.ts';
import { setContextKey, viewId } from '../kit/manifest/contributions.ts';
import type { RemoteTasks } from './remoteTasks.ts';
import { describeStatus, nameGroup } from './task/taskWords.ts';
import { createRows, type TasksNode } from './tasksViewRows.ts';

const orderKey = 'tasks/order';

/** The number of rows that a group shows at a time, because VS Code requests all rows of an open group at once. */
const rowsPerStep = 100;

/** With more running tasks, rows are refreshed less often. Intervals are in milliseconds. */
const manyRunningCount = 100;
const refreshMs = 50;
const slowRefreshMs = 2000;

/** The interval in milliseconds for refreshing the times of running tasks. */
const tickMs = 5000;

/** The Tasks view: the user's tasks in groups by their state, and tasks that were created elsewhere. */
export class TasksView extends RowView<TasksNode> {
  readonly #tasks: TaskService;
  readonly #remoteTasks: RemoteTasks;
  readonly #state: vscode.Memento;
  readonly #throttle: Throttle;
  readonly #progress = new ViewProgress(viewId('tasks'));
  readonly #steps = new Map<TaskGroup, number>();
  readonly #collapsed = new Set<TaskGroup>(['unwatched']);
  readonly clicks = new RowClicks();
  /** The keys of the currently listed tasks. */
  #listed: ReadonlySet<string> = new Set();
  #filter = '';

  constructor(tasks: TaskService, remoteTasks: RemoteTasks, state: vscode.Memento) {
    super('tasks', { showCollapseAll: true, canSelectMany: true });
    this.#tasks = tasks;
    this.#remoteTasks = remoteTasks;
    this.#state = state;
    this.#throttle = new Throttle(
      () => this.#refresh(),
      () => (tasks.runningCount > manyRunningCount ? slowRefreshMs : refreshMs),
    );
    const tick = setInterval(() => this.#tick(), tickMs);
    this.addDisposables(
      tasks.onDidChange(() => this.#refreshSoon()),
      remoteTasks.onDidChange(() => this.#refreshSoon()),
      this.view.onDidCollapseElement(({ element }) => this.#setCollapsed(element, true)),
      this.view.onDidExpandElement(({ element }) => this.#setCollapsed(element, false)),
      this.view.onDidChangeVisibility(({ visible }) => {
        if (visible) this.#refreshSoon();
      }),
      { dispose: () => clearInterval(tick) },
      { dispose: () => this.#progress.show(false) },
      this.#throttle,
    );
    this.#showContext();
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

  /** Whether the user can see the row of a task, as far as VS Code reports it. */
  isRowVisible(key: string): boolean {
    const task = this.#tasks.get(key);
    if (!task || !this.view.visible || !this.#listed.has(key)) return false;
    return !this.#collapsed.has(findTaskGroup(task, this.#tasks.isInFlight(task)));
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
    return this.listChildren(node);
  }

  /** @returns the changed rows; undefined if the list of groups and notices changed */
  #update(): readonly TasksNode[] | undefined {
    const tasks = { own: this.#tasks.all, remote: this.#remoteTasks.tasks };
    const groups = groupTasks(tasks, {
      filter: this.#filter,
      order: this.order,
      maxShown: (group) => rowsPerStep * (this.#steps.get(group) ?? 1),
      isInFlight: (task) => this.#tasks.isInFlight(task),
      stateWords: (task) => this.#describeState(task),
    });
    this.#listed = new Set(groups.flatMap(({ own }) => own.map(({ key }) => key)));
    const { filter } = this;
    return this.rows.update(
      createRows({ groups, tasks: this.#tasks, remoteTasks: this.#remoteTasks, filter }),
    );
  }

  /** Returns the texts of a task's state that the filter searches: the heading of its group, and the state. */
  #describeState(task: Task | RemoteTask): string {
    if (!('key' in task)) return nameGroup(findRemoteGroup(task));
    const isInFlight = this.#tasks.isInFlight(task);
    return `${nameGroup(findTaskGroup(task, isInFlight))} ${describeStatus(task, isInFlight)}`;
  }

  #setCollapsed(node: TasksNode, isCollapsed: boolean): void {
    if (node.kind !== 'group') return;
    if (isCollapsed) this.#collapsed.add(node.group);
    else this.#collapsed.delete(node.group);
  }

  /** Refreshes the view soon, once for a burst of changes. */
  #refreshSoon(): void {
    this.#progress.show(this.#remoteTasks.isReading);
    this.#throttle.schedule();
  }

  #refresh(): void {
    const { runningCount } = this.#tasks;
    this.#showContext();
    showViewCount(this.view, runningCount, formatRunningTasks(runningCount));
    // A hidden view requests its rows when it is shown again.
    if (this.view.visible) this.redraw(this.#update());
  }

  /** Updates the times of running tasks, from the current data. */
  #tick(): void {
    if (!this.view.visible) return;
    const changed = this.#update();
    const running = this.rows.roots.find((node) => node.kind === 'group' && node.group === 'running');
    const runningTaskNodes = running
      ? this.rows.findChildren(running).filter(({ kind }) => kind === 'task')
      : [];
    this.redraw(changed && [...new Set([...changed, ...runningTaskNodes])]);
  }

  #showContext(): void {
    const { all } = this.#tasks;
    const { tasks: remote, hasMore } = this.#remoteTasks;
    setContextKey('hasTasks', all.length > 0 || remote.length > 0);
    setContextKey('tasksHaveMore', hasMore);
    setContextKey('tasksFiltered', this.#filter !== '');
  }
}

/** The maximum time between the clicks of a double click, in milliseconds. */
const doubleClickMs = 500;

/** The maximum time until VS Code opens a row after Enter, in milliseconds. */
const enterMs = 1000;

/**
 * Decides whether a row opens a permanent tab or a preview. As with files, a double click or Enter opens a permanent
 * tab. VS Code reports only that a row was opened, and not how.
 */
class RowClicks {
  #last: { readonly row: string; readonly time: number } | undefined;
  #enteredAt = Number.NEGATIVE_INFINITY;

  /** Call it when the user pressed Enter, before VS Code opens the focused row. */
  recordEnter(): void {
    this.#enteredAt = performance.now();
  }

  /** Call it when a row was opened. Returns whether the row opens a permanent tab. */
  recordOpening(row: string): boolean {
    const time = performance.now();
    const isSecond = this.#last?.row === row && time - this.#last.time < doubleClickMs;
    const isEntered = time - this.#enteredAt < enterMs;
    this.#last = { row, time };
    this.#enteredAt = Number.NEGATIVE_INFINITY;
    return isSecond || isEntered;
  }
}
