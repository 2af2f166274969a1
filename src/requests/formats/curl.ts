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
      ? // Without the second header, curl first requests permission to send a large body, and waits for the reply.
        ['--data-binary @-', `--header 'Expect:'`]
      : bodyOf(request).map((text) => `--data-raw ${quotedForSh(text)}`)),
  ];
  const command = `curl ${options.join(' \\\n  ')}`;
  return isPiped ? `printf %s ${quotedForSh(body)} | ${command}` : command;
}

/**
 * Like `curlForSh`, for any PowerShell, including Windows PowerShell. The body is passed in a file. So are headers
 * with characters that do not arrive as they were written: Windows PowerShell passes quotes to programs without
 * escaping them (about_Preference_Variables, $PSNativeCommandArgumentPassing), later versions escape them.
 */
export function curlForPowerShell(request: SentRequest): string {
  const body = bodyOf(request);
  const unsafe = request.headers.filter((header) => !isSafeArgument(header));
  const files = [
    ...body.map((text) => ['body', text] as const),
    ...(unsafe.length > 0 ? [['headers', unsafe.map(headerText).join('\n')] as const] : []),
  ];
  const options = [
    ...commonOptions(request, quotedForPowerShell),
    ...request.headers.filter(isSafeArgument).map((header) => `--header ${headerForPowerShell(header)}`),
    ...(unsafe.length > 0 ? ['--header "@$headers"'] : []),
    ...body.map(() => '--data-binary "@$body"'),
  ];
  return [
    ...files.flatMap(([name, text]) => [
      `$${name} = (New-TemporaryFile).FullName`,
      `[IO.File]::WriteAllText($${name}, ${quotedForPowerShell(text)})`,
    ]),
    `curl.exe ${options.join(' `\n  ')}`,
    ...files.map(([name]) => `Remove-Item -LiteralPath $${name}`),
  ].join('\n');
}

/** Whether every PowerShell passes a header to a program unchanged. The credential is never written to a file. */
function isSafeArgument(header: HeaderLine): boolean {
  return header.takesCredential || /^(?:[ !#-~]*[ !#-[\]-~])?$/.test(headerText(header));
}

function commonOptions({ method, url }: SentRequest, quoted: (text: string) => string): readonly string[] {
  return [
    quoted(url),
    // curl treats brackets in an address as a pattern.
    ...(/[[\]{}]/.test(url) ? ['--globoff'] : []),
    '--no-buffer',
    `--request ${method}`,
  ];
}

/** A POST without a body sends its length, 0. */
function bodyOf({ method, body }: SentRequest): readonly string[] {
  if (body !== undefined) return [body];
  return method === 'POST' ? [''] : [];
}

/** The variable has quotes of its own, so that no other text is expanded. */
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

/** Within single quotes a shell does not change any text. */
export function quotedForSh(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/** PowerShell also treats typographic quotes as quotes. */
export function quotedForPowerShell(text: string): string {
  return `'${text.replaceAll(/['\u2018-\u201b]/g, '$&$&')}'`;
}
