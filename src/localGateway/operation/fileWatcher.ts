import { type Stats, statSync } from 'node:fs';
import { stat } from 'node:fs/promises';

/** The interval between two checks of the file, in milliseconds. */
const checkIntervalMs = 1_000;

/**
 * Detects changes of a file since the watcher was created. Create the watcher before the file is read for the first
 * time.
 */
export class FileWatcher {
  readonly #path: string;
  #lastState: string;
  #timer: NodeJS.Timeout | undefined;

  constructor(path: string) {
    this.#path = path;
    this.#lastState = describeState(readStats(path));
  }

  /** @param onChange called after each change; several changes within a second count as one */
  watch(onChange: () => void): void {
    this.#timer = setInterval(() => void this.#check(onChange), checkIntervalMs).unref();
  }

  dispose(): void {
    clearInterval(this.#timer);
  }

  async #check(onChange: () => void): Promise<void> {
    const state = describeState(await stat(this.#path).catch(() => undefined));
    if (state === this.#lastState) return;
    this.#lastState = state;
    onChange();
  }
}

function readStats(path: string): Stats | undefined {
  try {
    return statSync(path);
  } catch {
    return undefined;
  }
}

/** Includes the inode, because some editors replace the file. */
function describeState(file: Stats | undefined): string {
  return file ? `${file.ino} ${file.size} ${file.mtimeMs}` : '';
}
