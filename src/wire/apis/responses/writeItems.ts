import { parseJson } from '../../../base/json.ts';
import type { Section, SectionCitation, SectionHead } from '../../stream/sections.ts';
import { readCustomInput } from '../shared/customTools.ts';
import { type ReplyFacts, writePictureLink } from '../shared/replyForm.ts';
import type { ToolKind, ToolNames } from './tools.ts';

// The output items of a response.

export interface ItemFacts extends ReplyFacts {
  /** The tools that the caller offers. */
  readonly names: ToolNames;
}

/** The output item of a section, without its content. */
export function writeEmptyItem(section: Section, facts: ItemFacts): object {
  const { head } = section;
  const id = createItemId(section, facts);
  switch (head.kind) {
    case 'call':
      return { id, ...writeEmptyCall(head, facts) };
    case 'media':
      return { id, type: 'image_generation_call', result: null };
    default:
      return writeTextItem(section, facts, []);
  }
}

/** The output item of a section. */
export function writeItem(section: Section, facts: ItemFacts): object {
  const { head, text } = section;
  const status = section.isCut ? 'incomplete' : 'completed';
  switch (head.kind) {
    case 'call':
      return {
        ...writeEmptyItem(section, facts),
        status,
        ...writeCallInput(facts.names.findKind(head.name), text),
      };
    case 'media': {
      const output_format = head.mimeType.replace(/^image\//, '');
      return { ...writeEmptyItem(section, facts), status, output_format, result: head.data };
    }
    case 'reasoning':
      return writeTextItem(section, facts, text === '' ? [] : [writePart(head, text)]);
    default:
      return writeTextItem(section, facts, [writePart(head, text, section.citations)]);
  }
}

type CallHead = Extract<SectionHead, { readonly kind: 'call' }>;

function writeEmptyCall({ id: call_id, name }: CallHead, { names }: ItemFacts): object {
  switch (names.findKind(name)) {
    case 'custom':
      return { type: 'custom_tool_call', call_id, ...names.split(name), input: '' };
    case 'search':
      return { type: 'tool_search_call', call_id, execution: 'client', arguments: {} };
    default:
      return { type: 'function_call', call_id, ...names.split(name), arguments: '' };
  }
}

function writeCallInput(kind: ToolKind, text: string): object {
  switch (kind) {
    case 'custom':
      return { input: readCustomInput(text) };
    case 'search':
      return { arguments: parseJson(text) ?? {} };
    default:
      return { arguments: text };
  }
}

/** The text of a section; for a picture at an address, Markdown that shows it. */
export function writeText({ head, text }: Section): string {
  return head.kind === 'link' ? writePictureLink(head.url) : text;
}

/** The part of an output item that contains a text. */
export function writePart(
  head: SectionHead,
  text: string,
  citations: readonly SectionCitation[] = [],
): object {
  switch (head.kind) {
    case 'reasoning':
      return { type: 'summary_text', text };
    case 'refusal':
      return { type: 'refusal', refusal: text };
    case 'link':
      return { type: 'output_text', text: writePictureLink(head.url), annotations: [], logprobs: [] };
    default:
      return { type: 'output_text', text, annotations: citations.map(writeAnnotation), logprobs: [] };
  }
}

/** Only the position of a source is known, not the cited words. */
export function writeAnnotation({ url, title = url, at }: SectionCitation): object {
  return { type: 'url_citation', url, title, start_index: at, end_index: at };
}

const prefixes: Readonly<Record<Exclude<SectionHead['kind'], 'call'>, string>> = {
  reasoning: 'rs',
  text: 'msg',
  refusal: 'msg',
  link: 'msg',
  media: 'ig',
};

/** Prefixes of a call's id, by its kind. */
const callPrefixes: Readonly<Record<ToolKind, string>> = { function: 'fc', custom: 'ctc', search: 'tsc' };

export function createItemId({ head, index }: Section, { id, names }: ItemFacts): string {
  const prefix = head.kind === 'call' ? callPrefixes[names.findKind(head.name)] : prefixes[head.kind];
  return `${prefix}_${id}_${index}`;
}

function writeTextItem(section: Section, facts: ItemFacts, parts: readonly object[]): object {
  const { head, signature } = section;
  const id = createItemId(section, facts);
  const status = section.isCut ? 'incomplete' : 'completed';
  if (head.kind !== 'reasoning') return { id, type: 'message', status, role: 'assistant', content: parts };
  return {
    id,
    type: 'reasoning',
    summary: parts,
    ...(signature !== undefined && { encrypted_content: signature }),
  };
}
