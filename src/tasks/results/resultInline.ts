import type { DownloadTarget } from '../../client/types.ts';
import { explain } from '../../wire/explanations/explanation.ts';
import { ResultProblem } from './resultProblem.ts';

/** Characters of base64 that are decoded at once; four of them hold three bytes. */
const pieceLength = 1024 * 1024;

/**
 * Writes the content of a `data:` address into `target`, piece by piece.
 *
 * @throws {ResultProblem} when it is not base64, or larger than `maxBytes`
 */
export async function writeInline(
  url: string,
  target: DownloadTarget,
  maxBytes: number,
  signal: AbortSignal,
): Promise<void> {
  const [prefix, mimeType = ''] = /^data:([^;,]{0,100})(?:;[^;,]{0,100}){0,5};base64,/i.exec(url) ?? [];
  const length = url.length - (prefix?.length ?? 0);
  if (prefix === undefined || length === 0) throw unreadable();
  if (length * 0.75 > maxBytes + 2) {
    throw new ResultProblem(explain('result-too-large'));
  }
  await target.begin({ from: 0, mimeType: mimeType.toLowerCase() });
  for (let at = prefix.length; at < url.length; at += pieceLength) {
    signal.throwIfAborted();
    const piece = url.slice(at, at + pieceLength);
    if (!base64Pattern.test(piece)) throw unreadable();
    await target.write(Buffer.from(piece, 'base64'));
  }
}

const base64Pattern = /^[\w+/-]+={0,2}$/;

function unreadable(): ResultProblem {
  return new ResultProblem(explain('result-unreadable'));
}
