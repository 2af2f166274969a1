import type { ReplyHeaders } from '../base/replyHeaders.ts';
import type { Transcript } from '../client/transcript.ts';
import type { CredentialRedactor } from '../wire/secrets/redact.ts';
import { type JoinedPieces, type RawContent, type RecordedBody, rawContent } from './rawContent.ts';

/** Headers and bodies of a request and its reply, without credentials. Plain data. */
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
   * Whether everything that looks like a credential is hidden in the request's body, and not only the credential
   * itself.
   */
  readonly hidesAll: boolean;
}

export const noLimits: ContentLimits = { maxBodyBytes: Number.POSITIVE_INFINITY, hidesAll: false };

/** The content of a transcript, within the limits, without credentials. */
export function contentOf(transcript: Transcript, limits = noLimits): RequestContent {
  const { hide, hideCredential } = transcript;
  const hideInBody = limits.hidesAll ? hide : hideCredential;
  return hideCredentials(rawContent(transcript, limits.maxBodyBytes), transcript, hideInBody);
}

/**
 * A content without credentials. It takes tens of milliseconds for bodies of 64 kB, and about a second for
 * megabytes.
 *
 * @param hideInBody hides credentials in the request's body
 */
export function hideCredentials(
  raw: RawContent,
  hiding: CredentialRedactor,
  hideInBody: (text: string) => string,
): RequestContent {
  const { requestHeaders, credentialHeader, requestBody, replyHeaders } = raw;
  return {
    requestHeaders,
    ...(credentialHeader !== undefined && { credentialHeader }),
    ...(requestBody && { requestBody: { ...requestBody, text: hideInBody(requestBody.text) } }),
    replyHeaders: headersOf(replyHeaders, hiding.hide),
    reply: replyOf(raw, hiding),
  };
}

function headersOf(headers: ReplyHeaders, hide: (text: string) => string): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name,
      hide(Array.isArray(value) ? value.join(', ') : String(value ?? '')),
    ]),
  );
}

function replyOf(
  { replyHeaders, beginning, omittedBytes, end }: RawContent,
  { hide, hideAcross }: CredentialRedactor,
): ReplyContent {
  const isStream = /^text\/event-stream\b/i.test(String(replyHeaders['content-type'] ?? ''));
  const withoutCredentials = (pieces: JoinedPieces) => {
    const texts = isStream ? timedEvents(pieces) : decodedText(pieces);
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

/** A text, and when its end arrived: from the call, in milliseconds. */
export interface TimedText {
  readonly atMs: number;
  readonly text: string;
}

/** The whole text; empty if no bytes arrived. */
function decodedText({ bytes, ends, atMs }: JoinedPieces): readonly TimedText[] {
  return ends.length === 0 ? [] : [{ atMs: atMs.at(-1) ?? 0, text: new TextDecoder().decode(bytes) }];
}

const betweenEvents = /(?:\r\n){2,}|\n{2,}|\r{2,}/g;

/** The events of a stream as they were written, without the empty lines between them. Takes linear time. */
export function timedEvents({ bytes, ends: byteEnds, atMs }: JoinedPieces): readonly TimedText[] {
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
  for (const { index, 0: gap } of text.matchAll(betweenEvents)) {
    if (index > from) events.push({ atMs: timeAt(index), text: text.slice(from, index) });
    from = index + gap.length;
  }
  if (from < text.length) events.push({ atMs: timeAt(text.length), text: text.slice(from) });
  return events;
}
