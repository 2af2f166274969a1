import type { OpenedRequest } from '../requestHistory.ts';

/** What another program needs to send a request once more. */
export interface SentRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: readonly HeaderLine[];
  readonly body?: string;
}

export interface HeaderLine {
  readonly name: string;
  /** Where the header takes the credential, what stands before it. */
  readonly value: string;
  readonly takesCredential: boolean;
}

/** The environment variable in which other programs find the credential. */
export const credentialVariable = 'MODEL_GATEWAY_CREDENTIAL';

/** Why a request cannot be sent once more as it was. */
export type Unsendable = 'content-missing' | 'body-shortened';

/** The request as it was sent, or why it is not known any more. */
export function sentRequest({ figures, content }: OpenedRequest): SentRequest | Unsendable {
  if (!content) return 'content-missing';
  const { requestHeaders, requestBody, credentialHeader } = content;
  if (requestBody && requestBody.omitted > 0) return 'body-shortened';
  return {
    method: figures.method,
    url: figures.url,
    headers: Object.entries(requestHeaders).map(([name, value]) => {
      const takesCredential = name === credentialHeader;
      return {
        ...{ name, takesCredential },
        value: takesCredential ? value.replace(`$${credentialVariable}`, '') : value,
      };
    }),
    ...(requestBody && { body: requestBody.text }),
  };
}
