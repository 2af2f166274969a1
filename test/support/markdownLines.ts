import { BlockSplitter, type ClosedPart } from '../../src/webview/markdown/blockSplitter.ts';
import { parse, type References, type Token } from '../../src/webview/markdown/markdownParser.ts';

/** Returns everything that the splitter closes when a text arrives in these pieces. */
export function splitPieces(pieces: readonly string[]): readonly ClosedPart[] {
  const splitter = new BlockSplitter();
  const closed: ClosedPart[] = [];
  for (const piece of pieces) {
    splitter.push(piece);
    while (splitter.hasPending) closed.push(...splitter.step());
  }
  return [...closed, ...splitter.end()];
}

/** Joins the closed parts again, and formats them: one line for each token. */
export function formatParts(closed: readonly ClosedPart[]): readonly string[] {
  const references: References = {};
  for (const part of closed) if (part.kind === 'blocks') parse(part.source, references);
  const lines: string[] = [];
  for (const part of closed) {
    if (part.kind === 'plain') {
      lines.push(`plain ${part.text}`);
      continue;
    }
    const [first, ...rest] = formatBlocks(part, references);
    if (part.continuedContainer?.kind === 'fence')
      lines.push(lines.pop() + (first ?? '').slice('fence '.length));
    else if (first !== undefined) lines.push(first);
    lines.push(...rest);
  }
  return lines;
}

function formatBlocks(
  { source, continuedContainer: continues, openContainer: remains }: Extract<ClosedPart, { kind: 'blocks' }>,
  references: References,
): readonly string[] {
  const blocks = parse(source, references);
  return blocks.flatMap(({ tokens }, index) => {
    const newTokens = continues && index === 0 ? dropBeginning(tokens) : tokens;
    const isOpen = remains && index === blocks.length - 1 && tokens.length > 1;
    return (isOpen ? newTokens.slice(0, -1) : newTokens).flatMap(formatToken);
  });
}

/** Drops the list and the item that represents earlier items, or the table and its head. */
function dropBeginning(tokens: readonly Token[]): readonly Token[] {
  const [first] = tokens;
  if (first?.type === 'fence') return tokens;
  const end = first?.type === 'table_open' ? 'thead_close' : 'list_item_close';
  return tokens.slice(tokens.findIndex(({ type, level }) => type === end && level === 1) + 1);
}

/** Omits differences of parts: the whole table determines the start of its body, and the whole list its looseness. */
function formatToken({ type, tag, content, children }: Token): readonly string[] {
  if (type === 'tbody_open' || type === 'tbody_close') return [];
  if (type === 'fence') return [`fence ${content}`];
  return [
    `${type} ${tag} ${children ? children.map((child) => child.type + child.content).join(' ') : content}`,
  ];
}

/** Formats the tokens of a whole text, one per line. */
export function formatText(text: string): readonly string[] {
  const references: References = {};
  parse(text, references);
  return parse(text, references).flatMap(({ tokens }) => tokens.flatMap(formatToken));
}
