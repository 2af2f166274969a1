import type { IncomingMessage } from 'node:http';
import type { HttpError } from '../httpError.ts';
import type { Pieces } from '../pieces.ts';
import { maxBodyBytes } from './guard.ts';
import { bodyTooLarge, bodyTooSlow } from './refusal.ts';

/** Whether a body may follow the head of a request. */
export function mayHaveBody({ headers }: IncomingMessage): boolean {
  const { 'content-length': length, 'transfer-encoding': encoding } = headers;
  return encoding !== undefined || (length !== undefined && length !== '0');
}

/** How long a body may take, in milliseconds: somewhat less than the server waits, which tells a bare status. */
const maxBodyMs = 55_000;

/**
 * Reads a body to its end, in the pieces in which it arrives.
 *
 * @throws {HttpError} 413 when it is too long, 408 when it comes too slowly, and an error when the caller leaves
 * before its end
 */
export function readPieces(req: IncomingMessage): Promise<Pieces> {
  const startedAt = performance.now();
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    let timer: NodeJS.Timeout | undefined;
    // The rest is read and dropped, so that the caller gets to read the refusal.
    const refuse = (error: HttpError) => {
      clearTimeout(timer);
      chunks.length = 0;
      req.removeAllListeners('data');
      reject(error);
    };
    req.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size > maxBodyBytes) return refuse(bodyTooLarge());
      chunks.push(chunk);
      // Most bodies come with their head, and need no timer.
      if (!req.complete)
        timer ??= setTimeout(() => refuse(bodyTooSlow()), maxBodyMs - (performance.now() - startedAt));
    });
    req.once('end', () => {
      clearTimeout(timer);
      resolve(chunks);
    });
    req.once('error', (error) => {
      clearTimeout(timer);
      reject(error);
    });
  });
}
