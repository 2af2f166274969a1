import { parseJson } from '../../../base/json.ts';
import type { Citation, Section, SectionHead } from '../../stream/sections.ts';
import { customInput } from '../format/customTools.ts';
import { pictureInText, type ReplyFacts } from '../format/replyForm.ts';
import type { ToolKind, ToolNames } from './tools.ts';

// The output items of a response, whole and in events.

export interface ItemFacts extends ReplyFacts {
  /** The functions that the caller named. */
  readonly names: ToolNames;
}

export type SectionEvent = (type: string, data: object) => string;

type TextKind = 'text' | 'reasoning' | 'refusal' | 'link';

/** How the names of the events for an item's part, and for its text, begin. */
export const textEvents = {
  reasoning: { part: 'response.reasoning_summary_part', text: 'response.reasoning_summary_text' },
  text: { part: 'response.content_part', text: 'response.output_text' },
  link: { part: 'response.content_part', text: 'response.output_text' },
  refusal: { part: 'response.content_part', text: 'response.refusal' },
} as const satisfies Record<TextKind, object>;

/** The output item of a section, before its content. */
export function emptyItem(section: Section, facts: ItemFacts): object {
  const { head } = section;
  const id = itemId(section, facts);
  switch (head.kind) {
    case 'call':
      return { id, ...emptyCall(head, facts) };
    case 'media':
      return { id, type: 'image_generation_call', result: null };
    default:
      return textItem(section, facts, []);
  }
}

/** The output item of a section. */
export function itemOf(section: Section, facts: ItemFacts): object {
  const { head, text } = section;
  const status = section.isCut ? 'incomplete' : 'completed';
  switch (head.kind) {
    case 'call':
      return { ...emptyItem(section, facts), status, ...calledWith(facts.names.kindOf(head.name), text) };
    case 'media': {
      const output_format = head.mimeType.replace(/^image\//, '');
      return { ...emptyItem(section, facts), status, output_format, result: head.data };
    }
    case 'reasoning':
      return textItem(section, facts, text === '' ? [] : [partOf(head, text)]);
    default:
      return textItem(section, facts, [partOf(head, text, section.citations)]);
  }
}

type CallHead = Extract<SectionHead, { readonly kind: 'call' }>;

function emptyCall({ id: call_id, name }: CallHead, { names }: ItemFacts): object {
  switch (names.kindOf(name)) {
    case 'custom':
      return { type: 'custom_tool_call', call_id, ...names.split(name), input: '' };
    case 'search':
      return { type: 'tool_search_call', call_id, execution: 'client', arguments: {} };
    default:
      return { type: 'function_call', call_id, ...names.split(name), arguments: '' };
  }
}

function calledWith(kind: ToolKind, text: string): object {
  switch (kind) {
    case 'custom':
      return { input: customInput(text) };
    case 'search':
      return { arguments: parseJson(text) ?? {} };
    default:
      return { arguments: text };
  }
}

/** The text of a section; for a picture that lies elsewhere, the Markdown that shows it. */
export function writtenText({ head, text }: Section): string {
  return head.kind === 'link' ? pictureInText(head.url) : text;
}

export function partOf(head: SectionHead, text: string, citations: readonly Citation[] = []): object {
  switch (head.kind) {
    case 'reasoning':
      return { type: 'summary_text', text };
    case 'refusal':
      return { type: 'refusal', refusal: text };
    case 'link':
      return { type: 'output_text', text: pictureInText(head.url), annotations: [], logprobs: [] };
    default:
      return { type: 'output_text', text, annotations: citations.map(annotationOf), logprobs: [] };
  }
}

/** Nobody told which words it stands for, only where it came. */
function annotationOf({ url, title = url, at }: Citation): object {
  return { type: 'url_citation', url, title, start_index: at, end_index: at };
}

/** The event for the last source of an open section. */
export function citedEvent(
  event: SectionEvent,
  section: Section,
  citation: Citation,
  facts: ItemFacts,
): string {
  return event('response.output_text.annotation.added', {
    ...partPlace(section, facts),
    annotation_index: section.citations.length - 1,
    annotation: annotationOf(citation),
  });
}

/** The event for a piece of text. */
export function addedEvent(event: SectionEvent, section: Section, delta: string, facts: ItemFacts): string {
  const place = partPlace(section, facts);
  const { head } = section;
  const { kind } = head;
  if (kind === 'call') {
    // The text of custom tools is told apart, and a search once its arguments are whole.
    const isFunction = facts.names.kindOf(head.name) === 'function';
    return isFunction ? event('response.function_call_arguments.delta', { ...place, delta }) : '';
  }
  if (kind === 'media') return '';
  const more = kind === 'text' || kind === 'link' ? { logprobs: [] } : {};
  return event(`${textEvents[kind].text}.delta`, { ...place, delta, ...more });
}

/** Where in the response the part of a section is. */
export function partPlace(section: Section, facts: ItemFacts): object {
  const place = { item_id: itemId(section, facts), output_index: section.index };
  switch (section.head.kind) {
    case 'call':
    case 'media':
      return place;
    case 'reasoning':
      return { ...place, summary_index: 0 };
    default:
      return { ...place, content_index: 0 };
  }
}

const prefixes: Readonly<Record<Exclude<SectionHead['kind'], 'call'>, string>> = {
  reasoning: 'rs',
  text: 'msg',
  refusal: 'msg',
  link: 'msg',
  media: 'ig',
};

/** Of a call, by its kind. */
const callPrefixes: Readonly<Record<ToolKind, string>> = { function: 'fc', custom: 'ctc', search: 'tsc' };

function itemId({ head, index }: Section, { id, names }: ItemFacts): string {
  const prefix = head.kind === 'call' ? callPrefixes[names.kindOf(head.name)] : prefixes[head.kind];
  return `${prefix}_${id}_${index}`;
}

function textItem(section: Section, facts: ItemFacts, parts: readonly object[]): object {
  const { head, signature } = section;
  const id = itemId(section, facts);
  const status = section.isCut ? 'incomplete' : 'completed';
  if (head.kind !== 'reasoning') return { id, type: 'message', status, role: 'assistant', content: parts };
  return {
    id,
    type: 'reasoning',
    summary: parts,
    ...(signature !== undefined && { encrypted_content: signature }),
  };
}
