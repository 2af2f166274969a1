import type { ReplyHeaders } from '../base/replyHeaders.ts';
import type { ArrivedParts, ArrivedPiece } from '../client/arrivedBytes.ts';
import type { Transcript } from '../client/transcript.ts';
import type { CredentialRedactor } from '../wire/secrets/redact.ts';

/** The headers and bodies of a request and its reply, without credentials. Plain data. */
export interface RequestContent {
  /** With a placeholder for the credential. */
  readonly requestHeaders: Readonly<Record<string, string>>;
  readonly credentialHeader?: string;
  readonly requestBody?: RecordedBody;
  readonly replyHeaders: Readonly<Record<string, string>>;
  readonly reply: ReplyContent;
}

/** The body of a reply: the events of a stream, or one text. */
export interface ReplyContent {
  readonly isStream: boolean;
  readonly beginning: readonly TimedText[];
  /** The number of missing bytes between the beginning and the end. */
  readonly omittedBytes: number;
  readonly end: readonly TimedText[];
}

export interface ContentLimits {
  /** The maximum of each body. */
  readonly maxBodyBytes: number;
  /**
   * Whether to hide everything in the request's body that looks like a credential. Otherwise only the credential itself
   * is hidden.
   */
  readonly hidesAll: boolean;
}

export const noLimits: ContentLimits = { maxBodyBytes: Number.POSITIVE_INFINITY, hidesAll: false };

/** Reads the content of a transcript, within the limits and without credentials. */
export function readContent(transcript: Transcript, limits = noLimits): RequestContent {
  const { hide, hideCredential } = transcript;
  const hideInBody = limits.hidesAll ? hide : hideCredential;
  return hideCredentials(readRawContent(transcript, limits.maxBodyBytes), transcript, hideInBody);
}

/**
 * Replaces the credentials in a content. This takes tens of milliseconds for bodies of 64 kB, and about a second for
 * megabytes.
 *
 * @param hideInBody hides credentials in the request's body
 */
export function hideCredentials(
  raw: RawContent,
  redactor: CredentialRedactor,
  hideInBody: (text: string) => string,
): RequestContent {
  const { requestHeaders, credentialHeader, requestBody, replyHeaders } = raw;
  return {
    requestHeaders,
    ...(credentialHeader !== undefined && { credentialHeader }),
    ...(requestBody && { requestBody: { ...requestBody, text: hideInBody(requestBody.text) } }),
    replyHeaders: hideInHeaders(replyHeaders, redactor.hide),
    reply: hideInReply(raw, redactor),
  };
}

function hideInHeaders(
  headers: ReplyHeaders,
  hide: (text: string) => string,
): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name,
      hide(Array.isArray(value) ? value.join(', ') : String(value ?? '')),
    ]),
  );
}

function hideInReply(
  { replyHeaders, beginning, omittedBytes, end }: RawContent,
  { hide, hideAcross }: CredentialRedactor,
): ReplyContent {
  const isStream = /^text\/event-stream\b/i.test(String(replyHeaders['content-type'] ?? ''));
  const withoutCredentials = (pieces: JoinedPieces) => {
    const texts = isStream ? splitRecordedEvents(pieces) : decodeText(pieces);
    const hidden = hideAcross(texts.map(({ text }) => text));
    return texts.map(({ atMs, text }, index) => ({ atMs, text: hide(hidden[index] ?? text) }));
  };
  return {
    isStream,
    beginning: withoutCredentials(beginning),
    omittedBytes,
    end: withoutCredentials(end),
  };
}

/** A text with the time of its arrival. */
export interface TimedText {
  /** From the call to the arrival of its end, in milliseconds. */
  readonly atMs: number;
  readonly text: string;
}

/** Decodes the whole text. Returns an empty list if no bytes arrived. */
function decodeText({ bytes, ends, atMs }: JoinedPieces): readonly TimedText[] {
  return ends.length === 0 ? [] : [{ atMs: atMs.at(-1) ?? 0, text: new TextDecoder().decode(bytes) }];
}

const eventGap = /(?:\r\n){2,}|\n{2,}|\r{2,}/g;

