import { visibleText } from '../../kit/display/plainText.ts';

/** Longer commands are not put into a terminal, in UTF-16 units. */
const maxCommandLength = 4096;

/** How a shell goes on with a command in the next line, and begins a comment. */
interface ShellHabits {
  readonly continuation: RegExp;
  readonly comment: RegExp;
  readonly joint: string;
}

const posix: ShellHabits = { continuation: /\\$/, comment: /^#/, joint: ' && ' };
const powershell: ShellHabits = { continuation: /`$/, comment: /^#/, joint: '; ' };
const batch: ShellHabits = { continuation: /\^$/, comment: /^(?:rem\b|::)/i, joint: ' && ' };

/** A prompt as texts show it before what is typed. */
const prompt = /^(?:\$|%|PS [^>]*>|[A-Za-z]:\\[^>]*>)\s+/;

/** The prompt of a line that continues a command. */
const secondPrompt = /^\s*>+(?:\s|$)/;

/** Begins a command that ends in a later line. */
const opening = /^\s*(?:for|while|until|if|case|select|function)\b|<<|[{(|&]\s*$/;

/**
 * Lines that mean something only together with others: loops, branches, texts over several lines. And those that
 * would change the meaning of others in one line with them: a comment at the end, and a choice by `||`.
 */
const compound =
  /^(?:for|while|until|if|then|else|elif|fi|do|done|case|esac|function|end|\)|\})(?:\s|;|$)|<<|[{(|&;]$|\s#|\|\|/;

/**
 * The commands in a block of code, each as one line that a terminal takes for typed words: no line break, no
 * character that steers it. Comments and prompts are left out; of a session, what it answered is, too. None where
 * one of them is too long: the others may mean something else without it.
 */
export function commandsIn(code: string, language: string): readonly string[] {
  const habits = habitsOf(language);
  const typed = scriptIn(code, language)
    .split('\n')
    .map((line) => line.trim());
  const commands = continued(typed, habits)
    .filter((line) => line !== '' && !habits.comment.test(line))
    .map(typedWords)
    .filter((line) => line !== '');
  return commands.some(({ length }) => length > maxCommandLength) ? [] : commands;
}

/** A block of code without the prompts and the output of a session. */
export function scriptIn(code: string, language: string): string {
  const lines = visibleText(code).split('\n');
  const isSession = lines.some((line) => prompt.test(line.trim()));
  return isSession ? typedIn(lines, habitsOf(language)).join('\n') : lines.join('\n');
}

/** The lines of a session after a prompt, with their continuation lines. */
function typedIn(lines: readonly string[], { continuation }: ShellHabits): readonly string[] {
  let isContinued = false;
  let isOpen = false;
  return lines.flatMap((line) => {
    const isMore = isContinued || (isOpen && secondPrompt.test(line));
    const isTyped = isMore || prompt.test(line.trimStart());
    const text = isMore ? line.replace(secondPrompt, '') : line.trimStart().replace(prompt, '');
    isContinued = isTyped && continuation.test(line.trimEnd());
    isOpen = isTyped && ((isMore && isOpen) || opening.test(text) || !hasWholeQuotes(text));
    return isTyped ? [text] : [];
  });
}

/** All commands as one line, run one after another; undefined where they cannot be told apart for certain. */
export function joinedCommands(commands: readonly string[], language: string): string | undefined {
  const joined = commands.join(habitsOf(language).joint);
  const isSure = commands.every((command) => !compound.test(command) && hasWholeQuotes(command));
  return commands.length > 1 && isSure && joined.length <= maxCommandLength ? joined : undefined;
}

/** How shells write several lines as one that runs all of them in the same shell, by VS Code's names of shells. */
const wholeScripts: Readonly<Record<string, (lines: readonly string[]) => string>> = {
  bash: ansiQuoted,
  gitbash: ansiQuoted,
  zsh: ansiQuoted,
  ksh: printed,
  sh: printed,
  fish: fishQuoted,
  pwsh: (lines) => `@(${lines.map(powershellQuoted).join(',')}) -join "\`n" | Invoke-Expression`,
};

/**
 * A whole block of code as one line, also where its lines mean something only together. No line break is in it, so
 * that no shell runs a part of it, whether it knows bracketed paste or not.
 *
 * @param shell VS Code's name of the shell that the line is for
 * @returns undefined where that shell has no such form, or the line would be too long
 */
export function wholeScript(code: string, shell: string | undefined): string | undefined {
  const write = shell !== undefined && Object.hasOwn(wholeScripts, shell) ? wholeScripts[shell] : undefined;
  const lines = visibleText(code)
    .trimEnd()
    .split(/\r\n?|[\n\u2028\u2029\u0085]/)
    .map((line) => line.replace(/[^\P{Cc}\t]/gu, ''));
  const whole = write?.(lines);
  return whole !== undefined && whole.length <= maxCommandLength ? whole : undefined;
}

/** With quotes and `!` by their numbers: the history of an interactive shell reads them before the shell does. */
function ansiQuoted(lines: readonly string[]): string {
  const written = lines.map((line) =>
    line.replace(/\\/g, '\\\\').replace(/'/g, '\\x27').replace(/!/g, '\\x21').replace(/\t/g, '\\t'),
  );
  return `eval $'${written.join('\\n')}'`;
}

/** For shells that may not have `$'…'`. In an argument of `%b`, a quote is written by its number. */
function printed(lines: readonly string[]): string {
  const written = lines.map((line) =>
    line.replace(/\\/g, '\\\\').replace(/'/g, '\\0047').replace(/!/g, '\\0041').replace(/\t/g, '\\t'),
  );
  return `eval "$(printf %b '${written.join('\\n')}')"`;
}

/** Fish reads escapes such as `\n` only outside of quotes. */
function fishQuoted(lines: readonly string[]): string {
  const written = lines.map((line) => `'${line.replace(/[\\']/g, '\\$&').replace(/\t/g, "'\\t'")}'`);
  return `eval ${written.join('\\n')}`;
}

/** PowerShell takes five characters for a single quote. A tab would complete a word. */
function powershellQuoted(line: string): string {
  return `'${line.replace(/\t/g, '    ').replace(/['‘’‚‛]/g, '$&$&')}'`;
}

function habitsOf(language: string): ShellHabits {
  if (/^(?:powershell|pwsh|ps1)$/i.test(language)) return powershell;
  return /^(?:bat|batch|cmd|dos)$/i.test(language) ? batch : posix;
}

function continued(lines: readonly string[], { continuation }: ShellHabits): readonly string[] {
  const whole: string[] = [];
  let open = '';
  for (const line of lines) {
    if (continuation.test(line)) open += `${line.replace(continuation, '').trim()} `;
    else {
      whole.push((open + line).trim());
      open = '';
    }
  }
  return open === '' ? whole : [...whole, open.trim()];
}

/** Without what a terminal takes for a key: a tab completes, an escape begins a sequence. */
function typedWords(line: string): string {
  return line
    .replace(/[\t\n\r]+/g, ' ')
    .replace(/[\p{Cc}\p{Zl}\p{Zp}]/gu, '')
    .trim();
}

function hasWholeQuotes(command: string): boolean {
  return ["'", '"', '`'].every((quote) => command.split(quote).length % 2 === 1);
}
