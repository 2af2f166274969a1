/** How long an upstream may not know a task that it made, in milliseconds: it may be new, or one replica behind. */
const graceMs = 60_000;
/** How many answers in a row have to say so. */
const minAnswers = 3;

/** The code of the failure of a task that its upstream does not have any more. */
export const missingCode = 'upstream_task_missing';

/** The tasks that their upstreams said not to know when they were asked last. */
export class MissingTasks {
  readonly #now: () => number;
  readonly #seen = new Map<string, { readonly since: number; readonly answers: number }>();

  /** @param now milliseconds of a clock that only goes on */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** The upstream does not know a task. Returns whether it said so often and long enough to be believed. */
  isGone(id: string): boolean {
    const now = this.#now();
    const { since, answers } = this.#seen.get(id) ?? { since: now, answers: 0 };
    const isGone = answers + 1 >= minAnswers && now - since >= graceMs;
    if (isGone) this.#seen.delete(id);
    else this.#seen.set(id, { since, answers: answers + 1 });
    return isGone;
  }

  /** The upstream knows a task. */
  found(id: string): void {
    this.#seen.delete(id);
  }
}
