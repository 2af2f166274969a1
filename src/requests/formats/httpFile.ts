import { credentialVariable, type SentRequest } from './sentRequest.ts';

/** The request as a `.http` file of VS Code's REST Client, which takes the credential from the environment. */
export function httpFile({ method, url, headers, body }: SentRequest): string {
  const lines = headers.map(
    ({ name, value, takesCredential }) =>
      `${name}: ${value}${takesCredential ? `{{$processEnv ${credentialVariable}}}` : ''}`,
  );
  const parts = [[`${method} ${url}`, ...lines].join('\n'), ...(body ? [withoutVariables(body)] : [])];
  return `${parts.join('\n\n')}\n`;
}

/** Two braces begin a variable. In JSON they only follow each other within a string, where one may be escaped. */
function withoutVariables(json: string): string {
  return json.replaceAll('{{', '{\\u007b');
}
