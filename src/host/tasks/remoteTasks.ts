import * as vscode from 'vscode';
import type { RemoteTask } from '../../tasks/record/task.ts';
import type { TaskService } from '../../tasks/taskService.ts';
import type { TaskPage, TaskQuery } from '../../wire/apis/taskRecord/decodeTaskList.ts';
import type { GatewayError } from '../../wire/failures/gatewayError.ts';
import type { Connection } from '../connection/connection.ts';
import { toGatewayError } from '../connection/unsentError.ts';
import { toLedgerGatewayId } from './task/taskGateways.ts';

const pageSize = 50;

/** The current gateway's tasks that are not in the ledger: created elsewhere, or removed from the list. */
export class RemoteTasks {
  readonly #connection: Connection;
  readonly #tasks: TaskService;
  readonly #onDidChange = new vscode.EventEmitter<void>();
  readonly #subscription: vscode.Disposable;
  #listed: readonly RemoteTask[] = [];
  #next: TaskQuery | undefined;
  #error: GatewayError | undefined;
  #reading: AbortController | undefined;

  readonly onDidChange = this.#onDidChange.event;

  constructor(connection: Connection, tasks: TaskService) {
    this.#connection = connection;
    this.#tasks = tasks;
    let gateway = this.#gateway;
    this.#subscription = connection.onDidChange(() => {
      if (gateway === this.#gateway) return;
      gateway = this.#gateway;
      this.#clear();
    });
  }

  /** The tasks of the last list that are not in the ledger. */
  get tasks(): readonly RemoteTask[] {
    const gateway = this.#gateway;
    if (gateway === undefined) return this.#listed;
    return this.#listed.filter(({ id }) => !this.#tasks.find(gateway, id));
  }

  /** The failure of the last read, if it failed. */
  get error(): GatewayError | undefined {
    return this.#error;
  }

  get hasMore(): boolean {
    return this.#next !== undefined;
  }

  get isReading(): boolean {
    return this.#reading !== undefined;
  }

  /** Reads the first page again and aborts an earlier read. Never rejects: see `error`. */
  async refresh(signal?: AbortSignal): Promise<void> {
    await this.#readPage({}, signal, true);
  }

  /** Reads the next page. */
  async loadMore(signal?: AbortSignal): Promise<void> {
    if (this.#next) await this.#readPage(this.#next, signal, false);
  }

  /** Removes a task that was deleted at the gateway from the list. */
  drop(gateway: string, id: string): void {
    if (gateway !== this.#gateway) return;
    this.#listed = this.#listed.filter((task) => task.id !== id);
    this.#onDidChange.fire();
  }

  find(id: string): RemoteTask | undefined {
    return this.#listed.find((task) => task.id === id);
  }

  dispose(): void {
    this.#reading?.abort();
    this.#subscription.dispose();
    this.#onDidChange.dispose();
  }

  get #gateway(): string | undefined {
    const { gateway } = this.#connection.state;
    return gateway && toLedgerGatewayId(gateway);
  }

  async #readPage(query: TaskQuery, signal: AbortSignal | undefined, isFirst: boolean): Promise<void> {
    const { gateway } = this.#connection.state;
    if (!gateway) return;
    this.#reading?.abort();
    const controller = new AbortController();
    this.#reading = controller;
    this.#onDidChange.fire();
    try {
      const client = await this.#connection.getClient();
      const signals = AbortSignal.any([controller.signal, ...(signal ? [signal] : [])]);
      const page = await client.listTaskPage({ limit: String(pageSize), ...query }, { signal: signals });
      if (controller.signal.aborted) return;
      this.#addPage(page, isFirst);
    } catch (error) {
      if (controller.signal.aborted) return;
      this.#error = toGatewayError(error, gateway);
    }
    this.#reading = undefined;
    this.#onDidChange.fire();
  }

  /**
   * Replaces the list by its first page, or appends a page. A page without new tasks is the last page, even if it
   * refers to a next page.
   */
  #addPage(page: TaskPage, isFirst: boolean): void {
    const earlierTasks = isFirst ? [] : this.#listed;
    const identified = page.tasks.filter((task): task is RemoteTask => task.id !== undefined);
    const merged = new Map([...earlierTasks, ...identified].map((task) => [task.id, task]));
    this.#listed = [...merged.values()];
    this.#next = isFirst || merged.size > earlierTasks.length ? page.next : undefined;
    this.#error = undefined;
  }

  #clear(): void {
    this.#reading?.abort();
    this.#reading = undefined;
    this.#listed = [];
    this.#next = undefined;
    this.#error = undefined;
    this.#onDidChange.fire();
  }
}
