/** A stretch of code of one colour; `kind` is empty for the colour of plain text. */
export interface CodeRun {
  readonly kind: string;
  readonly text: string;
}

/**
 * The colour of each of the highlighter's scopes. Scopes that are not here have the colour of what they
 * stand in; each colour less is an element less for every such word.
 */
const kinds: Readonly<Record<string, string>> = {
  addition: 'added',
  attr: 'property',
  attribute: 'property',
  built_in: 'type',
  bullet: 'keyword',
  char: 'string',
  class_: 'type',
  code: 'string',
  comment: 'comment',
  deletion: 'removed',
  doctag: 'keyword',
  keyword: 'keyword',
  link: 'string',
  literal: 'constant',
  meta: 'function',
  name: 'keyword',
  number: 'number',
  quote: 'comment',
  regexp: 'string',
  section: 'function',
  'selector-attr': 'property',
  'selector-class': 'function',
  'selector-id': 'function',
  'selector-pseudo': 'property',
  'selector-tag': 'keyword',
  string: 'string',
  subst: '',
  symbol: 'constant',
  title: 'function',
  'template-variable': 'property',
  type: 'type',
  variable: 'property',
};

const entities: Readonly<Record<string, string>> = {
  '&amp;': '&',
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&#x27;': "'",
};

/** Reads the highlighter's output, which is text and nested `<span class="…">`, as runs of one colour. */
export function codeRuns(markup: string): readonly CodeRun[] {
  const runs: { kind: string; text: string }[] = [];
  const open = [''];
  for (const part of markup.split(/(<[^<>]*>)/)) {
    const kind = open.at(-1) ?? '';
    if (part === '</span>') open.pop();
    else if (part.startsWith('<')) open.push(kindOf(part) ?? kind);
    else if (part !== '')
      addRun(
        runs,
        kind,
        part.replace(/&[^&;]*;/g, (entity) => entities[entity] ?? entity),
      );
  }
  return runs;
}

function addRun(runs: { kind: string; text: string }[], kind: string, text: string): void {
  const last = runs.at(-1);
  if (last?.kind === kind) last.text += text;
  else runs.push({ kind, text });
}

/** The colour of a span such as `<span class="hljs-title class_">`: its last word knows best. */
function kindOf(span: string): string | undefined {
  const scopes = /class="([^"]*)"/.exec(span)?.[1]?.split(' ') ?? [];
  const known = scopes.map((scope) => kinds[scope.replace('hljs-', '')]).filter((kind) => kind !== undefined);
  return known.at(-1);
}
