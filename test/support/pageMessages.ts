import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  isCallExpression,
  isConditionalExpression,
  isIdentifier,
  isNoSubstitutionTemplateLiteral,
  isParenthesizedExpression,
  isStringLiteral,
  isTaggedTemplateExpression,
  isTemplateExpression,
} from 'typescript/unstable/ast/is';
import { API } from 'typescript/unstable/sync';
import { root } from '../../scripts/root.mjs';

/** The texts in the source of the pages. */
export interface PageMessages {
  /** The first argument of each call of `t`, in each of its cases. */
  readonly messages: ReadonlySet<string>;
  /** Calls of `t` whose message is not a literal. */
  readonly computed: readonly string[];
  /** Untranslated texts: words in templates and phrases anywhere, outside `t`. */
  readonly unmarked: readonly string[];
}

type SourceFile = NonNullable<ReturnType<Program['getSourceFile']>>;
type Program = NonNullable<ReturnType<ReturnType<API['updateSnapshot']>['getProject']>>['program'];
type Node = Parameters<typeof isStringLiteral>[0];

/** A phrase instead of the name of a key, a tag or a class: several words, the first capitalized. */
const phrasePattern = /^\p{Lu}\p{Ll}+ \p{L}/u;

/** A placeholder for an expression in a template. */
const placeholder = '\u{e000}';

const spokenAttributes =
  'title|aria-label|placeholder|alt|aria-description|aria-roledescription|aria-valuetext|label';

export function readPageMessages(): PageMessages {
  const home = fileURLToPath(root);
  const config = fileURLToPath(new URL('src/webview/tsconfig.json', root));
  const api = new API({ cwd: home });
  try {
    const project = api.updateSnapshot({ openProjects: [config] }).getProject(config);
    if (!project) throw new Error('The compiler reads no pages.');
    const { program, rootFiles } = project;
    const paths = rootFiles.filter((path) => path.includes('/src/webview/'));
    const pages = paths.map((path) => {
      const file = program.getSourceFile(path);
      if (!file) throw new Error(`${path} is not read.`);
      return collectMessages(file, relative(home, path));
    });
    return {
      messages: new Set(pages.flatMap(({ messages }) => [...messages])),
      computed: pages.flatMap(({ computed }) => computed),
      unmarked: pages.flatMap(({ unmarked }) => unmarked),
    };
  } finally {
    api.close();
  }
}

function collectMessages(file: SourceFile, name: string): PageMessages {
  const messages = new Set<string>();
  const computed: string[] = [];
  const unmarked: string[] = [];
  const visit = (node: Node, isMarked: boolean) => {
    const isCall = isCallExpression(node) && isIdentifier(node.expression) && node.expression.text === 't';
    if (isCall) {
      const cases = readLiterals(node.arguments[0]);
      for (const message of cases) if (message !== undefined) messages.add(message);
      if (cases.includes(undefined)) computed.push(`${name}: ${node.getText(file)}`);
    }
    if (isTaggedTemplateExpression(node)) {
      const words = node.tag.getText(file) === 'html' ? findWords(node.template) : [];
      unmarked.push(...words.map((each) => `${name}: ${each}`));
    } else if (!isMarked && phrasePattern.test(readFixedText(node)))
      unmarked.push(`${name}: ${readFixedText(node)}`);
    const isCase = isMarked && (isConditionalExpression(node) || isParenthesizedExpression(node));
    node.forEachChild((child) => visit(child, isCall || isCase));
  };
  visit(file, false);
  return { messages, computed, unmarked };
}

/** Reads the possible texts of an expression; undefined for a text that is not a literal. */
function readLiterals(node: Node | undefined): readonly (string | undefined)[] {
  if (node === undefined) return [undefined];
  if (isStringLiteral(node) || isNoSubstitutionTemplateLiteral(node)) return [node.text];
  if (isParenthesizedExpression(node)) return readLiterals(node.expression);
  return isConditionalExpression(node)
    ? [...readLiterals(node.whenTrue), ...readLiterals(node.whenFalse)]
    : [undefined];
}

/** Finds the words of a template: in texts, and in labels for screen readers. */
function findWords(template: Node): readonly string[] {
  const html = readFixedText(template);
  const attributes = [...html.matchAll(new RegExp(` (?:${spokenAttributes})=("[^"]*"|'[^']*')`, 'g'))];
  const texts = html.replace(/<!--.*?-->/gs, '').split(/<[^>]*>/);
  return [...attributes.map(([all]) => all), ...texts]
    .map((words) => words.trim())
    .filter((words) => /\p{L}/u.test(words.replace(/^[\w-]+=/, '').replaceAll(placeholder, '')));
}

/** Reads the fixed part of a literal; empty for other nodes. */
function readFixedText(template: Node): string {
  if (isStringLiteral(template) || isNoSubstitutionTemplateLiteral(template)) return template.text;
  if (!isTemplateExpression(template)) return '';
  return [template.head, ...template.templateSpans.map(({ literal }) => literal)]
    .map(({ text }) => text)
    .join(placeholder);
}
