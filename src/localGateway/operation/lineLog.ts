/** How long a line may wait for others, in milliseconds. */
const maxWaitMs = 25;

/** Lines of a log, in their order. */
export interface LineLog {
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
