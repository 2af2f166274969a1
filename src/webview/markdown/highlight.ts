import type { LanguageFn } from 'highlight.js';
import highlighter from 'highlight.js/lib/core';
import bash from 'highlight.js/lib/languages/bash';
import c from 'highlight.js/lib/languages/c';
import cpp from 'highlight.js/lib/languages/cpp';
import csharp from 'highlight.js/lib/languages/csharp';
import css from 'highlight.js/lib/languages/css';
import diff from 'highlight.js/lib/languages/diff';
import dockerfile from 'highlight.js/lib/languages/dockerfile';
import go from 'highlight.js/lib/languages/go';
import ini from 'highlight.js/lib/languages/ini';
import java from 'highlight.js/lib/languages/java';
import javascript from 'highlight.js/lib/languages/javascript';
import json from 'highlight.js/lib/languages/json';
import kotlin from 'highlight.js/lib/languages/kotlin';
import makefile from 'highlight.js/lib/languages/makefile';
import markdown from 'highlight.js/lib/languages/markdown';
import php from 'highlight.js/lib/languages/php';
import powershell from 'highlight.js/lib/languages/powershell';
import python from 'highlight.js/lib/languages/python';
import ruby from 'highlight.js/lib/languages/ruby';
import rust from 'highlight.js/lib/languages/rust';
import scss from 'highlight.js/lib/languages/scss';
import shell from 'highlight.js/lib/languages/shell';
import sql from 'highlight.js/lib/languages/sql';
import swift from 'highlight.js/lib/languages/swift';
import typescript from 'highlight.js/lib/languages/typescript';
import xml from 'highlight.js/lib/languages/xml';
import yaml from 'highlight.js/lib/languages/yaml';

/** Grammars by name. A grammar is built when the first block of its language appears. */
const grammars: Readonly<Record<string, LanguageFn>> = {
  bash,
  c,
  cpp,
  csharp,
  css,
  diff,
  dockerfile,
  go,
  ini,
  java,
  javascript,
  json,
  kotlin,
  makefile,
  markdown,
  php,
  powershell,
  python,
  ruby,
  rust,
  scss,
  shell,
  sql,
  swift,
  typescript,
  xml,
  yaml,
};

const aliases: Readonly<Record<string, string>> = {
  sh: 'bash',
  zsh: 'bash',
  h: 'c',
  'c++': 'cpp',
  cc: 'cpp',
  hpp: 'cpp',
  cs: 'csharp',
  'c#': 'csharp',
  patch: 'diff',
  docker: 'dockerfile',
  golang: 'go',
  toml: 'ini',
  kt: 'kotlin',
  mk: 'makefile',
  js: 'javascript',
  jsx: 'javascript',
  mjs: 'javascript',
  cjs: 'javascript',
  node: 'javascript',
  jsonc: 'json',
  json5: 'json',
  md: 'markdown',
  ps1: 'powershell',
  pwsh: 'powershell',
  py: 'python',
  rb: 'ruby',
  rs: 'rust',
  less: 'scss',
  console: 'shell',
  shellsession: 'shell',
  ts: 'typescript',
  tsx: 'typescript',
  mts: 'typescript',
  cts: 'typescript',
  html: 'xml',
  svg: 'xml',
  xhtml: 'xml',
  vue: 'xml',
  yml: 'yaml',
};

/** Returns the name of the grammar for the language of a code block; undefined if there is none. */
export function findGrammar(language: string): string | undefined {
  const name = language.toLowerCase();
  if (Object.hasOwn(grammars, name)) return name;
  return Object.hasOwn(aliases, name) ? aliases[name] : undefined;
}

interface Highlighted {
  /** Nested `<span class="…">` around escaped text, and nothing else. */
  readonly markup: string;
  /** Whether the text ends outside all strings and comments, so that the next text can be read independently. */
  readonly isComplete: boolean;
}

/** Colours code that begins outside all strings and comments. */
export function highlight(code: string, grammar: string): Highlighted {
  registerGrammar(grammar);
  const result = highlighter.highlight(code, { language: grammar, ignoreIllegals: true });
  // Inside a string or comment, `_top` is the mode of that string or comment.
  return { markup: result.value, isComplete: result._top === highlighter.getLanguage(grammar) };
}

function registerGrammar(grammar: string): void {
  if (highlighter.getLanguage(grammar)) return;
  const define = grammars[grammar];
  if (define) highlighter.registerLanguage(grammar, define);
  // HTML contains scripts and styles.
  if (grammar === 'xml') for (const inner of ['javascript', 'css']) registerGrammar(inner);
}

/** A run of code in one colour; `kind` is empty for the colour of plain text. */
interface CodeRun {
  readonly kind: string;
  readonly text: string;
}

/**
 * The colour of each of the highlighter's scopes. Other scopes inherit the colour of the surrounding scope. Each
 * omitted colour saves one element per word.
 */
const kindsByScope: Readonly<Record<string, string>> = {
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

/** Reads the highlighter's output, text and nested `<span class="…">`, and returns its runs of one colour. */
export function readCodeRuns(markup: string): readonly CodeRun[] {
  const runs: { kind: string; text: string }[] = [];
  const open = [''];
  for (const part of markup.split(/(<[^<>]*>)/)) {
    const kind = open.at(-1) ?? '';
    if (part === '</span>') open.pop();
    else if (part.startsWith('<')) open.push(readKind(part) ?? kind);
    else if (part !== '')
      appendRun(
        runs,
        kind,
        part.replace(/&[^&;]*;/g, (entity) => entities[entity] ?? entity),
      );
  }
  return runs;
}

function appendRun(runs: { kind: string; text: string }[], kind: string, text: string): void {
  const last = runs.at(-1);
  if (last?.kind === kind) last.text += text;
  else runs.push({ kind, text });
}

/**
 * Reads the colour of a span such as `<span class="hljs-title class_">`: its last known class is the most specific.
 */
function readKind(span: string): string | undefined {
  const scopes = /class="([^"]*)"/.exec(span)?.[1]?.split(' ') ?? [];
  const knownKinds = scopes
    .map((scope) => kindsByScope[scope.replace('hljs-', '')])
    .filter((kind) => kind !== undefined);
  return knownKinds.at(-1);
}
