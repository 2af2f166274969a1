import type { Transcript } from '../client/transcript.ts';
import type { ReplyHeaders } from '../wire/retryHint.ts';
import type { Hiding } from '../wire/secrets/hiding.ts';
import { type JoinedPieces, type RawContent, type RequestBody, rawContent } from './rawContent.ts';
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

export const everything: ContentLimits = { maxBodyBytes: Number.POSITIVE_INFINITY, hidesAll: false };

/** What a transcript holds, within the limits, without credentials. */
export function contentOf(transcript: Transcript, limits = everything): RequestContent {
  const { hide, hideCredential } = transcript;
  const hideInBody = limits.hidesAll ? hide : hideCredential;
  return hiddenContent(rawContent(transcript, limits.maxBodyBytes), transcript, hideInBody);
}

/**
 * A content without credentials. It takes tens of milliseconds for bodies of 64 kB, and about a second for megabytes.
 *
 * @param hideInBody covers the request's body
 */
export function hiddenContent(
  raw: RawContent,
  hiding: Hiding,
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
  { hide, hideAcross }: Hiding,
): ReplyContent {
  const isStream = /^text\/event-stream\b/i.test(String(replyHeaders['content-type'] ?? ''));
  const hidden = (pieces: JoinedPieces) => {
    const all = isStream ? timedEvents(pieces) : decodedText(pieces);
    const across = hideAcross(all.map(({ text }) => text));
    return all.map(({ atMs, text }, nth) => ({ atMs, text: hide(across[nth] ?? text) }));
  };
  return { isStream, beginning: hidden(beginning), omittedBytes, end: hidden(end) };
}
