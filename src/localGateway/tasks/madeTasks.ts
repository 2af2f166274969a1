import { setTimeout as wait } from 'node:timers/promises';
import type { JsonObject } from '../../base/json.ts';
import { systemClock } from '../../base/node/clock.ts';
import { StorageError } from '../../storage/database.ts';
import { whenFree } from '../../storage/whenFree.ts';
import type { TaskFormat, Upstream } from '../upstreams/upstream.ts';
import type { RemoteTask } from './remoteTask.ts';
import { notKept, unreadable } from './taskFailures.ts';
import type { TaskFile } from './taskFile.ts';
import { taskForms } from './taskForms.ts';
import type { TaskReadings } from './taskReadings.ts';
import { isRemote } from './taskState.ts';

/** How long a file that could not be written is left alone, in milliseconds. */
const tryAgainMs = 2_000;
/** The same for a locked file while the caller waits. */
const storePauseMs = 100;

/** Who was asked for a task, and in which format. */
interface Asked {
  readonly upstream: Upstream;
  readonly format: TaskFormat;
}

/** A task that an upstream made. */
interface Made extends Asked {
  /** The gateway's own. */
  readonly id: string;
  readonly upstreamId: string;
  readonly record: JsonObject;
}

/** Keeps what upstreams made: the id before all else, and later where it cannot be kept at once. */
export class MadeTasks {
  readonly #file: Pick<TaskFile, 'open'>;
  readonly #readings: Pick<TaskReadings, 'learn'>;
  readonly #life: AbortSignal;
  /** What is kept as soon as the file can be written again. */
  readonly #late = new Set<Promise<void>>();

  /** @param life aborted when the gateway ends */
  constructor(file: Pick<TaskFile, 'open'>, readings: Pick<TaskReadings, 'learn'>, life: AbortSignal) {
    this.#file = file;
    this.#readings = readings;
    this.#life = life;
  }

  /**
   * Stores what was made, by the upstream's record of it.
   *
   * @param id the gateway's own
   * @throws {HttpError} when the record names none, and when it cannot be stored yet
   */
  async keep(id: string, { format, upstream }: Asked, record: JsonObject | undefined): Promise<RemoteTask> {
    const upstreamId = record && taskForms[format].idIn(record);
    if (!record || upstreamId === undefined) throw unreadable(id, upstream);
    const made = { id, upstreamId, record, format, upstream };
    try {
      const task = await whenFree(() => this.#store(made), systemClock, storePauseMs);
      if (task) return task;
    } catch (error) {
      if (!(error instanceof StorageError)) throw error;
      const storing = this.#storeLater(made).finally(() => this.#late.delete(storing));
      this.#late.add(storing);
      throw notKept(made, error);
    }
    throw unreadable(id, upstream);
  }

  /** Resolves when nothing waits to be stored, which is soon once the gateway ends. */
  async settled(): Promise<void> {
    await Promise.allSettled(this.#late);
  }

  /** @returns undefined when the task was deleted meanwhile */
  async #store({ id, upstreamId, record, upstream }: Made): Promise<RemoteTask | undefined> {
    const before = this.#file.open().get(id);
    if (!before || !isRemote(before)) return undefined;
    const learned = await this.#readings
      .learn({ ...before, upstreamId }, record, upstream)
      .catch((error: unknown) => {
        if (error instanceof StorageError) throw error;
      });
    if (learned) return learned;
    // The id is what was paid for. The rest is read again.
    const { told } = before;
    const after = this.#file.open().change(id, { status: 'running', told, upstreamId });
    return after && isRemote(after) ? after : undefined;
  }

  async #storeLater(made: Made): Promise<void> {
    for (let isKept = false; !isKept; ) {
      const isEnding = await wait(tryAgainMs, false, { signal: this.#life }).catch(() => true);
      isKept = await this.#store(made).then(
        () => true,
        (error: unknown) => isEnding || !(error instanceof StorageError),
      );
    }
  }
}
