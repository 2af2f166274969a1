import type { ArrivedPiece } from '../client/arrivedBytes.ts';
import type { Transcript } from '../client/transcript.ts';
import type { ReplyHeaders } from '../wire/retryHint.ts';
import { decodedText, type TimedText, timedEvents } from './timedText.ts';

/** Headers and bodies of a request and its reply, without credentials. Plain data. */
export interface RequestContent {
  /** With a placeholder for the credential. */
  readonly requestHeaders: Readonly<Record<string, string>>;
  readonly credentialHeader?: string;
  readonly requestBody?: RequestBody;
  readonly replyHeaders: Readonly<Record<string, string>>;
  readonly reply: ReplyContent;
}

export interface RequestBody {
  readonly text: string;
  /** How many characters at the end are missing. */
  readonly omitted: number;
}

/** The body of a reply: the events of a stream, or one text. */
export interface ReplyContent {
  readonly isStream: boolean;
  readonly beginning: readonly TimedText[];
  /** How many bytes between both are missing. */
  readonly omittedBytes: number;
  readonly end: readonly TimedText[];
}

/** How much of a content is wanted. */
export interface ContentLimits {
  /** The most bytes of each body. */
  readonly maxBodyBytes: number;
  /** Whether whatever looks like a credential is hidden in the request's body, and not only the credential itself. */
  readonly hidesAll: boolean;
}

const everything: ContentLimits = { maxBodyBytes: Number.POSITIVE_INFINITY, hidesAll: false };

/** What a transcript holds, within the limits, without credentials. */
export function contentOf(transcript: Transcript, limits = everything): RequestContent {
  const { requestHeaders, credentialHeader, requestBody, hide, hideCredential } = transcript;
  const hideInBody = limits.hidesAll ? hide : hideCredential;
  return {
    requestHeaders,
    ...(credentialHeader !== undefined && { credentialHeader }),
    ...(requestBody !== undefined && { requestBody: bodyOf(requestBody, limits.maxBodyBytes, hideInBody) }),
    replyHeaders: headersOf(transcript.replyHeaders, hide),
    reply: replyOf(transcript, limits.maxBodyBytes),
  };
}

function bodyOf(body: string, maxLength: number, hide: (text: string) => string): RequestBody {
  const text = body.slice(0, maxLength).toWellFormed();
  return { text: hide(text), omitted: Math.max(0, body.length - maxLength) };
}

function headersOf(headers: ReplyHeaders, hide: (text: string) => string): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name,
      hide(Array.isArray(value) ? value.join(', ') : String(value ?? '')),
    ]),
  );
}

function replyOf(transcript: Transcript, maxBytes: number): ReplyContent {
  const { reply, replyHeaders, hide, hideAcross } = transcript;
  const arrived = isLonger(reply.beginning, maxBytes) ? shortened(reply, maxBytes) : reply;
  const isStream = /^text\/event-stream\b/i.test(String(replyHeaders['content-type'] ?? ''));
  const texts = (pieces: readonly ArrivedPiece[]) => (isStream ? timedEvents(pieces) : decodedText(pieces));
  const hidden = (pieces: readonly ArrivedPiece[]) => {
    const all = texts(pieces);
    const across = hideAcross(all.map(({ text }) => text));
    return all.map(({ atMs, text }, nth) => ({ atMs, text: hide(across[nth] ?? text) }));
  };
  return {
    isStream,
    beginning: hidden(arrived.beginning),
    omittedBytes: arrived.omittedBytes,
    end: hidden(arrived.end),
  };
}

/** Three quarters of the limit go to the beginning. */
function shortened(reply: Transcript['reply'], maxBytes: number): Transcript['reply'] {
  const pieces = [...reply.beginning, ...reply.end];
  const all = bytesOf(pieces);
  const beginning = firstOf(pieces, (maxBytes * 3) / 4);
  const end = firstOf([...pieces].reverse(), maxBytes / 4).reverse();
  const kept = bytesOf(beginning) + bytesOf(end);
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

function isLonger(pieces: readonly ArrivedPiece[], maxBytes: number): boolean {
  return bytesOf(pieces) > maxBytes;
}

function bytesOf(pieces: readonly ArrivedPiece[]): number {
  return pieces.reduce((sum, { bytes }) => sum + bytes.length, 0);
}
