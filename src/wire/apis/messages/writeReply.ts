import type { FinishReason, Usage } from '../../chatEvent.ts';
import type { Citation, Finish, Section, Step } from '../../stream/sections.ts';
import { eventStream, serverSentEvent } from '../../stream/sse.ts';
import {
  callArguments,
  pictureInText,
  type ReplyFacts,
  type ReplyForm,
  type StreamWriter,
  UnconvertibleReply,
} from '../format/replyForm.ts';
import { messages } from './format.ts';

/** Replies of the messages format, which have one choice. */
export const messagesReplies: ReplyForm = {
  signsCalls: false,
  whole: (facts, [{ sections, finish }]) => ({
    ...headOf(facts),
    content: sections.map(blockOf),
    ...endOf(finish),
    usage: usageOf(facts.usage()),
  }),
  stream: events,
};

function events(facts: ReplyFacts): StreamWriter {
  let open: Section | undefined;
  return {
    contentType: eventStream,
    opening() {
      const end = { ...noEnd, stop_reason: null, stop_sequence: null };
      const usage = { ...usageOf(facts.usage()), output_tokens: 1 };
      return (
        event('message_start', { message: { ...headOf(facts), content: [], ...end, usage } }) +
        event('ping', {})
      );
    },
    step(step) {
      // A block that is closed stays as it is.
      if (step.type === 'cite') return step.section === open ? citationDelta(open, step.citation) : '';
      open = step.type === 'close' ? undefined : step.section;
      return blockEvents(step);
    },
    ending: ([finish = { reason: 'other' }]) =>
      event('message_delta', { delta: endOf(finish), usage: usageOf(facts.usage()) }) +
      event('message_stop', {}),
    brokenOff(error) {
      const { name, data } = messages.error.event(error, facts.requestId);
      return serverSentEvent(data, name);
    },
  };
}

function blockEvents(step: Exclude<Step, { type: 'cite' }>): string {
  const { section } = step;
  const { index } = section;
  switch (step.type) {
    case 'open':
      return event('content_block_start', { index, content_block: emptyBlock(section) }) + linkDelta(section);
    case 'add':
      return blockDelta(section, deltaOf(section, step.text));
    case 'close':
      if (section.head.kind === 'call') callArguments(section.head.name, section);
      return signatureDelta(section) + event('content_block_stop', { index });
  }
}

function emptyBlock({ head }: Section): object {
  switch (head.kind) {
    case 'call':
      return { type: 'tool_use', id: head.id, name: head.name, input: {}, caller };
    case 'reasoning':
      return { type: 'thinking', thinking: '', signature: '' };
    case 'media':
      throw pictureRefused();
    default:
      return { type: 'text', text: '', citations: null };
  }
}

function blockOf(section: Section): object {
  const { head, text, signature = '', citations } = section;
  switch (head.kind) {
    case 'call':
      return {
        type: 'tool_use',
        id: head.id,
        name: head.name,
        input: callArguments(head.name, section),
        caller,
      };
    case 'reasoning':
      return { type: 'thinking', thinking: text, signature };
    case 'link':
      return { type: 'text', text: pictureInText(head.url), citations: null };
    case 'media':
      throw pictureRefused();
    default:
      return { type: 'text', text, citations: citations.length > 0 ? citations.map(citationOf) : null };
  }
}

/** The model called the tool itself, and not a program that it wrote. */
const caller = { type: 'direct' };

function citationDelta(section: Section, citation: Citation): string {
  return blockDelta(section, { type: 'citations_delta', citation: citationOf(citation) });
}

/** Of what the format tells of a source, an address and a title are known. */
function citationOf({ url, title = null }: Omit<Citation, 'title'> & { readonly title?: string | null }) {
  return { type: 'web_search_result_location', url, title, cited_text: '', encrypted_index: '' };
}

function pictureRefused(): UnconvertibleReply {
  return new UnconvertibleReply(
    'The model answered with a picture, which a reply of the messages format cannot hold. Ask in another API format.',
  );
}

function deltaOf({ head }: Section, text: string): object {
  if (head.kind === 'call') return { type: 'input_json_delta', partial_json: text };
  return head.kind === 'reasoning'
    ? { type: 'thinking_delta', thinking: text }
    : { type: 'text_delta', text };
}

function linkDelta(section: Section): string {
  const { head } = section;
  return head.kind === 'link' ? blockDelta(section, deltaOf(section, pictureInText(head.url))) : '';
}

/** The signature of the reasoning comes last in its block. */
function signatureDelta(section: Section): string {
  const { head, signature } = section;
  if (head.kind !== 'reasoning' || signature === undefined) return '';
  return blockDelta(section, { type: 'signature_delta', signature });
}

function blockDelta({ index }: Section, delta: object): string {
  return event('content_block_delta', { index, delta });
}

function event(type: string, data: object): string {
  return serverSentEvent({ type, ...data }, type);
}

function headOf({ id, model }: ReplyFacts) {
  return { id, type: 'message', role: 'assistant', model, diagnostics: null };
}

/** Members of the end that only its own provider fills. */
const noEnd = { container: null, stop_details: null };

function endOf({ reason, stopSequence }: Finish) {
  return {
    ...noEnd,
    stop_reason: stopSequence === undefined ? stopWords[reason] : 'stop_sequence',
    stop_sequence: stopSequence ?? null,
  };
}

const stopWords: Readonly<Record<FinishReason, string>> = {
  stop: 'end_turn',
  length: 'max_tokens',
  'tool-calls': 'tool_use',
  'content-filter': 'refusal',
  error: 'end_turn',
  other: 'end_turn',
};

/** Cached input is counted beside the rest of it. */
function usageOf({
  inputTokens = 0,
  outputTokens = 0,
  cachedTokens,
  cacheWriteTokens,
  reasoningTokens,
}: Usage = {}) {
  return {
    input_tokens: Math.max(0, inputTokens - (cachedTokens ?? 0) - (cacheWriteTokens ?? 0)),
    cache_read_input_tokens: cachedTokens ?? null,
    cache_creation_input_tokens: cacheWriteTokens ?? null,
    output_tokens: outputTokens,
    output_tokens_details: reasoningTokens ? { thinking_tokens: reasoningTokens } : null,
    ...{ cache_creation: null, inference_geo: null, server_tool_use: null, service_tier: null, speed: null },
  };
}
