import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { root } from '../../scripts/root.mjs';

const smallWords = /^(?:a|an|and|as|at|by|for|from|in|into|of|on|or|the|to|with)$/;

/** Suggested questions and pictures of tasks: these buttons do not show commands. */
const notCommands = /class="(?:example|tile)"/;

/** Whether a label is in title case. Text in brackets is a remark, such as a key. */
function isTitleCase(label: string): boolean {
  const words = label
    .replace(/\(.*?\)/g, '')
    .split(/\s+/)
    .filter(Boolean);
  return words.every((word, index) => !/^[a-z]/.test(word) || (index > 0 && smallWords.test(word)));
}

function sources(pattern: string): readonly (readonly [file: string, text: string])[] {
  return globSync(pattern, { cwd: fileURLToPath(root) }).map((file) => [
    file,
    readFileSync(new URL(file, root), 'utf8'),
  ]);
}

/** The labels of the host's tables of actions, of its menu, and of the buttons of notifications and dialogs. */
function hostLabels(text: string): string[] {
  const tables = text.matchAll(/label: \(\) => vscode\.l10n\.t\('([^']+)'/g);
  const menu = text.matchAll(/menuItem\(\s*'\w+',\s*'[\w-]+',\s*vscode\.l10n\.t\('([^']+)'/g);
  const chosen = [...text.matchAll(/[!=]== (\w+)\b/g)].map(([, name]) => name);
  const compared = [...text.matchAll(/const (\w+) =\s([^;]+);/g)]
    .filter(([, name]) => chosen.includes(name))
    .flatMap(([, , value = '']) => [...value.matchAll(/l10n\.t\(\s*'([^']+)'/g)]);
  const labels = [...tables, ...menu, ...compared].map(([, label = '']) => label);
  return labels.filter((label) => !label.endsWith('?'));
}

/** The labels of the buttons in the templates of a page. */
function pageLabels(source: string): string[] {
  const text = inEnglish(source);
  const icons = text.matchAll(/renderIconButton\(\s*'[\w-]+',\s*'([^']+)'/g);
  const properties = text.matchAll(/(?:label|moreLabel|remove|replace): '([^']+)'/g);
  const buttons = [...text.matchAll(/<button\b/g)].flatMap(({ index }) => buttonLabels(text.slice(index)));
  return [...[...icons, ...properties].map(([, label = '']) => label), ...buttons];
}

/** A template of a page with its messages in English. */
function inEnglish(source: string): string {
  return source
    .replace(/=\$\{t\('([^']+)'\)\}/g, '="$1"')
    .replace(/\$\{t\('([^']+)'(?:, [^()]*)?\)\}/g, '$1')
    .replace(/\bt\(('[^']+')(?:, [^()]*)?\)/g, '$1');
}

/** The fixed parts of the tooltip and the text of the button at the start of a template. */
function buttonLabels(template: string): string[] {
  const button = withoutExpressions(template.slice(0, template.indexOf('</button>')));
  if (notCommands.test(button.html)) return [];
  const tag = /^<button[^>]*>/.exec(button.html)?.[0] ?? '';
  const tooltips = [...tag.matchAll(/ (?:title|aria-label)="([^"]+)"/g)].map(([, label = '']) => label);
  const words = button.html.replace(/<[^>]*>/g, ' ').trim();
  return [...tooltips, words, ...button.strings];
}

/** Removes the expressions from a template. Returns the strings in expressions that are shown as text. */
function withoutExpressions(template: string): {
  readonly html: string;
  readonly strings: readonly string[];
} {
  const strings: string[] = [];
  let html = '';
  let at = 0;
  while (at < template.length) {
    if (!template.startsWith('${', at)) {
      html += template[at++];
      continue;
    }
    const end = findExpressionEnd(template, at);
    const isInTag = html.lastIndexOf('<') > html.lastIndexOf('>');
    const literals = template.slice(at, end).matchAll(/[?:{]\s*['`]([^'`$<]*)/g);
    if (!isInTag) strings.push(...[...literals].map(([, text = '']) => text));
    html += isInTag ? '' : '0';
    at = end;
  }
  return { html, strings };
}

function findExpressionEnd(template: string, start: number): number {
  let depth = 0;
  for (let at = start; at < template.length; at++) {
    if (template[at] === '{') depth++;
    if (template[at] === '}' && --depth === 0) return at + 1;
  }
  return template.length;
}

describe('button labels', () => {
  it('are in title case in notifications, dialogs, menus and pages', () => {
    const labels = [
      ...sources('src/host/**/*.ts').map(([file, text]) => [file, hostLabels(text)] as const),
      ...sources('src/webview/**/*.ts').map(([file, text]) => [file, pageLabels(text)] as const),
    ].flatMap(([file, found]) => found.map((label) => ({ file, label })));
    assert.ok(labels.length > 100, `only ${labels.length} labels were found`);
    for (const known of ['Show Log', 'Save Anyway', 'New Video', 'Copy Reply', 'Jump to End', 'Reset All'])
      assert.ok(
        labels.some(({ label }) => label === known),
        `${known} was not found`,
      );
    assert.deepEqual(
      labels.filter(({ label }) => !isTitleCase(label)),
      [],
      'write these labels in title case',
    );
  });

  it('are in title case in the empty views', () => {
    const texts: Readonly<Record<string, string>> = JSON.parse(
      readFileSync(new URL('package.nls.json', root), 'utf8'),
    );
    const labels = Object.values(texts).flatMap((text) =>
      [...text.matchAll(/^\[([^\]]+)\]\(command:/gm)].map(([, label = '']) => label),
    );
    assert.ok(labels.length > 0);
    assert.deepEqual(
      labels.filter((label) => !isTitleCase(label)),
      [],
      'write these labels of package.nls.json in title case',
    );
  });
});
