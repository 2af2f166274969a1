interface CodeBlock {
  /** The word after the opening fence; empty without one. */
  readonly language: string;
  readonly code: string;
}

/** With the flag `s`, `.*` matches any rest of a line; otherwise a failed match would backtrack repeatedly. */
const fencePattern = /^ {0,3}(`{3,}|~{3,})(.*)$/s;

const lineEnd = /\r\n?|\n/;

/** Reads the fenced code blocks of a Markdown text in order, including an unclosed block at the end. */
export function readCodeBlocks(markdown: string): readonly CodeBlock[] {
  const blocks: CodeBlock[] = [];
  let open: { readonly mark: string; readonly language: string; readonly lines: string[] } | undefined;
  for (const line of markdown.split(lineEnd)) {
    const { mark, language } = readFence(line);
    if (open === undefined) {
      if (mark !== '') open = { mark, language, lines: [] };
    } else if (language === '' && mark.startsWith(open.mark)) {
      blocks.push({ language: open.language, code: open.lines.join('\n') });
      open = undefined;
    } else {
      open.lines.push(line);
    }
  }
  if (open) blocks.push({ language: open.language, code: open.lines.join('\n') });
  return blocks;
}

/**
 * Finds the opening line of an unclosed code block at the end of a text; undefined if there is no such block,
 * or if it has no language.
 */
export function findOpenFence(markdown: string): string | undefined {
  let open: { readonly mark: string; readonly line: string; readonly language: string } | undefined;
  for (const line of markdown.split(lineEnd)) {
    const { mark, language } = readFence(line);
    if (mark === '') continue;
    if (open === undefined) open = { mark, language, line: line.trim() };
    else if (language === '' && mark.startsWith(open.mark)) open = undefined;
  }
  return open?.language ? open.line : undefined;
}

/**
 * Reads the fence in a line; `mark` is empty if there is none. A line with further backticks is inline code. A
 * fence with a language does not close a block.
 */
export function readFence(line: string): { readonly mark: string; readonly language: string } {
  const [, mark = '', info = ''] = fencePattern.exec(line) ?? [];
  if (info.includes('`')) return { mark: '', language: '' };
  return { mark, language: /^\S*/.exec(info.trim())?.[0] ?? '' };
}

/** Creates a fenced code block of Markdown. Its fence is longer than any fence in the code. */
export function fenceCode(code: string, language = ''): string {
  let longest = 2;
  for (const [run] of code.matchAll(/`{3,}/g)) longest = Math.max(longest, run.length);
  const fence = '`'.repeat(longest + 1);
  const word = /^[\w+#.-]{1,40}$/.test(language) ? language : '';
  return `${fence}${word}\n${code}${code.endsWith('\n') ? '' : '\n'}${fence}`;
}
