import type { IncomingMessage } from 'node:http';
import type { Pieces } from '../pieces.ts';
import { maxBodyBytes } from './guard.ts';
import { bodyTooLarge } from './refusal.ts';

/** Whether a body may follow the head of a request. */
export function mayHaveBody({ headers }: IncomingMessage): boolean {
  const { 'content-length': length, 'transfer-encoding': encoding } = headers;
  return encoding !== undefined || (length !== undefined && length !== '0');
}

/**
 * Reads a body to its end, in the pieces in which it arrives.
 *
 * @throws {HttpError} 413 when it is too long, and an error when the caller leaves before its end
 */
export function readPieces(req: IncomingMessage): Promise<Pieces> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    req.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size <= maxBodyBytes) {
        chunks.push(chunk);
        return;
      }
      // The rest is read and dropped, so that the caller gets to read the refusal.
      chunks.length = 0;
      req.removeAllListeners('data');
      reject(bodyTooLarge());
    });
    req.once('end', () => resolve(chunks));
    req.once('error', reject);
  });
}
