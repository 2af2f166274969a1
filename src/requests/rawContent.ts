import type { ReplyHeaders } from '../base/replyHeaders.ts';
import type { Arrived, ArrivedPiece } from '../client/arrivedBytes.ts';
import type { Transcript } from '../client/transcript.ts';

/** Headers and bodies within a limit, as sent and received, so they may contain the credential. Plain data. */
export interface RawContent {
  /** With a placeholder for the credential. */
  readonly requestHeaders: Readonly<Record<string, string>>;
  readonly credentialHeader?: string;
  readonly requestBody?: RecordedBody;
  readonly replyHeaders: ReplyHeaders;
  readonly beginning: JoinedPieces;
  /** The number of missing bytes between the beginning and the end. */
  readonly omittedBytes: number;
  readonly end: JoinedPieces;
}

export interface RecordedBody {
  readonly text: string;
  /** The number of missing characters at the end. */
  readonly omitted: number;
}

/**
 * Pieces of a body in three arrays, regardless of their number, so that sending them to another thread is cheap.
 */
export interface JoinedPieces {
  readonly bytes: Uint8Array;
  /** Where each piece ends. */
  readonly ends: Uint32Array;
  /** From the call to the arrival of each, in milliseconds. */
  readonly atMs: Float64Array;
}

/**
 * The content of a transcript, at most `maxBodyBytes` of each body. It takes no longer than copying these bytes.
 */
export function rawContent(transcript: Transcript, maxBodyBytes: number): RawContent {
  const { requestHeaders, credentialHeader, requestBody, replyHeaders } = transcript;
  const reply = transcript.reply();
  const arrived = lengthOf(reply.beginning) > maxBodyBytes ? shortened(reply, maxBodyBytes) : reply;
  return {
    requestHeaders,
    ...(credentialHeader !== undefined && { credentialHeader }),
    ...(requestBody !== undefined && { requestBody: bodyOf(requestBody, maxBodyBytes) }),
    replyHeaders,
    beginning: joinArrived(arrived.beginning),
    omittedBytes: arrived.omittedBytes,
    end: joinArrived(arrived.end),
  };
}

function bodyOf(body: string, maxLength: number): RecordedBody {
  return {
    text: body.slice(0, maxLength).toWellFormed(),
    omitted: Math.max(0, body.length - maxLength),
  };
}

/** Three quarters of the limit go to the beginning. */
function shortened(reply: Arrived, maxBytes: number): Arrived {
  const pieces = [...reply.beginning, ...reply.end];
  const totalBytes = lengthOf(pieces);
  const beginning = firstOf(pieces, (maxBytes * 3) / 4, (bytes, count) => bytes.subarray(0, count));
  const end = firstOf(pieces.toReversed(), maxBytes / 4, (bytes, count) => bytes.subarray(-count)).reverse();
  const includedBytes = lengthOf(beginning) + lengthOf(end);
  return { beginning, end, omittedBytes: reply.omittedBytes + totalBytes - includedBytes };
}

/** As many whole pieces as the limit allows; a part of the first piece if it is longer than the limit. */
function firstOf(
  pieces: readonly ArrivedPiece[],
  maxBytes: number,
  partOf: (bytes: Uint8Array, count: number) => Uint8Array,
): ArrivedPiece[] {
  const taken: ArrivedPiece[] = [];
  let remaining = Math.floor(maxBytes);
  for (const piece of pieces) {
    const isLonger = piece.bytes.length > remaining;
    if (isLonger && taken.length > 0) break;
    taken.push(isLonger ? { ...piece, bytes: partOf(piece.bytes, remaining) } : piece);
    remaining -= piece.bytes.length;
    if (remaining <= 0) break;
  }
  return taken;
}

export function joinArrived(pieces: readonly ArrivedPiece[]): JoinedPieces {
  const bytes = new Uint8Array(lengthOf(pieces));
  const ends = new Uint32Array(pieces.length);
  let end = 0;
  for (const [index, piece] of pieces.entries()) {
    bytes.set(piece.bytes, end);
    end += piece.bytes.length;
    ends[index] = end;
  }
  return { bytes, ends, atMs: Float64Array.from(pieces, ({ atMs }) => atMs) };
}

function lengthOf(pieces: readonly ArrivedPiece[]): number {
  return pieces.reduce((sum, { bytes }) => sum + bytes.length, 0);
}
