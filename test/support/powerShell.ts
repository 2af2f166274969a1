/**
 * The effects of a PowerShell script: the program that it runs, the arguments, and the files that it wrote before.
 */
export interface PowerShellRun {
  readonly program: string;
  readonly args: readonly string[];
  /** The texts of files by their names. */
  readonly files: Readonly<Record<string, string>>;
}

/**
 * Parses a script as PowerShell does, as far as copied commands need it (about_Quoting_Rules, about_Parsing):
 * strings in single quotes (there are five kinds of them, and a doubled quote is an escaped one), variables, `+`
 * within brackets, and lines that continue after a backtick. Throws for anything else.
 */
export function parsePowerShell(
  script: string,
  environment: Readonly<Record<string, string>>,
): PowerShellRun {
  return new Reader(script, environment).run();
}

const singleQuotes = new Set("'\u2018\u2019\u201a\u201b");

class Reader {
  readonly #script: string;
  readonly #variables: Record<string, string> = {};
  readonly #files: Record<string, string> = {};
  #offset = 0;

  constructor(script: string, environment: Readonly<Record<string, string>>) {
    this.#script = script;
    for (const [name, value] of Object.entries(environment)) this.#variables[`env:${name}`] = value;
  }

  run(): PowerShellRun {
    let command: Pick<PowerShellRun, 'program' | 'args'> | undefined;
    while (this.#offset < this.#script.length) {
      const [creation, file = ''] = this.#match(/^\$(\w+) = \(New-TemporaryFile\)\.FullName/);
      const [write, target = ''] = this.#match(/^\[IO\.File\]::WriteAllText\(\$(\w+), /);
      const [removal] = this.#match(/^Remove-Item -LiteralPath \$\w+/);
      if (creation) this.#variables[file] = `temporary ${file}`;
      else if (write) this.#writeFile(target);
      else if (removal) this.#expect(command !== undefined);
      else command = this.#readCommand();
      this.#expect(this.#offset === this.#script.length || this.#skip('\n'));
    }
    if (!command) throw new Error('the script does not run a command');
    return { ...command, files: this.#files };
  }

  #match(pattern: RegExp): readonly string[] {
    const found = pattern.exec(this.#script.slice(this.#offset)) ?? [];
    this.#offset += found[0]?.length ?? 0;
    return found;
  }

  #writeFile(name: string): void {
    this.#expect(Object.hasOwn(this.#variables, name));
    this.#files[this.#variables[name] ?? ''] = this.#readValue();
    this.#expect(this.#skip(')'));
  }

  #readCommand(): Pick<PowerShellRun, 'program' | 'args'> {
    const [program = '', ...args] = this.#readWords();
    return { program, args };
  }

  #readWords(): readonly string[] {
    const words: string[] = [];
    for (;;) {
      while (this.#skip(' ') || this.#skip('`\n'));
      if (this.#offset === this.#script.length || this.#script[this.#offset] === '\n') return words;
      words.push(this.#readWord());
    }
  }

  #readWord(): string {
    if (this.#skip('(')) {
      const parts = [this.#readValue()];
      while (this.#skip(' + ')) parts.push(this.#readValue());
      this.#expect(this.#skip(')'));
      return parts.join('');
    }
    const [bare = ''] = /^[\w.-]+/.exec(this.#script.slice(this.#offset)) ?? [];
    this.#offset += bare.length;
    return bare === '' ? this.#readValue() : bare;
  }

  /** Reads a string or a variable. */
  #readValue(): string {
    if (singleQuotes.has(this.#script[this.#offset] ?? '')) return this.#readSingleQuoted();
    const [match, before = '', name = ''] =
      /^"([@]?)\$([\w:]+)"/.exec(this.#script.slice(this.#offset)) ??
      /^()\$([\w:]+)/.exec(this.#script.slice(this.#offset)) ??
      [];
    this.#expect(match !== undefined && Object.hasOwn(this.#variables, name));
    this.#offset += match?.length ?? 0;
    return before + this.#variables[name];
  }

  #readSingleQuoted(): string {
    let text = '';
    for (this.#offset++; this.#offset < this.#script.length; this.#offset++) {
      const letter = this.#script[this.#offset] ?? '';
      if (singleQuotes.has(letter)) {
        this.#offset++;
        if (!singleQuotes.has(this.#script[this.#offset] ?? '')) return text;
      }
      text += this.#script[this.#offset];
    }
    throw new Error('a string has no end');
  }

  #skip(text: string): boolean {
    if (!this.#script.startsWith(text, this.#offset)) return false;
    this.#offset += text.length;
    return true;
  }

  #expect(isExpected: boolean): void {
    if (!isExpected)
      throw new Error(
        `not understood: ${JSON.stringify(this.#script.slice(this.#offset, this.#offset + 60))}`,
      );
  }
}

/**
 * Returns the arguments that a program receives from Windows PowerShell 5.1, which quotes an argument with a space
 * but does not escape quotes within it (NativeCommandParameterBinder). The program's runtime then parses the
 * command line by the rules of CommandLineToArgvW.
 */
export function passThroughWindowsPowerShell(args: readonly string[]): readonly string[] {
  return parseArguments(args.map((arg) => (needsQuotes(arg) ? `"${arg}"` : arg)).join(' '));
}

/** After an even number of quotes a space is unquoted. */
function needsQuotes(arg: string): boolean {
  let quotes = 0;
  let isEscaped = false;
  for (const letter of arg) {
    if (letter === '"' && !isEscaped) quotes++;
    else if (/\s/.test(letter) && quotes % 2 === 0) return true;
    isEscaped = letter === '\\';
  }
  return false;
}

/** Parses by the rules of CommandLineToArgvW the text after the program's name. */
function parseArguments(line: string): readonly string[] {
  const args: string[] = [];
  let offset = 0;
  while (offset < line.length) {
    if (/[ \t]/.test(line[offset] ?? '')) {
      offset++;
      continue;
    }
    let arg = '';
    let isQuoted = false;
    while (offset < line.length && (isQuoted || !/[ \t]/.test(line[offset] ?? ''))) {
      const [, slashes = '', quote = ''] = /^(\\*)("?)/.exec(line.slice(offset)) ?? [];
      if (slashes === '' && quote === '') {
        arg += line[offset++];
        continue;
      }
      offset += slashes.length + quote.length;
      arg += '\\'.repeat(quote === '' ? slashes.length : Math.floor(slashes.length / 2));
      if (quote === '') continue;
      if (slashes.length % 2 === 1) arg += '"';
      else if (isQuoted && line[offset] === '"') {
        arg += '"';
        offset++;
      } else isQuoted = !isQuoted;
    }
    args.push(arg);
  }
  return args;
}
