import { type Stats, statSync } from 'node:fs';
import { stat } from 'node:fs/promises';

/** How often it is looked at, in milliseconds. */
const lookMs = 1_000;

/** A file whose changes are noticed from the moment on at which this is made, which goes before the first read. */
export class FollowedFile {
  readonly #path: string;
  #seen: string;
  #timer: NodeJS.Timeout | undefined;

  constructor(path: string) {
    this.#path = path;
    this.#seen = stateOf(statOf(path));
  }

  /** @param changed called after each change, of which several in a second are one */
  follow(changed: () => void): void {
    this.#timer = setInterval(() => void this.#look(changed), lookMs).unref();
  }

  dispose(): void {
    clearInterval(this.#timer);
  }

  async #look(changed: () => void): Promise<void> {
    const seen = stateOf(await stat(this.#path).catch(() => undefined));
    if (seen === this.#seen) return;
    this.#seen = seen;
    changed();
  }
}

function statOf(path: string): Stats | undefined {
  try {
    return statSync(path);
  } catch {
    return undefined;
  }
}

/** Editors write in place, or put another file there. */
function stateOf(file: Stats | undefined): string {
  return file ? `${file.ino} ${file.size} ${file.mtimeMs}` : '';
}
