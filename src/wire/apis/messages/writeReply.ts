import type { FinishReason, Usage } from '../../chatEvent.ts';
import type { Finish, Section, SectionCitation, SectionStep } from '../../stream/sections.ts';
import { eventStreamType, writeServerSentEvent } from '../../stream/sse.ts';
import {
  type ReplyFacts,
  type ReplyForm,
  readCallArguments,
  type StreamWriter,
  UnconvertibleReplyError,
  writePictureLink,
} from '../shared/replyForm.ts';
import { writeCacheLifetimes } from '../shared/usageCounts.ts';
import { messages } from './format.ts';

/** Replies of the messages format, which have one choice. */
export const messagesReplyForm: ReplyForm = {
  signsCalls: false,
  writeBody: (facts, [{ sections, finish }]) => ({
    ...writeHead(facts),
    content: sections.map(writeBlock),
    ...writeEnd(finish),
    usage: writeUsage(facts.usage()),
  }),
  createWriter: createStreamWriter,
};

function createStreamWriter(facts: ReplyFacts): StreamWriter {
  let openSection: Section | undefined;
  return {
    contentType: eventStreamType,
    open() {
      const end = { ...providerEndMembers, stop_reason: null, stop_sequence: null };
      const usage = { ...writeUsage(facts.usage()), output_tokens: 1 };
      return (
        writeEvent('message_start', { message: { ...writeHead(facts), content: [], ...end, usage } }) +
        writeEvent('ping', {})
      );
    },
    writeStep(step) {
      // A closed block cannot change.
      if (step.type === 'cite') {
        const citation = writeCitation(step.citation);
        return step.section === openSection
          ? writeBlockDelta(openSection, { type: 'citations_delta', citation })
          : '';
      }
      openSection = step.type === 'close' ? undefined : step.section;
      return writeBlockEvents(step);
    },
    end: ([finish = { reason: 'other' }]) =>
      writeEvent('message_delta', { delta: writeEnd(finish), usage: writeUsage(facts.usage()) }) +
      writeEvent('message_stop', {}),
    fail(error) {
      const { name, data } = messages.error.event(error, facts.requestId);
      return writeServerSentEvent(data, name);
    },
  };
}

function writeBlockEvents(step: Exclude<SectionStep, { type: 'cite' }>): string {
  const { section } = step;
  const { index } = section;
  switch (step.type) {
    case 'open':
      return (
        writeEvent('content_block_start', { index, content_block: writeEmptyBlock(section) }) +
        writeLinkDelta(section)
      );
    case 'add':
      return writeBlockDelta(section, writeDelta(section, step.text));
    case 'close':
      // Throws for arguments that are not an object.
      if (section.head.kind === 'call') readCallArguments(section.head.name, section);
      return writeSignatureDelta(section) + writeEvent('content_block_stop', { index });
  }
}

function writeEmptyBlock({ head }: Section): object {
  switch (head.kind) {
    case 'call':
      return { type: 'tool_use', id: head.id, name: head.name, input: {}, caller };
    case 'reasoning':
      return { type: 'thinking', thinking: '', signature: '' };
    case 'media':
      throw createUnsupportedPictureError();
    default:
      return { type: 'text', text: '', citations: null };
  }
}

function writeBlock(section: Section): object {
  const { head, text, signature = '', citations } = section;
  switch (head.kind) {
    case 'call':
      return {
        type: 'tool_use',
        id: head.id,
        name: head.name,
        input: readCallArguments(head.name, section),
        caller,
      };
    case 'reasoning':
      return { type: 'thinking', thinking: text, signature };
    case 'link':
      return { type: 'text', text: writePictureLink(head.url), citations: null };
    case 'media':
      throw createUnsupportedPictureError();
    default:
      return { type: 'text', text, citations: citations.length > 0 ? citations.map(writeCitation) : null };
  }
}

/** The model called the tool directly, not through a program that it wrote. */
const caller = { type: 'direct' };

/** Only the address and the title of a source are known. */
function writeCitation({ url, title }: SectionCitation) {
  const type = 'web_search_result_location';
  return { type, url, title: title ?? null, cited_text: '', encrypted_index: '' };
}

function createUnsupportedPictureError(): UnconvertibleReplyError {
  return new UnconvertibleReplyError(
    'The model returned a picture, which a reply of the messages format cannot represent. Use another API format.',
  );
}

function writeDelta({ head }: Section, text: string): object {
  if (head.kind === 'call') return { type: 'input_json_delta', partial_json: text };
  return head.kind === 'reasoning'
    ? { type: 'thinking_delta', thinking: text }
    : { type: 'text_delta', text };
}

function writeLinkDelta(section: Section): string {
  const { head } = section;
  return head.kind === 'link'
    ? writeBlockDelta(section, writeDelta(section, writePictureLink(head.url)))
    : '';
}

/** The event for the signature of reasoning, which is the last delta of the block. */
function writeSignatureDelta(section: Section): string {
  const { head, signature } = section;
  if (head.kind !== 'reasoning' || signature === undefined) return '';
  return writeBlockDelta(section, { type: 'signature_delta', signature });
}

function writeBlockDelta({ index }: Section, delta: object): string {
  return writeEvent('content_block_delta', { index, delta });
}

function writeEvent(type: string, data: object): string {
  return writeServerSentEvent({ type, ...data }, type);
}

function writeHead({ id, model }: ReplyFacts) {
  return { id, type: 'message', role: 'assistant', model, diagnostics: null };
}

/** Members at the end of a reply that only the provider of the format fills. */
const providerEndMembers = { container: null, stop_details: null };

function writeEnd({ reason, stopSequence }: Finish) {
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
function writeUsage({
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
    cache_creation: cacheHourTokens ? writeCacheLifetimes(cacheWriteTokens, cacheHourTokens) : null,
    inference_geo: null,
    server_tool_use: null,
    service_tier: null,
    speed: null,
  };
}
