import { type Database, StorageError } from '../../src/storage/database.ts';

/** The moment of a window's death, counted in its actions. */
export class WindowLife {
  #remainingSteps = Number.POSITIVE_INFINITY;
  #alive = true;
  readonly #onDeath: () => void;

  constructor(onDeath: () => void) {
    this.#onDeath = onDeath;
  }

  get alive(): boolean {
    return this.#alive;
  }

  dieAfter(steps: number): void {
    this.#remainingSteps = steps;
  }

  die(): void {
    this.#alive = false;
    this.#onDeath();
  }

  /** Whether the window is still alive for the next action. */
  step(): boolean {
    if (this.#alive && this.#remainingSteps <= 0) this.die();
    this.#remainingSteps -= 1;
    return this.#alive;
  }
}

/**
 * Makes a window die before and after each of its transactions, and the disk full. Actions of a dead window have
 * no effect: for its code the database fails.
 */
export function failWhenDead(database: Database, life: WindowLife, disk: { readonly full: boolean }): void {
  const { get, all, run, write, writeDurably } = database;
  const asDead = () => new StorageError('other', 'The window is dead.');
  const alive = <Result>(act: () => Result): Result => {
    if (!life.alive) throw asDead();
    return act();
  };
  const transacting = <Result>(act: () => Result): Result => {
    if (!life.step()) throw asDead();
    if (disk.full) throw new StorageError('full', 'database or disk is full');
    const result = act();
    if (!life.step()) throw asDead();
    return result;
  };
  Object.assign(database, {
    get: (...args: Parameters<typeof get>) => alive(() => get.apply(database, args)),
    all: (...args: Parameters<typeof all>) => alive(() => all.apply(database, args)),
    run: (...args: Parameters<typeof run>) => alive(() => run.apply(database, args)),
    write: (change: () => unknown) => transacting(() => write.call(database, change)),
    writeDurably: (change: () => unknown) => transacting(() => writeDurably.call(database, change)),
  });
}
