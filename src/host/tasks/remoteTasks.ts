import * as vscode from 'vscode';
import type { RemoteTask } from '../../tasks/taskList.ts';
import type { TaskService } from '../../tasks/taskService.ts';
import type { TaskPage, TaskQuery } from '../../wire/apis/taskRecord/list.ts';
import type { GatewayError } from '../../wire/failure.ts';
import type { Connection } from '../connection/connection.ts';
import { asGatewayError } from '../connection/gatewayError.ts';
import { gatewayOf } from './task/taskGateways.ts';

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
  #asking: AbortController | undefined;

  readonly onDidChange = this.#onDidChange.event;

  constructor(connection: Connection, tasks: TaskService) {
    this.#connection = connection;
    this.#tasks = tasks;
    let gateway = this.#gateway;
    this.#subscription = connection.onDidChange(() => {
      if (gateway === this.#gateway) return;
      gateway = this.#gateway;
      this.#forget();
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

  get isAsking(): boolean {
    return this.#asking !== undefined;
  }

  /** Reads the first page again and aborts an earlier read. Never rejects: see `error`. */
  async refresh(signal?: AbortSignal): Promise<void> {
    await this.#ask({}, signal, (page) => page);
  }

  /** Reads the next page. */
  async loadMore(signal?: AbortSignal): Promise<void> {
    if (this.#next) await this.#ask(this.#next, signal, (page) => [...this.#listed, ...page]);
  }

  /** Drops a task that was deleted at the gateway since it was listed. */
  drop(gateway: string, id: string): void {
    if (gateway !== this.#gateway) return;
    this.#listed = this.#listed.filter((task) => task.id !== id);
    this.#onDidChange.fire();
  }

  find(id: string): RemoteTask | undefined {
    return this.#listed.find((task) => task.id === id);
  }

  dispose(): void {
    this.#asking?.abort();
    this.#subscription.dispose();
    this.#onDidChange.dispose();
  }

  get #gateway(): string | undefined {
    const { gateway } = this.#connection.state;
    return gateway && gatewayOf(gateway);
  }

  async #ask(
    query: TaskQuery,
    signal: AbortSignal | undefined,
    merge: (page: readonly RemoteTask[]) => readonly RemoteTask[],
  ): Promise<void> {
    const { gateway } = this.#connection.state;
    if (!gateway) return;
    this.#asking?.abort();
    const own = new AbortController();
    this.#asking = own;
    this.#onDidChange.fire();
    try {
      const client = await this.#connection.client();
      const signals = AbortSignal.any([own.signal, ...(signal ? [signal] : [])]);
      const page = await client.listTaskPage({ limit: String(pageSize), ...query }, { signal: signals });
      if (own.signal.aborted) return;
      this.#take(page, merge);
    } catch (error) {
      if (own.signal.aborted) return;
      this.#error = asGatewayError(error, gateway);
    }
    this.#asking = undefined;
    this.#onDidChange.fire();
  }

  /** Takes a page over. One without new tasks is the last, even if it names another. */
  #take(page: TaskPage, merge: (page: readonly RemoteTask[]) => readonly RemoteTask[]): void {
    const before = this.#listed.length;
    const named = page.tasks.filter((task): task is RemoteTask => task.id !== undefined);
    const merged = new Map(merge(named).map((task) => [task.id, task]));
    const grew = merged.size > before || this.#next === undefined;
    this.#listed = [...merged.values()];
    this.#next = grew ? page.next : undefined;
    this.#error = undefined;
  }

  #forget(): void {
    this.#asking?.abort();
    this.#asking = undefined;
    this.#listed = [];
    this.#next = undefined;
    this.#error = undefined;
    this.#onDidChange.fire();
  }
}
