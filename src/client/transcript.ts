import type { ReplyHeaders } from '../base/replyHeaders.ts';
import { type CredentialRedactor, createCredentialRedactor } from '../wire/secrets/redact.ts';
import { redacted } from '../wire/secrets/secretForms.ts';
import type { ArrivedBytes, ArrivedParts } from './arrivedBytes.ts';
import type { TransportRequest } from './transports/transport.ts';

/** Replaces the credential in recorded headers. */
const credentialPlaceholder = '$MODEL_GATEWAY_CREDENTIAL';

/**
 * The recorded request and reply. Bodies contain prompts. A reply may also contain the credential; `hide` removes it.
 */
export interface Transcript extends CredentialRedactor {
  /** The headers as sent, with a placeholder for the credential. */
  readonly requestHeaders: Readonly<Record<string, string>>;
  /** The name of the header that contained the credential, if any. */
  readonly credentialHeader?: string;
  readonly requestBody?: string;
  readonly replyHeaders: ReplyHeaders;
  /**
   * Returns the body of the reply, decoded according to `content-encoding`. It is a function because most transcripts
   * are never read.
   */
  reply(): ArrivedParts;
  /** The recorded bytes of the reply. */
  readonly replyBytes: number;
  /**
   * Returns the credential and other secrets, so that they can be hidden elsewhere too. It is a function so that
   * a serialized transcript does not contain them.
   */
  secrets(): readonly string[];
}

/** The headers and the body of a reply. */
interface RecordedReply {
  readonly headers: ReplyHeaders;
  readonly arrived: ArrivedBytes;
}

/**
 * Builds the transcript of a finished exchange.
 *
 * @param secrets the credential and the values of secret headers
 */
export function createTranscript(
  { headers: replyHeaders, arrived }: RecordedReply,
  { headers, body }: TransportRequest,
  credential: string | undefined,
  secrets: readonly string[],
): Transcript {
  const entries = Object.entries(headers);
  const isOtherSecret = (value: string) => value !== credential && secrets.includes(value);
  const headerName = entries.find(
    ([, value]) => credential && value.includes(credential) && !isOtherSecret(value),
  )?.[0];
  const hideSecret = (name: string, value: string) => {
    if (name !== headerName && secrets.includes(value)) return redacted;
    return credential ? value.replaceAll(credential, credentialPlaceholder) : value;
  };
  arrived.trim();
  return {
    requestHeaders: Object.fromEntries(entries.map(([name, value]) => [name, hideSecret(name, value)])),
    ...(headerName !== undefined && { credentialHeader: headerName }),
    ...(body !== undefined && { requestBody: body }),
    replyHeaders,
    reply: () => arrived.parts,
    replyBytes: arrived.recordedBytes,
    secrets: () => secrets,
    ...createCredentialRedactor(secrets),
  };
}
