export interface CodeBlock {
  /** The word after the opening fence; empty without one. */
  readonly language: string;
  readonly code: string;
}

/** With the flag `s` it matches whatever follows the mark: a line that does not match would be read again and again. */
const fence = /^ {0,3}(`{3,}|~{3,})(.*)$/s;

const lineEnd = /\r\n?|\n/;

/** The fenced code blocks of a Markdown text in order, also one that is still open at the end. */
export function codeBlocks(markdown: string): readonly CodeBlock[] {
  const blocks: CodeBlock[] = [];
  let open: { readonly mark: string; readonly language: string; readonly lines: string[] } | undefined;
  for (const line of markdown.split(lineEnd)) {
    const { mark, language } = fenceIn(line);
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

/** The line that opened the code block in which a text ends; undefined outside of one, and without a language. */
export function openFence(markdown: string): string | undefined {
  let open: { readonly mark: string; readonly line: string; readonly language: string } | undefined;
  for (const line of markdown.split(lineEnd)) {
    const { mark, language } = fenceIn(line);
    if (mark === '') continue;
    if (open === undefined) open = { mark, language, line: line.trim() };
    else if (language === '' && mark.startsWith(open.mark)) open = undefined;
  }
  return open?.language ? open.line : undefined;
}

/**
 * The fence that a line opens or closes; without a mark where there is none. A line with more backticks is inline
 * code. A fence with a language does not close.
 */
export function fenceIn(line: string): { readonly mark: string; readonly language: string } {
  const [, mark = '', words = ''] = fence.exec(line) ?? [];
  if (words.includes('`')) return { mark: '', language: '' };
  return { mark, language: /^\S*/.exec(words.trim())?.[0] ?? '' };
}

/** A fenced code block of Markdown, whose fence is longer than any within. */
export function fenced(code: string, language = ''): string {
  let longest = 2;
  for (const [run] of code.matchAll(/`{3,}/g)) longest = Math.max(longest, run.length);
  const fence = '`'.repeat(longest + 1);
  const word = /^[\w+#.-]{1,40}$/.test(language) ? language : '';
  return `${fence}${word}\n${code}${code.endsWith('\n') ? '' : '\n'}${fence}`;
}
