import type { Spending, TaskUsage } from '../record/spending.ts';
import type { Task, TaskHistory } from '../record/task.ts';
import type { LedgerContext } from './ledgerContext.ts';
import { findKey } from './ledgerIds.ts';
import type { LedgerList } from './ledgerList.ts';
import type { LedgerReader } from './ledgerReader.ts';
import { sumPurchases } from './purchaseRows.ts';

/** What the ledger knows: the half of it that changes nothing. */
export class LedgerQueries {
  readonly #context: LedgerContext;
  readonly #reader: LedgerReader;
  readonly #list: LedgerList;

  constructor(context: LedgerContext, reader: LedgerReader, list: LedgerList) {
    this.#context = context;
    this.#reader = reader;
    this.#list = list;
  }

  get(key: string): Task | undefined {
    return this.#reader.get(key);
  }

  history(key: string): TaskHistory | undefined {
    return this.#reader.history(key);
  }

  /** Finds a task by its id, also one of which only the origin is known. */
  find(gateway: string, taskId: string): Task | undefined {
    const key = findKey(this.#context.database, gateway, taskId);
    return key === undefined ? undefined : this.get(key);
  }

  /** All tasks, newest first. */
  list(): readonly Task[] {
    return this.#list.read();
  }

  /** Tasks with something left to do: requests under way or of unknown outcome, polling, downloads. */
  unfinished(): readonly Task[] {
    return this.#reader.unfinished();
  }

  /** The window that created the task or sends its request. */
  owner(key: string): string | undefined {
    return this.#reader.owner(key);
  }

  /** How long the model usually takes, in milliseconds: the median of its last 20 completed tasks. */
  typicalRunMs(model: string, startedAt: number): number | undefined {
    return this.#reader.typicalRunMs(model, startedAt);
  }

  /** The requests of all windows that may cost money, those about to be sent included. */
  spending(): Spending {
    return this.#reader.spending(this.#context.now());
  }

  /** What was submitted and what it cost, also of tasks that were removed from the list. */
  usage(): readonly TaskUsage[] {
    return sumPurchases(this.#context.database);
  }
}
