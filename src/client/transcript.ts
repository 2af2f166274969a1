import type { ReplyHeaders } from '../wire/retryHint.ts';
import { type CredentialRedactor, createCredentialRedactor } from '../wire/secrets/redact.ts';
import type { Arrived, ArrivedBytes } from './arrivedBytes.ts';
import type { TransportRequest } from './transports/transport.ts';

/** Replaces the credential in recorded headers. */
const credentialPlaceholder = '$MODEL_GATEWAY_CREDENTIAL';

/**
 * The recorded request and reply. Bodies contain prompts, and a reply may repeat the credential: `hide` removes
 * it.
 */
export interface Transcript extends CredentialRedactor {
  /** The headers as sent, with a placeholder for the credential. */
  readonly requestHeaders: Readonly<Record<string, string>>;
  /** The name of the header that contained the credential, if any. */
  readonly credentialHeader?: string;
  readonly requestBody?: string;
  readonly replyHeaders: ReplyHeaders;
  /** The body of the reply, decoded according to `content-encoding`. */
  readonly reply: Arrived;
  /**
   * Returns the credential, so that it can be hidden elsewhere too. It is a function so that serializing a
   * transcript omits it.
   */
  credential(): string | undefined;
}

/** The headers and the body of a reply. */
interface RecordedReply {
  readonly headers: ReplyHeaders;
  readonly arrived: ArrivedBytes;
}

/** Builds the transcript of a finished exchange. */
export function transcriptOf(
  { headers: replyHeaders, arrived }: RecordedReply,
  { headers, body }: TransportRequest,
  credential: string | undefined,
): Transcript {
  const entries = Object.entries(headers);
  const headerName = entries.find(([, value]) => credential && value.includes(credential))?.[0];
  return {
    requestHeaders: Object.fromEntries(
      entries.map(([name, value]) => [
        name,
        credential ? value.replaceAll(credential, credentialPlaceholder) : value,
      ]),
    ),
    ...(headerName !== undefined && { credentialHeader: headerName }),
    ...(body !== undefined && { requestBody: body }),
    replyHeaders,
    reply: arrived.parts,
    credential: () => credential,
    ...createCredentialRedactor(credential),
  };
}
