import type { ResponsesRequest } from '../../../wire/apis/responses/request.ts';
import { signatureOf } from '../draft.ts';
import { argumentsText, callId, type Reply, type Section } from './demoFormat.ts';

/** A section of text. */
export type TextSection = Extract<Section, { readonly kind: 'reasoning' | 'content' }>;

type TextKind = TextSection['kind'];

/** The output item of a section, before its content. */
export function emptyItem(section: Section, reply: Reply, request: ResponsesRequest): object {
  switch (section.kind) {
    case 'call':
      return { ...itemOf(section, reply, request), arguments: '' };
    case 'picture':
      return { id: itemId(section, reply), type: 'image_generation_call', result: null };
    default:
      return textItem(section, reply, request, []);
  }
}

/** The output item of a section. */
export function itemOf(section: Section, reply: Reply, request: ResponsesRequest): object {
  switch (section.kind) {
    case 'call': {
      const { call } = section;
      const facts = { call_id: callId(reply, call), name: call.name, arguments: argumentsText(call) };
      return { id: itemId(section, reply), type: 'function_call', status: 'completed', ...facts };
    }
    case 'picture': {
      const { data, width, height } = section.picture;
      const facts = { output_format: 'png', size: `${width}x${height}`, result: data };
      return { id: itemId(section, reply), type: 'image_generation_call', status: 'completed', ...facts };
    }
    default:
      return textItem(section, reply, request, [partOf(section.kind, textOf(section.kind, reply))]);
  }
}

export function partOf(kind: TextKind, text: string): object {
  return kind === 'reasoning'
    ? { type: 'summary_text', text }
    : { type: 'output_text', text, annotations: [], logprobs: [] };
}

export function textOf(kind: TextKind, { drafts: [draft] }: Reply): string {
  return draft[kind].join('');
}

const prefixes: Readonly<Record<Section['kind'], string>> = {
  reasoning: 'rs',
  content: 'msg',
  picture: 'ig',
  call: 'fc',
};

export function itemId(section: Section, { id }: Reply): string {
  const place = section.kind === 'call' ? `_${section.call.position}` : '';
  return `${prefixes[section.kind]}_demo_${id}${place}`;
}

function textItem(
  section: TextSection,
  reply: Reply,
  { include }: ResponsesRequest,
  parts: readonly object[],
): object {
  const id = itemId(section, reply);
  if (section.kind === 'content')
    return { id, type: 'message', status: 'completed', role: 'assistant', content: parts };
  const proof = include?.includes('reasoning.encrypted_content') === true;
  return {
    id,
    type: 'reasoning',
    summary: parts,
    ...(proof && { encrypted_content: signatureOf(reply.drafts[0]) }),
  };
}
