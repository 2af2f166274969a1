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
