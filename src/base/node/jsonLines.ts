import type { Duplex } from 'node:stream';
import { parseJson } from '../json.ts';

/** Longer lines end the connection. */
const maxLineLength = 4 * 1024 * 1024;

/** Values that two programs send each other over a connection, a line of JSON each. */
export interface JsonLines {
  /** Does nothing once the connection has ended. */
  send(value: object): void;
  /** Sends what is left, and ends. */
  end(): void;
}

/**
 * Reads and writes lines of JSON.
 *
 * @param receive called with each value; undefined stands for a line that is no JSON
 */
export function jsonLines(connection: Duplex, receive: (value: unknown) => void): JsonLines {
  let pending = '';
  connection.setEncoding('utf8');
  connection.on('data', (text: string) => {
    const lines = (pending + text).split('\n');
    pending = lines.pop() ?? '';
    if (pending.length > maxLineLength) connection.destroy();
    for (const line of lines) if (line.trim() !== '') receive(parseJson(line));
  });
  // A connection that breaks ends: its 'close' says so.
  connection.on('error', () => {});
  return {
    send: (value) => void (connection.writable && connection.write(`${JSON.stringify(value)}\n`)),
    end: () => void connection.end(),
  };
}
