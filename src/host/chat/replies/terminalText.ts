import { removeHidden } from '../../kit/display/plainText.ts';

/** The maximum length of a command for a terminal, in UTF-16 units. */
const maxCommandLength = 4096;

/** The parts of a shell's syntax that are needed to join lines. */
interface ShellSyntax {
  readonly continuation: RegExp;
  readonly comment: RegExp;
  /** Separates commands in one line. */
  readonly separator: string;
}

const posix: ShellSyntax = { continuation: /\\$/, comment: /^#/, separator: ' && ' };
const powershell: ShellSyntax = { continuation: /`$/, comment: /^#/, separator: '; ' };
const batch: ShellSyntax = { continuation: /\^$/, comment: /^(?:rem\b|::)/i, separator: ' && ' };

/** Matches a shell prompt before a command. */
const promptPattern = /^(?:\$|%|PS [^>]*>|[A-Za-z]:\\[^>]*>)\s+/;

/** Matches the prompt of a continuation line. */
const continuationPromptPattern = /^\s*>+(?:\s|$)/;

/** Matches a line whose command continues in later lines. */
const unfinishedCommandPattern = /^\s*(?:for|while|until|if|case|select|function)\b|<<|[{(|&]\s*$/;

/**
 * Matches lines that only work together with other lines: loops, branches, strings over several lines. Also matches
 * lines that would change the meaning of other lines when joined: with a comment at the end, or with `||`.
 */
const dependentLinePattern =
  /^(?:for|while|until|if|then|else|elif|fi|do|done|case|esac|function|end|\)|\})(?:\s|;|$)|<<|[{(|&;]$|\s#|\|\|/;

/**
 * Extracts the commands of a code block, each as one line without control characters. Comments, prompts and the output
 * of a session are omitted. If any command is too long, the result is empty, because the other commands may depend on
 * it.
 */
export function extractCommands(code: string, language: string): readonly string[] {
  const syntax = findSyntax(language);
  const lines = extractScript(code, language)
    .split('\n')
    .map((line) => line.trim());
  const commands = joinContinuedLines(lines, syntax)
    .filter((line) => line !== '' && !syntax.comment.test(line))
    .map(removeControlCharacters)
    .filter((line) => line !== '');
  return commands.some(({ length }) => length > maxCommandLength) ? [] : commands;
}

/** Removes the prompts and the output of a session from a code block. */
export function extractScript(code: string, language: string): string {
  const lines = removeHidden(code).split('\n');
  const isSession = lines.some((line) => promptPattern.test(line.trim()));
  return isSession ? extractTypedLines(lines, findSyntax(language)).join('\n') : lines.join('\n');
}

/** Extracts the lines of a session that follow a prompt, with their continuation lines. */
function extractTypedLines(lines: readonly string[], { continuation }: ShellSyntax): readonly string[] {
  let isContinued = false;
  let isOpen = false;
  return lines.flatMap((line) => {
    const isContinuation = isContinued || (isOpen && continuationPromptPattern.test(line));
    const isTyped = isContinuation || promptPattern.test(line.trimStart());
    const text = isContinuation
      ? line.replace(continuationPromptPattern, '')
      : line.trimStart().replace(promptPattern, '');
    isContinued = isTyped && continuation.test(line.trimEnd());
    isOpen =
      isTyped &&
      ((isContinuation && isOpen) || unfinishedCommandPattern.test(text) || !hasPairedQuotes(text));
    return isTyped ? [text] : [];
  });
}

/** Joins the commands to one line that runs them in order; undefined if they cannot be separated reliably. */
export function joinCommands(commands: readonly string[], language: string): string | undefined {
  const joined = commands.join(findSyntax(language).separator);
  const isSeparable = commands.every(
    (command) => !dependentLinePattern.test(command) && hasPairedQuotes(command),
  );
  return commands.length > 1 && isSeparable && joined.length <= maxCommandLength ? joined : undefined;
}

/**
 * Functions that convert several lines to a single line, which runs all of them in the same shell. The keys are VS
 * Code's names of shells.
 */
const oneLineWriters: Readonly<Record<string, (lines: readonly string[]) => string>> = {
  bash: writeAnsiEval,
  gitbash: writeAnsiEval,
  zsh: writeAnsiEval,
  ksh: writePrintfEval,
  sh: writePrintfEval,
  fish: writeFishEval,
  pwsh: (lines) => `@(${lines.map(quoteForPowershell).join(',')}) -join "\`n" | Invoke-Expression`,
};

/**
 * Converts a whole code block to one line, even if its lines only work together. The line has no line breaks, so that
 * no shell runs a part of it, with or without bracketed paste.
 *
 * @param shell VS Code's name of the target shell
 * @returns undefined if the shell does not support it, or the line would be too long
 */
export function writeScriptAsOneLine(code: string, shell: string | undefined): string | undefined {
  const writeOneLine =
    shell !== undefined && Object.hasOwn(oneLineWriters, shell) ? oneLineWriters[shell] : undefined;
  const lines = removeHidden(code)
    .trimEnd()
    .split(/\r\n?|[\n\u2028\u2029\u0085]/)
    .map((line) => line.replace(/[^\P{Cc}\t]/gu, ''));
  const command = writeOneLine?.(lines);
  return command !== undefined && command.length <= maxCommandLength ? command : undefined;
}

/** Writes quotes and `!` as escape codes, because an interactive shell expands `!` first, even within the quotes. */
function writeAnsiEval(lines: readonly string[]): string {
  const escaped = lines.map((line) =>
    line.replace(/\\/g, '\\\\').replace(/'/g, '\\x27').replace(/!/g, '\\x21').replace(/\t/g, '\\t'),
  );
  return `eval $'${escaped.join('\\n')}'`;
}

/** For shells that may not support `$'…'`. Quotes and `!` in an argument of `%b` are written as octal codes. */
function writePrintfEval(lines: readonly string[]): string {
  const escaped = lines.map((line) =>
    line.replace(/\\/g, '\\\\').replace(/'/g, '\\0047').replace(/!/g, '\\0041').replace(/\t/g, '\\t'),
  );
  return `eval "$(printf %b '${escaped.join('\\n')}')"`;
}

/** Fish expands escapes such as `\n` only outside of quotes. */
function writeFishEval(lines: readonly string[]): string {
  const escaped = lines.map((line) => `'${line.replace(/[\\']/g, '\\$&').replace(/\t/g, "'\\t'")}'`);
  return `eval ${escaped.join('\\n')}`;
}

