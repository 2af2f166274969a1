import { credentialVariable, type HeaderLine, type SentRequest } from './sentRequest.ts';

/** A longer body is passed through standard input, because systems limit the length of an argument. */
const maxArgumentLength = 16 * 1024;

/**
 * Writes the request as a command for a POSIX shell that sends the same bytes. The shell reads the credential from
 * the environment.
 */
export function writeShCurl(request: SentRequest): string {
  const { body } = request;
  const isPiped = body !== undefined && body.length > maxArgumentLength;
  const options = [
    ...writeCommonOptions(request, quoteForSh),
    ...request.headers.map((header) => `--header ${writeHeaderForSh(header)}`),
    ...(isPiped
      ? // Without the second header, curl first requests permission to send a large body, and waits for the reply.
        ['--data-binary @-', `--header 'Expect:'`]
      : listBodies(request).map((text) => `--data-raw ${quoteForSh(text)}`)),
  ];
  const command = `curl ${options.join(' \\\n  ')}`;
  return isPiped ? `printf %s ${quoteForSh(body)} | ${command}` : command;
}

/**
 * Like `writeShCurl`, for any PowerShell, including Windows PowerShell. The body and headers with quotes or similar
 * characters are passed in files: Windows PowerShell passes quotes to programs without escaping them, and later
 * versions escape them (about_Preference_Variables, $PSNativeCommandArgumentPassing).
 */
export function writePowerShellCurl(request: SentRequest): string {
  const body = listBodies(request);
  const unsafe = request.headers.filter((header) => !isSafeArgument(header));
  const files = [
    ...body.map((text) => ['body', text] as const),
    ...(unsafe.length > 0 ? [['headers', unsafe.map(writeHeader).join('\n')] as const] : []),
  ];
  const options = [
    ...writeCommonOptions(request, quoteForPowerShell),
    ...request.headers.filter(isSafeArgument).map((header) => `--header ${writeHeaderForPowerShell(header)}`),
    ...(unsafe.length > 0 ? ['--header "@$headers"'] : []),
    ...body.map(() => '--data-binary "@$body"'),
  ];
  return [
    ...files.flatMap(([name, text]) => [
      `$${name} = (New-TemporaryFile).FullName`,
      `[IO.File]::WriteAllText($${name}, ${quoteForPowerShell(text)})`,
    ]),
    `curl.exe ${options.join(' `\n  ')}`,
    ...files.map(([name]) => `Remove-Item -LiteralPath $${name}`),
  ].join('\n');
}

/** Whether every PowerShell passes a header to a program unchanged. The credential is never written to a file. */
function isSafeArgument(header: HeaderLine): boolean {
  return header.takesCredential || /^(?:[ !#-~]*[ !#-[\]-~])?$/.test(writeHeader(header));
}

function writeCommonOptions(
  { method, url }: SentRequest,
  quote: (text: string) => string,
): readonly string[] {
  return [
    quote(url),
    // curl treats brackets in an address as a pattern.
    ...(/[[\]{}]/.test(url) ? ['--globoff'] : []),
    '--no-buffer',
    `--request ${method}`,
  ];
}

/** The body in a list; empty if there is none. A POST without a body must send its length, 0. */
function listBodies({ method, body }: SentRequest): readonly string[] {
  if (body !== undefined) return [body];
  return method === 'POST' ? [''] : [];
}

/** Only the variable is in double quotes, so that the shell does not expand other text. */
function writeHeaderForSh(header: HeaderLine): string {
  const line = quoteForSh(writeHeader(header));
  return header.takesCredential ? `${line}"$${credentialVariable}"` : line;
}

function writeHeaderForPowerShell(header: HeaderLine): string {
  const line = writeHeader(header);
  if (!header.takesCredential) return quoteForPowerShell(line);
  return `(${quoteForPowerShell(line)} + $env:${credentialVariable})`;
}

/** curl omits a header that ends with its colon, so an empty header ends with a semicolon. */
function writeHeader({ name, value, takesCredential }: HeaderLine): string {
  return value === '' && !takesCredential ? `${name};` : `${name}: ${value}`;
}

/** Within single quotes a shell does not change any text. */
export function quoteForSh(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/** PowerShell also treats typographic quotes as quotes. */
export function quoteForPowerShell(text: string): string {
  return `'${text.replaceAll(/['\u2018-\u201b]/g, '$&$&')}'`;
}
