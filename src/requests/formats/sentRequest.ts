import type { OpenedRequest } from '../requestRecord.ts';

/** A request that another program can send again. */
export interface SentRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: readonly HeaderLine[];
  readonly body?: string;
}

export interface HeaderLine {
  readonly name: string;
  /** The value before the credential, if the header takes it. */
  readonly value: string;
  readonly takesCredential: boolean;
}

/** Other programs read the credential from this environment variable. */
export const credentialVariable = 'MODEL_GATEWAY_CREDENTIAL';

/** Why a request cannot be sent again unchanged. */
export type UnsendableReason = 'content-missing' | 'body-shortened';

/** Reads the request as it was sent. If it cannot be sent again, returns the reason. */
export function readSentRequest({ figures, content }: OpenedRequest): SentRequest | UnsendableReason {
  if (!content) return 'content-missing';
  const { requestHeaders, requestBody, credentialHeader } = content;
  if (requestBody && requestBody.omitted > 0) return 'body-shortened';
  return {
    method: figures.method,
    url: figures.url,
    headers: Object.entries(requestHeaders).map(([name, value]) => {
      const takesCredential = name === credentialHeader;
      return {
        name,
        takesCredential,
        value: takesCredential ? value.replace(`$${credentialVariable}`, '') : value,
      };
    }),
    ...(requestBody && { body: requestBody.text }),
  };
}

/** Writes the request as a `.http` file of VS Code's REST Client, which reads the credential from the environment. */
export function writeHttpFile({ method, url, headers, body }: SentRequest): string {
  const lines = headers.map(
    ({ name, value, takesCredential }) =>
      `${name}: ${value}${takesCredential ? `{{$processEnv ${credentialVariable}}}` : ''}`,
  );
  const parts = [[`${method} ${url}`, ...lines].join('\n'), ...(body ? [escapeVariables(body)] : [])];
  return `${parts.join('\n\n')}\n`;
}

/** Two braces start a variable. JSON contains adjacent braces only in strings, where the second one can be escaped. */
function escapeVariables(json: string): string {
  return json.replaceAll('{{', '{\\u007b');
}