/** PowerShell accepts five characters as a single quote. A tab would complete a word, so it is replaced with spaces. */
function quoteForPowershell(line: string): string {
  return `'${line.replace(/\t/g, '    ').replace(/['‘’‚‛]/g, '$&$&')}'`;
}

function findSyntax(language: string): ShellSyntax {
  if (/^(?:powershell|pwsh|ps1)$/i.test(language)) return powershell;
  return /^(?:bat|batch|cmd|dos)$/i.test(language) ? batch : posix;
}

/** Joins lines that end with a continuation mark to the lines after them. */
function joinContinuedLines(lines: readonly string[], { continuation }: ShellSyntax): readonly string[] {
  const joined: string[] = [];
  let unfinished = '';
  for (const line of lines) {
    if (continuation.test(line)) unfinished += `${line.replace(continuation, '').trim()} `;
    else {
      joined.push((unfinished + line).trim());
      unfinished = '';
    }
  }
  return unfinished === '' ? joined : [...joined, unfinished.trim()];
}

/** Removes control characters. A terminal reads them as keys: a tab completes a word, an escape starts a sequence. */
function removeControlCharacters(line: string): string {
  return line
    .replace(/[\t\n\r]+/g, ' ')
    .replace(/[\p{Cc}\p{Zl}\p{Zp}]/gu, '')
    .trim();
}

/** Whether each kind of quote occurs an even number of times. */
function hasPairedQuotes(command: string): boolean {
  return ["'", '"', '`'].every((quote) => command.split(quote).length % 2 === 1);
}