/** Splits a stream into its events as they were written, without the empty lines between them. Takes linear time. */
export function splitRecordedEvents({ bytes, ends: byteEnds, atMs }: JoinedPieces): readonly TimedText[] {
  const decoder = new TextDecoder();
  const ends: number[] = [];
  let text = '';
  let from = 0;
  for (const end of byteEnds) {
    text += decoder.decode(bytes.subarray(from, end), { stream: true });
    ends.push(text.length);
    from = end;
  }
  text += decoder.decode();
  let piece = 0;
  const timeAt = (end: number) => {
    while (piece < ends.length - 1 && (ends[piece] ?? 0) < end) piece++;
    return atMs[piece] ?? 0;
  };
  const events: TimedText[] = [];
  from = 0;
  for (const { index, 0: gap } of text.matchAll(eventGap)) {
    if (index > from) events.push({ atMs: timeAt(index), text: text.slice(from, index) });
    from = index + gap.length;
  }
  if (from < text.length) events.push({ atMs: timeAt(text.length), text: text.slice(from) });
  return events;
}

/** Headers and bodies within a limit, as sent and received. They may contain the credential. Plain data. */
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

interface RecordedBody {
  readonly text: string;
  /** The number of missing UTF-16 units at the end. */
  readonly omitted: number;
}

/** The pieces of a body, in only three arrays, so that sending them to another thread is cheap. */
interface JoinedPieces {
  readonly bytes: Uint8Array;
  /** Where each piece ends. */
  readonly ends: Uint32Array;
  /** From the call to the arrival of each, in milliseconds. */
  readonly atMs: Float64Array;
}

/** Reads the content of a transcript, at most `maxBodyBytes` of each body. Takes no longer than copying these bytes. */
export function readRawContent(transcript: Transcript, maxBodyBytes: number): RawContent {
  const { requestHeaders, credentialHeader, requestBody, replyHeaders } = transcript;
  const reply = transcript.reply();
  const arrived = countBytes(reply.beginning) > maxBodyBytes ? shortenReply(reply, maxBodyBytes) : reply;
  return {
    requestHeaders,
    ...(credentialHeader !== undefined && { credentialHeader }),
    ...(requestBody !== undefined && { requestBody: truncateBody(requestBody, maxBodyBytes) }),
    replyHeaders,
    beginning: joinArrivedPieces(arrived.beginning),
    omittedBytes: arrived.omittedBytes,
    end: joinArrivedPieces(arrived.end),
  };
}

function truncateBody(text: string, maxBytes: number): RecordedBody {
  const maxBytesPerUnit = 3;
  if (text.length * maxBytesPerUnit <= maxBytes) return { text, omitted: 0 };
  const { read } = new TextEncoder().encodeInto(text, new Uint8Array(maxBytes));
  return { text: text.slice(0, read), omitted: text.length - read };
}

/** Shortens a reply to its beginning and its end. The beginning gets three quarters of the limit. */
function shortenReply(reply: ArrivedParts, maxBytes: number): ArrivedParts {
  const pieces = [...reply.beginning, ...reply.end];
  const totalBytes = countBytes(pieces);
  const beginning = takePieces(pieces, (maxBytes * 3) / 4, (bytes, count) => bytes.subarray(0, count));
  const end = takePieces(pieces.toReversed(), maxBytes / 4, (bytes, count) =>
    bytes.subarray(-count),
  ).reverse();
  const includedBytes = countBytes(beginning) + countBytes(end);
  return { beginning, end, omittedBytes: reply.omittedBytes + totalBytes - includedBytes };
}

/** Takes as many whole pieces as the limit allows, or a part of the first piece if it is longer than the limit. */
function takePieces(
  pieces: readonly ArrivedPiece[],
  maxBytes: number,
  takePart: (bytes: Uint8Array, count: number) => Uint8Array,
): ArrivedPiece[] {
  const takenPieces: ArrivedPiece[] = [];
  let remaining = Math.floor(maxBytes);
  for (const piece of pieces) {
    const isLonger = piece.bytes.length > remaining;
    if (isLonger && takenPieces.length > 0) break;
    takenPieces.push(isLonger ? { ...piece, bytes: takePart(piece.bytes, remaining) } : piece);
    remaining -= piece.bytes.length;
    if (remaining <= 0) break;
  }
  return takenPieces;
}

export function joinArrivedPieces(pieces: readonly ArrivedPiece[]): JoinedPieces {
  const bytes = new Uint8Array(countBytes(pieces));
  const ends = new Uint32Array(pieces.length);
  let end = 0;
  for (const [index, piece] of pieces.entries()) {
    bytes.set(piece.bytes, end);
    end += piece.bytes.length;
    ends[index] = end;
  }
  return { bytes, ends, atMs: Float64Array.from(pieces, ({ atMs }) => atMs) };
}

function countBytes(pieces: readonly ArrivedPiece[]): number {
  return pieces.reduce((sum, { bytes }) => sum + bytes.length, 0);
}
