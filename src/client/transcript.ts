import type { ReplyHeaders } from '../wire/retryHint.ts';
import { type Hiding, hidingOf } from '../wire/secrets/hiding.ts';
import type { Arrived, ArrivedBytes } from './arrivedBytes.ts';
import type { TransportRequest } from './transports/transport.ts';

/** What stands in a recorded header in place of the credential. */
export const credentialPlaceholder = '$MODEL_GATEWAY_CREDENTIAL';

/** What was sent and what came. Bodies hold prompts, and may hold what the gateway was sent: `hide` covers that. */
export interface Transcript extends Hiding {
  /** As they were sent, with a placeholder for the credential. */
  readonly requestHeaders: Readonly<Record<string, string>>;
  /** The name of the header that held the credential, where one did. */
  readonly credentialHeader?: string;
  readonly requestBody?: string;
  readonly replyHeaders: ReplyHeaders;
  /** The body of the reply, decoded as `content-encoding` says. */
  readonly reply: Arrived;
  /** The credential, for who hides it elsewhere. A function, since whatever writes a transcript out leaves it out. */
  credential(): string | undefined;
}

/** What an exchange knows of its reply. */
interface RecordedReply {
  readonly headers: ReplyHeaders;
  readonly arrived: ArrivedBytes;
}

/** The transcript of an exchange that is over. */
export function transcriptOf(
  { headers: replyHeaders, arrived }: RecordedReply,
  { headers, body }: TransportRequest,
  credential: string | undefined,
): Transcript {
  const entries = Object.entries(headers);
  const held = entries.find(([, value]) => credential && value.includes(credential))?.[0];
  return {
    requestHeaders: Object.fromEntries(
      entries.map(([name, value]) => [
        name,
        credential ? value.replaceAll(credential, credentialPlaceholder) : value,
      ]),
    ),
    ...(held !== undefined && { credentialHeader: held }),
    ...(body !== undefined && { requestBody: body }),
    replyHeaders,
    reply: arrived.kept,
    credential: () => credential,
    ...hidingOf(credential),
  };
}
