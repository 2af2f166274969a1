import type { MarkdownIt, StateInline } from 'markdown-it';
import { closerAfter } from './closers.ts';

const raised = /\^([^\s^\\]{1,100})\^/y;
const lowered = /~([^\s~\\]{1,100})~(?!~)/y;
const opening = /<(sub|sup|kbd|b|strong|i|em)>/y;
const lineBreak = /<br[ \t]*\/?>/y;

/** HTML that models write within lines, and what it means here. All other HTML is shown as it was written. */
const meanings: Readonly<Record<string, string>> = {
  ...{ sub: 'sub', sup: 'sup', kbd: 'kbd', b: 'strong', strong: 'strong', i: 'em', em: 'em' },
};

/** The longest text between two tags, in UTF-16 units. */
const maxTagged = 1000;

/** `~sub~`, `^sup^`, and a few tags of HTML. */
export function readMarks({ inline }: MarkdownIt): void {
  inline.ruler.before('strikethrough', 'scripts', readScript);
  inline.ruler.before('html_inline', 'tags', readTag);
}

function readScript(state: StateInline, silent: boolean): boolean {
  const { src, pos } = state;
  const mark = src[pos];
  if ((mark !== '^' && mark !== '~') || src[pos - 1] === mark) return false;
  const pattern = mark === '^' ? raised : lowered;
  pattern.lastIndex = pos;
  const [text, content] = pattern.exec(src) ?? [];
  if (text === undefined || content === undefined || pos + text.length > state.posMax) return false;
  if (!silent) {
    const tag = mark === '^' ? 'sup' : 'sub';
    state.push(`${tag}_open`, tag, 1);
    state.push('text', '', 0).content = content;
    state.push(`${tag}_close`, tag, -1);
  }
  state.pos += text.length;
  return true;
}

function readTag(state: StateInline, silent: boolean): boolean {
  if (state.src[state.pos] !== '<') return false;
  return readBreak(state, silent) || readPair(state, silent);
}

function readBreak(state: StateInline, silent: boolean): boolean {
  lineBreak.lastIndex = state.pos;
  const [text] = lineBreak.exec(state.src) ?? [];
  if (text === undefined || state.pos + text.length > state.posMax) return false;
  if (!silent) state.push('hardbreak', 'br', 0);
  state.pos += text.length;
  return true;
}

function readPair(state: StateInline, silent: boolean): boolean {
  opening.lastIndex = state.pos;
  const [text, name = ''] = opening.exec(state.src) ?? [];
  const tag = meanings[name];
  if (text === undefined || tag === undefined) return false;
  const start = state.pos + text.length;
  const closer = `</${name}>`;
  const end = closerAfter(state, closer, start);
  const after = end + closer.length;
  if (end === -1 || after > state.posMax || end - start > maxTagged) return false;
  if (!silent) readWithin(state, { tag, start, end });
  state.pos = after;
  return true;
}

function readWithin(
  state: StateInline,
  { tag, start, end }: { readonly tag: string; readonly start: number; readonly end: number },
): void {
  const { posMax } = state;
  state.push(`${tag}_open`, tag, 1);
  state.pos = start;
  state.posMax = end;
  state.md.inline.tokenize(state);
  state.posMax = posMax;
  state.push(`${tag}_close`, tag, -1);
}
