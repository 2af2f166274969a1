import type { Arrived, ArrivedPiece } from '../client/arrivedBytes.ts';
import type { Transcript } from '../client/transcript.ts';
import type { ReplyHeaders } from '../wire/retryHint.ts';

/** Headers and bodies within a limit, as they were sent and came: the credential is still in them. Plain data. */
export interface RawContent {
  /** With a placeholder for the credential. */
  readonly requestHeaders: Readonly<Record<string, string>>;
  readonly credentialHeader?: string;
  readonly requestBody?: RequestBody;
  readonly replyHeaders: ReplyHeaders;
  readonly beginning: JoinedPieces;
  /** How many bytes between both are missing. */
  readonly omittedBytes: number;
  readonly end: JoinedPieces;
}

export interface RequestBody {
  readonly text: string;
  /** How many characters at the end are missing. */
  readonly omitted: number;
}

/** Pieces of a body in three arrays, however many they are: so they go to another thread at little cost. */
export interface JoinedPieces {
  readonly bytes: Uint8Array;
  /** Where each piece ends. */
  readonly ends: Uint32Array;
  /** From the call to the arrival of each, in milliseconds. */
  readonly atMs: Float64Array;
}

/** What a transcript holds, at most `maxBodyBytes` of each body. Takes no longer than copying that. */
export function rawContent(transcript: Transcript, maxBodyBytes: number): RawContent {
  const { requestHeaders, credentialHeader, requestBody, replyHeaders, reply } = transcript;
  const arrived = lengthOf(reply.beginning) > maxBodyBytes ? shortened(reply, maxBodyBytes) : reply;
  return {
    requestHeaders,
    ...(credentialHeader !== undefined && { credentialHeader }),
    ...(requestBody !== undefined && { requestBody: bodyOf(requestBody, maxBodyBytes) }),
    replyHeaders,
    beginning: joined(arrived.beginning),
    omittedBytes: arrived.omittedBytes,
    end: joined(arrived.end),
  };
}

function bodyOf(body: string, maxLength: number): RequestBody {
  return {
    text: body.slice(0, maxLength).toWellFormed(),
    omitted: Math.max(0, body.length - maxLength),
  };
}

/** Three quarters of the limit go to the beginning. */
function shortened(reply: Arrived, maxBytes: number): Arrived {
  const pieces = [...reply.beginning, ...reply.end];
  const all = lengthOf(pieces);
  const beginning = firstOf(pieces, (maxBytes * 3) / 4);
  const end = firstOf([...pieces].reverse(), maxBytes / 4).reverse();
  const kept = lengthOf(beginning) + lengthOf(end);
  return { beginning, end, omittedBytes: reply.omittedBytes + all - kept };
}

/** As many whole pieces as the limit allows; the first one in part where it is longer. */
function firstOf(pieces: readonly ArrivedPiece[], maxBytes: number): ArrivedPiece[] {
  const taken: ArrivedPiece[] = [];
  let room = Math.floor(maxBytes);
  for (const piece of pieces) {
    if (piece.bytes.length > room && taken.length > 0) break;
    taken.push({ ...piece, bytes: piece.bytes.subarray(0, room) });
    room -= piece.bytes.length;
    if (room <= 0) break;
  }
  return taken;
}

/** Joins pieces, in their order. */
export function joined(pieces: readonly ArrivedPiece[]): JoinedPieces {
  const bytes = new Uint8Array(lengthOf(pieces));
  const ends = new Uint32Array(pieces.length);
  let end = 0;
  for (const [nth, piece] of pieces.entries()) {
    bytes.set(piece.bytes, end);
    end += piece.bytes.length;
    ends[nth] = end;
  }
  return { bytes, ends, atMs: Float64Array.from(pieces, ({ atMs }) => atMs) };
}

function lengthOf(pieces: readonly ArrivedPiece[]): number {
  return pieces.reduce((sum, { bytes }) => sum + bytes.length, 0);
}
