import { LineCounter, parseDocument } from 'yaml';
import { isObject, scalarText } from '../../../base/json.ts';
import { readTextFormatId, type TextFormatId } from '../../../wire/apis/textFormats.ts';
import { clip, removeHidden } from '../../kit/display/plainText.ts';
import { readTemplate, type Template } from './promptTemplate.ts';

/** The maximum length of a prompt file, in UTF-16 units. */
export const maxPromptLength = 256 * 1024;

/**
 * The maximum length of the front matter, in UTF-16 units. It is small, because the parser compares each field name
 * with all others.
 */
export const maxFrontMatterLength = 16 * 1024;

/** The maximum lengths of names, descriptions and hints, in UTF-16 units. Longer texts are cut. */
const maxNameLength = 100;
const maxDescriptionLength = 1000;

/** The suffix of prompt file names, the same as for VS Code's own prompt files. */
export const promptSuffix = '.prompt.md';

/** The content of a prompt file. */
export interface FilePrompt {
  /** The name in lists and after `/`. */
  readonly name: string;
  readonly description: string;
  readonly hint: string;
  /** Ids or names of models, best first; empty to use the model of the chat. */
  readonly models: readonly string[];
  readonly format: TextFormatId | undefined;
  readonly template: Template;
}

/** The reason why a file is not a valid prompt. Lines are counted from 1. */
export type PromptProblem =
  | { readonly kind: 'too-long'; readonly length: number; readonly line: 1 }
  | { readonly kind: 'binary'; readonly line: 1 }
  | { readonly kind: 'open-front-matter'; readonly line: 1 }
  | { readonly kind: 'long-front-matter'; readonly length: number; readonly line: 1 }
  | { readonly kind: 'deep-front-matter'; readonly line: 1 }
  | { readonly kind: 'front-matter'; readonly detail: string; readonly line: number }
  | { readonly kind: 'not-a-text'; readonly field: string; readonly line: number }
  | { readonly kind: 'unknown-format'; readonly format: string; readonly line: number }
  | { readonly kind: 'empty'; readonly line: number };

type ReadPrompt =
  | { readonly prompt: FilePrompt; readonly problem?: never }
  | { readonly problem: PromptProblem; readonly prompt?: never };

/**
 * Reads a prompt file: Markdown after optional front matter. All fields of the front matter are optional. Fields of
 * other programs, such as `tools`, are ignored.
 *
 * @param fileName the name of the prompt if its front matter does not contain a name
 */
export function readPrompt(text: string, fileName: string): ReadPrompt {
  if (text.length > maxPromptLength) return { problem: { kind: 'too-long', length: text.length, line: 1 } };
  if (text.includes('\0')) return { problem: { kind: 'binary', line: 1 } };
  const parts = splitFrontMatter(text.replace(/^\uFEFF/, '').replaceAll('\r\n', '\n'));
  if (!parts) return { problem: { kind: 'open-front-matter', line: 1 } };
  const frontMatter = readFrontMatter(parts.frontMatter);
  if ('kind' in frontMatter) return { problem: frontMatter };
  if (parts.body.trim() === '') return { problem: { kind: 'empty', line: parts.bodyLine } };
  const { name = fileName.slice(0, -promptSuffix.length), ...properties } = frontMatter;
  const body = parts.body.trimEnd();
  const start = body.length - body.trimStart().length;
  const line = parts.bodyLine + body.slice(0, start).split('\n').length - 1;
  return { prompt: { ...properties, name, template: readTemplate(body.slice(start), line) } };
}

interface FileParts {
  readonly frontMatter: string;
  readonly body: string;
  /** The first line of the body, from 1. */
  readonly bodyLine: number;
}

const fence = /^---[ \t]*$/m;

/** @returns undefined if the front matter has no end */
function splitFrontMatter(text: string): FileParts | undefined {
  const first = /^---[ \t]*\n/.exec(text)?.[0];
  if (first === undefined) return { frontMatter: '', body: text, bodyLine: 1 };
  const rest = text.slice(first.length);
  const end = fence.exec(rest);
  if (!end) return undefined;
  const frontMatter = rest.slice(0, end.index);
  const body = rest.slice(end.index + end[0].length).replace(/^\n/, '');
  return { frontMatter, body, bodyLine: frontMatter.split('\n').length + 2 };
}

type FrontMatter = Omit<FilePrompt, 'name' | 'template'> & { readonly name?: string };

function readFrontMatter(text: string): FrontMatter | PromptProblem {
  if (text.length > maxFrontMatterLength) return { kind: 'long-front-matter', length: text.length, line: 1 };
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, logLevel: 'silent', prettyErrors: false });
  // The front matter begins in the second line of the file.
  const lineAt = (offset: number) => lines.linePos(offset).line + 1;
  const [error] = document.errors;
  if (error?.code === 'RESOURCE_EXHAUSTION') return { kind: 'deep-front-matter', line: 1 };
  if (error) return { kind: 'front-matter', detail: error.message, line: lineAt(error.pos[0]) };
  const values = readValues(document);
  if (values === undefined) return { kind: 'front-matter', detail: 'expected names and values', line: 2 };
  const findLine = (field: string) => lineAt(findFieldOffset(document.contents, field));
  const invalidField = textFields.find((field) => !isScalar(values[field]));
  if (invalidField) return { kind: 'not-a-text', field: invalidField, line: findLine(invalidField) };
  const format = scalarText(values[formatField]);
  if (format !== '' && readTextFormatId(format) === undefined)
    return { kind: 'unknown-format', format, line: findLine(formatField) };
  const name = toOneLine(values.name, maxNameLength);
  return {
    ...(name && { name }),
    description: toOneLine(values.description, maxDescriptionLength),
    hint: toOneLine(values['argument-hint'], maxDescriptionLength),
    models: readModels(values.model),
    format: readTextFormatId(format),
  };
}

const formatField = 'api-format';

const textFields = ['name', 'description', 'argument-hint', formatField];

/** Converts front matter to an object. Limits the aliases, so that a small file cannot become a huge value. */
function readValues(
  document: ReturnType<typeof parseDocument>,
): Readonly<Record<string, unknown>> | undefined {
  try {
    const values: unknown = document.toJS({ maxAliasCount: 10 }) ?? {};
    return isObject(values) ? values : undefined;
  } catch {
    return undefined;
  }
}

/** Finds the offset of a field in the text. */
function findFieldOffset(map: unknown, field: string): number {
  if (!isObject(map) || !Array.isArray(map.items)) return 0;
  const pair = map.items.find((item) => isObject(item) && isObject(item.key) && item.key.value === field);
  const range = isObject(pair) && isObject(pair.key) ? pair.key.range : undefined;
  return Array.isArray(range) && typeof range[0] === 'number' ? range[0] : 0;
}

function isScalar(value: unknown): boolean {
  return value === undefined || value === null || ['string', 'number', 'boolean'].includes(typeof value);
}

function toOneLine(value: unknown, maxLength: number): string {
  return clip(removeHidden(scalarText(value)).replace(/\s+/g, ' ').trim(), maxLength);
}

function readModels(value: unknown): readonly string[] {
  return [value]
    .flat()
    .filter((each) => typeof each === 'string')
    .map((each) => each.trim())
    .filter((each) => each !== '');
}
