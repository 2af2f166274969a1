import { createWriteStream, type WriteStream } from 'node:fs';
import { redact } from '../../wire/secrets/redact.ts';
import type { ServedExchangeRecord } from '../server/exchangeNotes.ts';
import type { ExchangeCost } from '../server/plannedCall.ts';

const maxRecentLines = 500;

/** @param request the request that the line describes; absent for other lines */
type Follower = (line: string, request?: ServedExchangeRecord) => void;

/** The log of the gateway for its user. Known secrets are hidden in its lines, and the last lines are stored. */
export class GatewayLog {
  readonly #lines: LineLog;
  readonly #secrets: () => readonly string[];
  readonly #recentLines: string[] = [];
  readonly #followers = new Set<Follower>();

  /** @param secrets called for each line, because keys arrive while the gateway runs */
  constructor(lines: LineLog, secrets: () => readonly string[]) {
    this.#lines = lines;
    this.#secrets = secrets;
  }

  /** The last lines, oldest first. */
  get recent(): readonly string[] {
    return this.#recentLines.slice(-maxRecentLines);
  }

  readonly add = (text: string): void => {
    const line = this.hideSecrets(text);
    this.#lines.write(line);
    this.#publish(line);
  };

  /** Adds the line of a request. Its secrets are already hidden, and it may be written with a short delay. */
  addRequest(line: string, request: ServedExchangeRecord): void {
    this.#lines.add(line);
    this.#publish(line, request);
  }

  #publish(line: string, request?: ServedExchangeRecord): void {
    this.#recentLines.push(line);
    // The array grows to twice the number, so that each line is moved at most once.
    if (this.#recentLines.length >= 2 * maxRecentLines) this.#recentLines.splice(0, maxRecentLines);
    for (const follower of this.#followers) follower(line, request);
  }

  /** @returns a function that removes the follower */
  follow(follower: Follower): () => void {
    this.#followers.add(follower);
    return () => void this.#followers.delete(follower);
  }

  /**
   * Hides secrets. Texts without a complete secret are returned at once, because hiding parts and encodings of secrets
   * is slow.
   */
  hideSecrets(text: string): string {
    const secrets = this.#secrets();
    return secrets.some((secret) => text.includes(secret)) ? redact(text, secrets) : text;
  }
}

/** How long a line may wait for further lines, in milliseconds. */
const maxWaitMs = 25;

/** Writes lines of a log in their order. */
interface LineLog {
  /** Writes a line immediately. */
  write(line: string): void;
  /** Writes a line together with the lines that follow shortly, because each write blocks the process. */
  add(line: string): void;
  /** Writes the waiting lines, at the end of the process. */
  flush(): void;
}

export function createLineLog(write: (text: string) => void): LineLog {
  let waitingText = '';
  function flush(): void {
    const text = waitingText;
    waitingText = '';
    if (text !== '') write(text);
  }
  return {
    write(line) {
      waitingText += `${line}\n`;
      flush();
    },
    add(line) {
      if (waitingText === '') setTimeout(flush, maxWaitMs).unref();
      waitingText += `${line}\n`;
    },
    flush,
  };
}

/** Reports every request: as a readable line in the log, or as JSON lines in a file. */
export interface AccessWriter {
  readonly add: (record: ServedExchangeRecord) => void;
  /** Reopens the file after another program moved it. */
  reopen(): void;
  close(): void;
}

/** @param path the path of the file; absent for readable lines in the log, `-` for lines of JSON in the log */
export function createAccessWriter(path: string | undefined, log: GatewayLog): AccessWriter {
  if (path === undefined || path === '-') {
    const line = path === undefined ? formatPlainLine : formatAccessLine;
    return { add: (record) => log.addRequest(line(record), record), reopen() {}, close() {} };
  }
  const file = openLineFile(path, ({ message }) => log.add(`The access log cannot be written: ${message}.`));
  return {
    add(record) {
      log.addRequest(formatPlainLine(record), record);
      file.write(formatAccessLine(record));
    },
    reopen: file.reopen,
    close: file.close,
  };
}

/** Formats a record as one line of JSON, without a line break. Absent values are omitted. */
function formatAccessLine(record: ServedExchangeRecord): string {
  const {
    time,
    ms,
    firstByteMs,
    isCut,
    requestId,
    tokens,
    costs = [],
    skippedModels,
    skipped: _,
    refusedKeys = [],
    ...otherFields
  } = record;
  return JSON.stringify({
    time: new Date(time).toISOString(),
    ...otherFields,
    skipped_models: skippedModels,
    refused_keys: refusedKeys.length > 0 ? refusedKeys : undefined,
    ms: roundMs(ms),
    first_byte_ms: roundMs(firstByteMs),
    request_id: requestId,
    cut: isCut || undefined,
    input_tokens: tokens?.inputTokens,
    output_tokens: tokens?.outputTokens,
    cost_usd: sumCosts(costs),
  });
}

/** The costs of all requests; undefined if there are none, or if one is unknown. */
function sumCosts(costs: readonly ExchangeCost[]): number | undefined {
  if (costs.length === 0 || costs.some(({ usd }) => usd === undefined)) return undefined;
  return costs.reduce((sum, { usd = 0 }) => sum + usd, 0);
}

/** Formats a record as a readable line. */
function formatPlainLine({
  method,
  route,
  status,
  ms,
  requestId,
  isCut,
  model,
  upstream,
  alias,
  skippedModels = [],
  key,
  refusedKeys = [],
  conversion,
}: ServedExchangeRecord) {
  const routeText = method === '' ? route : `${method} ${route}`;
  const modelText = upstream === undefined ? '' : `, ${model ?? 'a list'} by ${upstream}`;
  const refusedText = refusedKeys.length === 0 ? '' : ` after ${refusedKeys.join(', ')}`;
  const keyText = key === undefined ? '' : ` with ${key}${refusedText}`;
  const aliasText = alias === undefined ? '' : ` for ${alias}`;
  const skippedText = skippedModels.length === 0 ? '' : `, after ${skippedModels.join('; ')}`;
  const conversionText = conversion === undefined ? '' : `, ${conversion}`;
  return `${routeText} ${status}, ${Math.round(ms)} ms, ${requestId}${isCut ? ', cut off' : ''}${modelText}${keyText}${aliasText}${skippedText}${conversionText}`;
}

function roundMs(ms: number | undefined): number | undefined {
  return ms === undefined ? undefined : Math.round(ms * 10) / 10;
}

/** A file to which lines are appended. */
interface LineFile {
  write(line: string): void;
  /** Reopens the path after another program moved the file. */
  reopen(): void;
  close(): void;
}

/** @param onError called once per opening if the file cannot be written, so that lines are dropped */
function openLineFile(path: string, onError: (error: Error) => void): LineFile {
  let stream = open();
  function open(): WriteStream {
    const newStream = createWriteStream(path, { flags: 'a', mode: 0o600 });
    return newStream.once('error', (error) => onError(error)).on('error', () => {});
  }
  return {
    write: (line) => void (stream.writable && stream.write(`${line}\n`)),
    reopen() {
      stream.end();
      stream = open();
    },
    close: () => void stream.end(),
  };
}
