import type { PartRecord } from '../../record.ts';
import { interpreter, withResult } from './toolParts.ts';

const opening = '<details type="';
const closing = '</details>';
const attribute = /\s([\w-]+)="([^"]*)"/g;

const entities: Readonly<Record<string, string>> = {
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&#x27;': "'",
  '&#39;': "'",
  '&amp;': '&',
};

/**
 * The parts of an answer that is one text: reasoning, code that was run and calls of tools are folds of HTML in
 * it, as Open WebUI writes them.
 */
export function contentParts(content: string): readonly PartRecord[] {
  const parts: PartRecord[] = [];
  let at = 0;
  for (let open = content.indexOf(opening); open !== -1; open = content.indexOf(opening, at)) {
    const end = content.indexOf(closing, open);
    if (end === -1) break;
    addText(parts, content.slice(at, open));
    const fold = content.slice(open, end);
    const known = foldParts(fold);
    if (known) for (const part of known) parts.push(part);
    else parts.push({ type: 'text', text: fold + closing });
    at = end + closing.length;
  }
  addText(parts, content.slice(at));
  return parts;
}

function addText(parts: PartRecord[], text: string): void {
  const words = parts.length > 0 ? text.replace(/^\n+/, '') : text;
  if (words.trim() !== '') parts.push({ type: 'text', text: words });
}

function foldParts(fold: string): readonly PartRecord[] | undefined {
  const headEnd = fold.indexOf('>');
  if (headEnd === -1) return undefined;
  const attributes = new Map(
    [...fold.slice(0, headEnd).matchAll(attribute)].map(([, name = '', value = '']) => [name, plain(value)]),
  );
  const told = (name: string) => attributes.get(name) ?? '';
  const body = bodyOf(fold, headEnd + 1);
  switch (told('type')) {
    case 'reasoning':
      return [{ type: 'reasoning', text: withoutQuoting(body) }];
    case 'tool_calls': {
      const [id, name] = [told('id'), told('name')];
      const call = { type: 'toolCall', id, name, arguments: unquoted(told('arguments')) } as const;
      // Newer versions tell the result in the fold, older ones beside its name.
      return withResult(call, unquoted(body) || unquoted(told('result')));
    }
    case 'code_interpreter': {
      const call = { type: 'toolCall', ...interpreter, arguments: withoutFence(body) } as const;
      return withResult(call, told('output'));
    }
    default:
      return undefined;
  }
}

/** What follows the summary, which says how long it took. */
function bodyOf(fold: string, from: number): string {
  const summaryEnd = fold.indexOf('</summary>', from);
  return plain(fold.slice(summaryEnd === -1 ? from : summaryEnd + '</summary>'.length)).trim();
}

/** Reasoning is quoted line by line. */
function withoutQuoting(text: string): string {
  const lines = text.split('\n');
  return lines.map((line) => line.replace(/^> ?/, '')).join('\n');
}

function withoutFence(code: string): string {
  return /^```[^\n]*\n([\s\S]*?)\n?```$/.exec(code)?.[1] ?? code;
}

/** What is JSON text of a string is meant as that string. */
function unquoted(text: string): string {
  if (!text.startsWith('"')) return text;
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'string' ? value.toWellFormed() : text;
  } catch {
    return text;
  }
}

function plain(html: string): string {
  return html.replaceAll(/&(?:lt|gt|quot|amp|#x27|#39);/g, (entity) => entities[entity] ?? entity);
}
