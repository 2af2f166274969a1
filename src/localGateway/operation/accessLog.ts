import { createWriteStream, type WriteStream } from 'node:fs';
import type { ExchangeRecord } from '../server/exchangeRecord.ts';
import type { GatewayLog } from './gatewayLog.ts';

/** Tells of every request: to people in the log, to programs in a file of JSON lines. */
export interface AccessWriter {
  readonly add: (record: ExchangeRecord) => void;
  /** Opens the file again, after another program moved it away. */
  reopen(): void;
  close(): void;
}

/** @param path of the file; `-` for lines of JSON in the log itself */
export function accessWriter(path: string | undefined, log: GatewayLog): AccessWriter {
  if (path === undefined || path === '-') {
    const line = path === undefined ? plainLine : accessLine;
    return { add: (record) => log.addRequest(line(record), record), reopen() {}, close() {} };
  }
  const file = openLineFile(path, ({ message }) => log.add(`The access log cannot be written: ${message}.`));
  return {
    add(record) {
      log.addRequest(plainLine(record), record);
      file.write(accessLine(record));
    },
    reopen: file.reopen,
    close: file.close,
  };
}

/** The record as one line of JSON, without a line break. Absent facts are left out. */
function accessLine(record: ExchangeRecord): string {
  const { time, ms, firstByteMs, isCut, requestId, tokens, passedOver, ...facts } = record;
  return JSON.stringify({
    time: new Date(time).toISOString(),
    ...facts,
    passed_over: passedOver,
    ms: rounded(ms),
    first_byte_ms: rounded(firstByteMs),
    request_id: requestId,
    cut: isCut || undefined,
    input_tokens: tokens?.input,
    output_tokens: tokens?.output,
  });
}

/** The record as a line for people. */
function plainLine({
  method,
  route,
  status,
  ms,
  requestId,
  isCut,
  model,
  upstream,
  alias,
  passedOver = [],
  conversion,
}: ExchangeRecord) {
  const what = method === '' ? route : `${method} ${route}`;
  const whom = upstream === undefined ? '' : `, ${model ?? 'a list'} by ${upstream}`;
  const named = alias === undefined ? '' : ` for ${alias}`;
  const before = passedOver.length === 0 ? '' : `, after ${passedOver.join('; ')}`;
  const how = conversion === undefined ? '' : `, ${conversion}`;
  return `${what} ${status}, ${Math.round(ms)} ms, ${requestId}${isCut ? ', cut off' : ''}${whom}${named}${before}${how}`;
}

function rounded(ms: number | undefined): number | undefined {
  return ms === undefined ? undefined : Math.round(ms * 10) / 10;
}

/** A file to which lines are added. */
interface LineFile {
  write(line: string): void;
  /** Opens the path again, after another program moved the file away. */
  reopen(): void;
  close(): void;
}

/** @param problem told once for each opening when the file cannot be written; lines are dropped then */
function openLineFile(path: string, problem: (error: Error) => void): LineFile {
  let stream = open();
  function open(): WriteStream {
    const opened = createWriteStream(path, { flags: 'a', mode: 0o600 });
    return opened.once('error', (error) => problem(error)).on('error', () => {});
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
