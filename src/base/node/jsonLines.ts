import type { Duplex } from 'node:stream';
import { parseJson } from '../json.ts';

/** A longer line ends the connection. */
const maxLineLength = 4 * 1024 * 1024;

/** A connection over which two programs exchange JSON values, one per line. */
export interface JsonLines {
  /** Does nothing after the connection has ended. */
  send(value: object): void;
  /** Ends the connection after the pending values are sent. */
  end(): void;
}

/**
 * Reads and writes lines of JSON.
 *
 * @param receive called with each value; undefined for a line that is not JSON
 */
export function createJsonLines(connection: Duplex, receive: (value: unknown) => void): JsonLines {
  let pending = '';
  connection.setEncoding('utf8');
  connection.on('data', (text: string) => {
    const lines = (pending + text).split('\n');
    pending = lines.pop() ?? '';
    if (pending.length > maxLineLength) connection.destroy();
    for (const line of lines) if (line.trim() !== '') receive(parseJson(line));
  });
  // A broken connection is reported by its 'close' event.
  connection.on('error', () => {});
  return {
    send: (value) => void (connection.writable && connection.write(`${JSON.stringify(value)}\n`)),
    end: () => void connection.end(),
  };
}
