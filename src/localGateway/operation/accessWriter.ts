import { accessLine, openLineFile, plainLine } from './accessLog.ts';
import type { ExchangeRecord } from './exchangeRecord.ts';
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
