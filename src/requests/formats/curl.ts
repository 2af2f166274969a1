import { credentialVariable, type HeaderLine, type SentRequest } from './sentRequest.ts';

/** A longer body goes through standard input: systems limit the length of an argument. */
const maxArgumentBody = 16 * 1024;

/**
 * The request as a command for a POSIX shell, which sends the same bytes. The shell takes the credential from the
 * environment.
 */
export function curlForSh(request: SentRequest): string {
  const { body } = request;
  const isPiped = body !== undefined && body.length > maxArgumentBody;
  const options = [
    ...commonOptions(request, quotedForSh),
    ...request.headers.map((header) => `--header ${headerForSh(header)}`),
    ...(isPiped
      ? // Without the second, curl first asks whether a large body may come, and waits for the answer.
        ['--data-binary @-', `--header 'Expect:'`]
      : bodyOf(request).map((text) => `--data-raw ${quotedForSh(text)}`)),
  ];
  const command = `curl ${options.join(' \\\n  ')}`;
  return isPiped ? `printf %s ${quotedForSh(body)} | ${command}` : command;
}

/**
 * The same for PowerShell. The body goes through a file, since what PowerShell passes to programs in arguments and by
 * pipes does not arrive as it was written.
 */
export function curlForPowerShell(request: SentRequest): string {
  const body = bodyOf(request);
  const options = [
    ...commonOptions(request, quotedForPowerShell),
    ...request.headers.map((header) => `--header ${headerForPowerShell(header)}`),
    ...body.map(() => '--data-binary "@$body"'),
  ];
  return [
    ...body.flatMap((text) => [
      '$body = (New-TemporaryFile).FullName',
      `[IO.File]::WriteAllText($body, ${quotedForPowerShell(text)})`,
    ]),
    `curl.exe ${options.join(' `\n  ')}`,
    ...body.map(() => 'Remove-Item $body'),
  ].join('\n');
}

function commonOptions({ method, url }: SentRequest, quoted: (text: string) => string): readonly string[] {
  return [
    quoted(url),
    // curl takes brackets of an address for a pattern.
    ...(/[[\]{}]/.test(url) ? ['--globoff'] : []),
    '--no-buffer',
    `--request ${method}`,
  ];
}

/** A POST without a body tells its length, 0. */
function bodyOf({ method, body }: SentRequest): readonly string[] {
  if (body !== undefined) return [body];
  return method === 'POST' ? [''] : [];
}

/** The variable stands in quotes of its own, so that nothing else is expanded. */
function headerForSh(header: HeaderLine): string {
  const line = quotedForSh(headerText(header));
  return header.takesCredential ? `${line}"$${credentialVariable}"` : line;
}

function headerForPowerShell(header: HeaderLine): string {
  const line = headerText(header);
  if (!header.takesCredential) return quotedForPowerShell(line);
  return `(${quotedForPowerShell(line)} + $env:${credentialVariable})`;
}

/** curl leaves out a header that ends with its colon. */
function headerText({ name, value, takesCredential }: HeaderLine): string {
  return value === '' && !takesCredential ? `${name};` : `${name}: ${value}`;
}

/** Within single quotes a shell leaves everything as it is. */
export function quotedForSh(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/** PowerShell takes typographic quotes for quotes, too. */
export function quotedForPowerShell(text: string): string {
  return `'${text.replaceAll(/['\u2018-\u201b]/g, '$&$&')}'`;
}
