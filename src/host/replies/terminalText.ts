import { visibleText } from '../display/plainText.ts';

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

/** The prompt of a line that goes on. */
const secondPrompt = /^>+\s+/;

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
  const lines = visibleText(code)
    .split('\n')
    .map((line) => line.trim());
  const typed = lines.some((line) => prompt.test(line)) ? typedIn(lines, habits) : lines;
  const commands = continued(typed, habits)
    .filter((line) => line !== '' && !habits.comment.test(line))
    .map(typedWords)
    .filter((line) => line !== '');
  return commands.some(({ length }) => length > maxCommandLength) ? [] : commands;
}

/** What was typed in a session: lines after a prompt, and those that such a line goes on in. */
function typedIn(lines: readonly string[], { continuation }: ShellHabits): readonly string[] {
  let goesOn = false;
  return lines.flatMap((line) => {
    const text = line.replace(goesOn ? secondPrompt : prompt, '');
    const isTyped = goesOn || prompt.test(line);
    goesOn = isTyped && continuation.test(line);
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

/** Whether a block shows a session, with prompts and answers in between. */
export function isSession(code: string): boolean {
  return code.split('\n').some((line) => prompt.test(line.trim()));
}

/** With quotes and `!` by their numbers: the history of an interactive shell reads them before the shell does. */
function ansiQuoted(lines: readonly string[]): string {
  const written = lines.map((line) =>
    line.replace(/\\/g, '\\\\').replace(/'/g, '\\x27').replace(/!/g, '\\x21').replace(/\t/g, '\\t'),
  );
  return `eval $'${written.join('\\n')}'`;
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
