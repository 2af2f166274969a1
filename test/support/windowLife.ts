import { type Database, StorageError } from '../../src/storage/database.ts';

/** Lets a window die after a number of actions. */
export class WindowLife {
  #remainingSteps = Number.POSITIVE_INFINITY;
  #isAlive = true;
  readonly #onDeath: () => void;

  constructor(onDeath: () => void) {
    this.#onDeath = onDeath;
  }

  get isAlive(): boolean {
    return this.#isAlive;
  }

  dieAfter(steps: number): void {
    this.#remainingSteps = steps;
  }

  die(): void {
    this.#isAlive = false;
    this.#onDeath();
  }

  /** Counts an action. @returns whether the window is still alive for it */
  step(): boolean {
    if (this.#isAlive && this.#remainingSteps <= 0) this.die();
    this.#remainingSteps -= 1;
    return this.#isAlive;
  }
}

/**
 * Makes a window die before and after each of its transactions, and the disk full. Actions of a dead window have
 * no effect: for its code the database fails.
 */
export function failWhenDead(database: Database, life: WindowLife, disk: { readonly full: boolean }): void {
  const { get, all, run, write, writeDurably } = database;
  const createDeadError = () => new StorageError('other', 'The window is dead.');
  const runIfAlive = <Result>(act: () => Result): Result => {
    if (!life.isAlive) throw createDeadError();
    return act();
  };
  const runTransaction = <Result>(act: () => Result): Result => {
    if (!life.step()) throw createDeadError();
    if (disk.full) throw new StorageError('full', 'database or disk is full');
    const result = act();
    if (!life.step()) throw createDeadError();
    return result;
  };
  Object.assign(database, {
    get: (...args: Parameters<typeof get>) => runIfAlive(() => get.apply(database, args)),
    all: (...args: Parameters<typeof all>) => runIfAlive(() => all.apply(database, args)),
    run: (...args: Parameters<typeof run>) => runIfAlive(() => run.apply(database, args)),
    write: (change: () => unknown) => runTransaction(() => write.call(database, change)),
    writeDurably: (change: () => unknown) => runTransaction(() => writeDurably.call(database, change)),
  });
}
