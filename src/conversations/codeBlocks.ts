export interface CodeBlock {
  /** The word after the opening fence; empty when there is none. */
  readonly language: string;
  readonly code: string;
}

const fence = /^ {0,3}(`{3,}|~{3,})[ \t]*([^\s`]*)[^`\n]*$/;

/** The fenced code blocks of a Markdown text, in order; one left open at the end counts too. */
export function codeBlocks(markdown: string): readonly CodeBlock[] {
  const blocks: CodeBlock[] = [];
  let open: { readonly mark: string; readonly language: string; readonly lines: string[] } | undefined;
  for (const line of markdown.split(/\r?\n/)) {
    const [, mark = '', language = ''] = fence.exec(line) ?? [];
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
