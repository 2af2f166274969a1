import type { FinishReason, Usage } from '../../chatEvent.ts';
import type { Finish, Section, SectionCitation, SectionStep } from '../../stream/sections.ts';
import { eventStream, serverSentEvent } from '../../stream/sse.ts';
import {
  callArguments,
  pictureInText,
  type ReplyFacts,
  type ReplyForm,
  type StreamWriter,
  UnconvertibleReply,
} from '../shared/replyForm.ts';
import { cacheLifetimes } from '../shared/usageCounts.ts';
import { messages } from './format.ts';

/** Replies of the messages format, which have one choice. */
export const messagesReplies: ReplyForm = {
  signsCalls: false,
  body: (facts, [{ sections, finish }]) => ({
    ...headOf(facts),
    content: sections.map(blockOf),
    ...endOf(finish),
    usage: usageOf(facts.usage()),
  }),
  stream: streamWriter,
};

function streamWriter(facts: ReplyFacts): StreamWriter {
  let open: Section | undefined;
  return {
    contentType: eventStream,
    opening() {
      const end = { ...providerEndMembers, stop_reason: null, stop_sequence: null };
      const usage = { ...usageOf(facts.usage()), output_tokens: 1 };
      return (
        event('message_start', { message: { ...headOf(facts), content: [], ...end, usage } }) +
        event('ping', {})
      );
    },
    step(step) {
      // A closed block cannot change.
      if (step.type === 'cite') {
        const citation = citationOf(step.citation);
        return step.section === open ? blockDelta(open, { type: 'citations_delta', citation }) : '';
      }
      open = step.type === 'close' ? undefined : step.section;
      return blockEvents(step);
    },
    ending: ([finish = { reason: 'other' }]) =>
      event('message_delta', { delta: endOf(finish), usage: usageOf(facts.usage()) }) +
      event('message_stop', {}),
    failure(error) {
      const { name, data } = messages.error.event(error, facts.requestId);
      return serverSentEvent(data, name);
    },
  };
}

function blockEvents(step: Exclude<SectionStep, { type: 'cite' }>): string {
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
      throw unsupportedPicture();
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
      throw unsupportedPicture();
    default:
      return { type: 'text', text, citations: citations.length > 0 ? citations.map(citationOf) : null };
  }
}

/** The model called the tool directly, not through a program that it wrote. */
const caller = { type: 'direct' };

/** Only the address and the title of a source are known. */
function citationOf({ url, title }: SectionCitation) {
  const type = 'web_search_result_location';
  return { type, url, title: title ?? null, cited_text: '', encrypted_index: '' };
}

function unsupportedPicture(): UnconvertibleReply {
  return new UnconvertibleReply(
    'The model returned a picture, which a reply of the messages format cannot represent. Use another API format.',
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

/** The event for the signature of reasoning, which is the last delta of the block. */
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

/** Members of the end that only the provider of the format fills. */
const providerEndMembers = { container: null, stop_details: null };

function endOf({ reason, stopSequence }: Finish) {
  return {
    ...providerEndMembers,
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

/** Cached input is counted separately from the rest of the input. */
function usageOf({
  inputTokens = 0,
  outputTokens = 0,
  cachedTokens,
  cacheWriteTokens,
  cacheHourTokens,
  reasoningTokens,
}: Usage = {}) {
  return {
    input_tokens: Math.max(0, inputTokens - (cachedTokens ?? 0) - (cacheWriteTokens ?? 0)),
    cache_read_input_tokens: cachedTokens ?? null,
    cache_creation_input_tokens: cacheWriteTokens ?? null,
    output_tokens: outputTokens,
    output_tokens_details: reasoningTokens ? { thinking_tokens: reasoningTokens } : null,
    cache_creation: cacheHourTokens ? cacheLifetimes(cacheWriteTokens, cacheHourTokens) : null,
    ...{ inference_geo: null, server_tool_use: null, service_tier: null, speed: null },
  };
}
