import { connect } from 'node:net';

export interface RawReply {
  readonly status: number;
  /** Lower-case names. */
  readonly headers: ReadonlyMap<string, string>;
  readonly body: string;
}

/**
 * Writes exactly these bytes to a local port and reads until the server closes the connection. An empty reply, or
 * one that is not HTTP, has status 0.
 */
export async function exchangeRaw(port: number, bytes: string): Promise<RawReply> {
  const socket = connect(port, '127.0.0.1');
  const chunks: Buffer[] = [];
  socket.on('data', (chunk) => chunks.push(chunk));
  socket.on('error', () => {});
  socket.write(bytes);
  await new Promise((resolve) => socket.once('close', resolve));
  return parseReply(Buffer.concat(chunks).toString());
}

function parseReply(text: string): RawReply {
  const [head = '', ...rest] = text.split('\r\n\r\n');
  const [statusLine = '', ...lines] = head.split('\r\n');
  const headers = lines.map((line) => {
    const colon = line.indexOf(':');
    return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()] as const;
  });
  return {
    status: Number(/^HTTP\/1\.1 (\d{3})/.exec(statusLine)?.[1] ?? 0),
    headers: new Map(headers),
    body: rest.join('\r\n\r\n'),
  };
}
