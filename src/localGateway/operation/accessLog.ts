import { createWriteStream, type WriteStream } from 'node:fs';
import type { ExchangeRecord } from './exchangeRecord.ts';

/** The record as one line of JSON, without a line break. Absent facts are left out. */
export function accessLine(record: ExchangeRecord): string {
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
export function plainLine({
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

/** A file to which lines are added. */
export interface LineFile {
  write(line: string): void;
  /** Opens the path again, after another program moved the file away. */
  reopen(): void;
  close(): void;
}

/** @param problem told once for each opening when the file cannot be written; lines are dropped then */
export function openLineFile(path: string, problem: (error: Error) => void): LineFile {
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

function rounded(ms: number | undefined): number | undefined {
  return ms === undefined ? undefined : Math.round(ms * 10) / 10;
}
