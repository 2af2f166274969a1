import { redact } from '../../wire/secrets/redact.ts';
import type { ExchangeRecord } from '../server/exchangeRecord.ts';

const maxKept = 500;

/** Receives each line, and the request that it is about. */
type Follower = (line: string, request?: ExchangeRecord) => void;

/** The lines that the gateway tells whoever runs it. None holds a secret that is known. */
export class GatewayLog {
  readonly #lines: LineLog;
  readonly #secrets: () => readonly string[];
  readonly #kept: string[] = [];
  readonly #followers = new Set<Follower>();

  /** @param secrets asked for each line, as keys arrive while the gateway runs */
  constructor(lines: LineLog, secrets: () => readonly string[]) {
    this.#lines = lines;
    this.#secrets = secrets;
  }

  /** The last lines, oldest first. */
  get recent(): readonly string[] {
    return this.#kept.slice(-maxKept);
  }

  readonly add = (text: string): void => {
    const line = this.withoutSecrets(text);
    this.#lines.write(line);
    this.#tell(line);
  };

  /** Adds one of many lines, whose secrets are hidden, and which may come a moment later. */
  addRequest(line: string, request: ExchangeRecord): void {
    this.#lines.add(line);
    this.#tell(line, request);
  }

  #tell(line: string, request?: ExchangeRecord): void {
    this.#kept.push(line);
    // Twice as many, so that each line is moved once at most.
    if (this.#kept.length >= 2 * maxKept) this.#kept.splice(0, maxKept);
    for (const follower of this.#followers) follower(line, request);
  }

  /** @returns what ends it */
  follow(follower: Follower): () => void {
    this.#followers.add(follower);
    return () => void this.#followers.delete(follower);
  }

  /** Looks for whole secrets only, which costs little: the gateway itself writes none, and callers know but theirs. */
  withoutSecrets(text: string): string {
    const secrets = this.#secrets();
    return secrets.some((secret) => text.includes(secret)) ? redact(text, secrets) : text;
  }
}

/** How long a line may wait for others, in milliseconds. */
const maxWaitMs = 25;

/** Lines of a log, in their order. */
interface LineLog {
  /** Writes a line at once. */
  write(line: string): void;
  /** Writes a line with others that come close to it: each write holds the process up. */
  add(line: string): void;
  /** Writes what waits, at the end of the process. */
  flush(): void;
}

export function lineLog(write: (text: string) => void): LineLog {
  let waiting = '';
  function flush(): void {
    const text = waiting;
    waiting = '';
    if (text !== '') write(text);
  }
  return {
    write(line) {
      waiting += `${line}\n`;
      flush();
    },
    add(line) {
      if (waiting === '') setTimeout(flush, maxWaitMs).unref();
      waiting += `${line}\n`;
    },
    flush,
  };
}
