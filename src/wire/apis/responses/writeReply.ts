import type { FinishReason, Usage } from '../../chatEvent.ts';
import type { Finish, Section, SectionCitation, SectionStep } from '../../stream/sections.ts';
import { eventStreamType, writeServerSentEvent } from '../../stream/sse.ts';
import { CustomInputReader, readCustomInput } from '../shared/customTools.ts';
import { toUnixSeconds } from '../shared/messageParts.ts';
import { joinSections, type ReplyFacts, type ReplyForm, type StreamWriter } from '../shared/replyForm.ts';
import type { ResponsesRequest } from './schema.ts';
import { listOfferedTools, ToolNames } from './tools.ts';
import {
  createItemId,
  type ItemFacts,
  writeAnnotation,
  writeEmptyItem,
  writeItem,
  writePart,
  writeText,
} from './writeItems.ts';

/** Writes one event. */
type WriteEvent = (type: string, data: object) => string;

/** Prefixes of event names, for the part of an item and for the text of the part. */
const textEvents = {
  reasoning: { part: 'response.reasoning_summary_part', text: 'response.reasoning_summary_text' },
  text: { part: 'response.content_part', text: 'response.output_text' },
  link: { part: 'response.content_part', text: 'response.output_text' },
  refusal: { part: 'response.content_part', text: 'response.refusal' },
} as const;

/** @param request the request, whose fields the format repeats in the response */
export function createResponsesReplies(request: ResponsesRequest): ReplyForm {
  const names = new ToolNames(listOfferedTools(request));
  return {
    signsCalls: false,
    blockedCode: failureCode,
    writeBody: (facts, [{ sections, finish }]) =>
      writeFinishedResponse(request, { ...facts, names }, sections, finish),
    createWriter: (facts) => createStreamWriter(request, { ...facts, names }),
  };
}

function createStreamWriter(request: ResponsesRequest, facts: ItemFacts): StreamWriter {
  let sequence_number = 0;
  const writeEvent: WriteEvent = (type, data) =>
    writeServerSentEvent({ type, sequence_number: sequence_number++, ...data }, type);
  const writeStatusEvent = (status: string, more: object = {}) =>
    writeEvent(`response.${status}`, { response: { ...writeResponse(request, facts), status, ...more } });
  const sections: Section[] = [];
  let openSection: Section | undefined;
  /** The readers for the texts of custom tools, by section. */
  const inputs = new Map<Section, CustomInputReader>();
  return {
    contentType: eventStreamType,
    open: () => writeStatusEvent('created', inProgress) + writeStatusEvent('in_progress'),
    writeStep(step) {
      const { type, section } = step;
      // Late sources are only in the final response.
      if (type === 'cite')
        return section === openSection ? writeCitationEvent(writeEvent, section, step.citation, facts) : '';
      if (type === 'close') sections.push(section);
      openSection = type === 'close' ? undefined : section;
      if (!isCustomCall(section, facts)) return writeItemEvents(writeEvent, step, facts);
      const input = inputs.get(section) ?? new CustomInputReader();
      inputs.set(section, input);
      return writeInputEvents(writeEvent, step, input, facts) + writeItemEvents(writeEvent, step, facts);
    },
    end([finish = { reason: 'other' }]: readonly Finish[]) {
      const response = writeFinishedResponse(request, facts, sections, finish);
      return writeEvent(`response.${response.status}`, { response });
    },
    fail: ({ message }) => {
      const incompleteItems = openSection ? [{ ...writeItem(openSection, facts), status: 'incomplete' }] : [];
      const output = [...sections.map((section) => writeItem(section, facts)), ...incompleteItems];
      const code = output.length > 0 ? 'server_error' : failureCode;
      return writeStatusEvent('failed', { error: { code, message }, output });
    },
  };
}

/** Client libraries retry a failed reply without output, except with this code. */
const failureCode = 'invalid_prompt';

const inProgress = { status: 'in_progress' };

function writeItemEvents(
  writeEvent: WriteEvent,
  step: Exclude<SectionStep, { type: 'cite' }>,
  facts: ItemFacts,
): string {
  const { section } = step;
  const output_index = section.index;
  switch (step.type) {
    case 'open': {
      const item = { ...writeEmptyItem(section, facts), ...inProgress };
      return (
        writeEvent('response.output_item.added', { output_index, item }) +
        writeOpenEvents(writeEvent, section, facts)
      );
    }
    case 'add':
      return writeDeltaEvent(writeEvent, section, step.text, facts);
    case 'close':
      return (
        writeCloseEvents(writeEvent, section, facts) +
        writeEvent('response.output_item.done', { output_index, item: writeItem(section, facts) })
      );
  }
}

function isCustomCall({ head }: Section, { names }: ItemFacts): boolean {
  return head.kind === 'call' && names.findKind(head.name) === 'custom';
}

/** The events for the text of a custom tool, which precede the events for its item. */
function writeInputEvents(
  writeEvent: WriteEvent,
  step: SectionStep,
  input: CustomInputReader,
  facts: ItemFacts,
): string {
  const { section } = step;
  const position = writePartPosition(section, facts);
  const delta =
    step.type === 'add' ? input.add(step.text) : step.type === 'close' ? input.end(section.text) : '';
  const inputDelta =
    delta === '' ? '' : writeEvent('response.custom_tool_call_input.delta', { ...position, delta });
  if (step.type !== 'close') return inputDelta;
  return (
    inputDelta +
    writeEvent('response.custom_tool_call_input.done', { ...position, input: readCustomInput(section.text) })
  );
}

/** The event for the last source of an open section. */
function writeCitationEvent(
  writeEvent: WriteEvent,
  section: Section,
  citation: SectionCitation,
  facts: ItemFacts,
): string {
  return writeEvent('response.output_text.annotation.added', {
    ...writePartPosition(section, facts),
    annotation_index: section.citations.length - 1,
    annotation: writeAnnotation(citation),
  });
}

/** The event for a piece of text or arguments. */
function writeDeltaEvent(writeEvent: WriteEvent, section: Section, delta: string, facts: ItemFacts): string {
  const position = writePartPosition(section, facts);
  const { head } = section;
  const { kind } = head;
  if (kind === 'call') {
    // Custom tools have other events, and a search is written once its arguments are complete.
    const isFunction = facts.names.findKind(head.name) === 'function';
    return isFunction ? writeEvent('response.function_call_arguments.delta', { ...position, delta }) : '';
  }
  if (kind === 'media') return '';
  const more = kind === 'text' || kind === 'link' ? { logprobs: [] } : {};
  return writeEvent(`${textEvents[kind].text}.delta`, { ...position, delta, ...more });
}

/** The position of a section's part in the response. */
function writePartPosition(section: Section, facts: ItemFacts): object {
  const position = { item_id: createItemId(section, facts), output_index: section.index };
  switch (section.head.kind) {
    case 'call':
    case 'media':
      return position;
    case 'reasoning':
      return { ...position, summary_index: 0 };
    default:
      return { ...position, content_index: 0 };
  }
}

function writeOpenEvents(writeEvent: WriteEvent, section: Section, facts: ItemFacts): string {
  const { kind } = section.head;
  if (kind === 'call') return '';
  if (kind === 'media')
    return (
      writeImageEvent(writeEvent, section, facts, 'in_progress') +
      writeImageEvent(writeEvent, section, facts, 'generating')
    );
  const part = kind === 'link' ? writePart({ kind: 'text' }, '') : writePart(section.head, '');
  const added = writeEvent(`${textEvents[kind].part}.added`, { ...writePartPosition(section, facts), part });
  return kind === 'link' ? added + writeDeltaEvent(writeEvent, section, writeText(section), facts) : added;
}

function writeCloseEvents(writeEvent: WriteEvent, section: Section, facts: ItemFacts): string {
  const { head } = section;
  const position = writePartPosition(section, facts);
  if (head.kind === 'media') return writeImageEvent(writeEvent, section, facts, 'completed');
  if (head.kind === 'call') {
    if (facts.names.findKind(head.name) !== 'function') return '';
    const call = { name: facts.names.split(head.name).name, arguments: section.text };
    return writeEvent('response.function_call_arguments.done', { ...position, ...call });
  }
  const part = writePart(head, section.text, section.citations);
  return (
    writeEvent(`${textEvents[head.kind].text}.done`, { ...position, ...writeDoneText(section) }) +
    writeEvent(`${textEvents[head.kind].part}.done`, { ...position, part })
  );
}

function writeDoneText(section: Section): object {
  const text = writeText(section);
  switch (section.head.kind) {
    case 'refusal':
      return { refusal: text };
    case 'reasoning':
      return { text };
    default:
      return { text, logprobs: [] };
  }
}

function writeImageEvent(writeEvent: WriteEvent, section: Section, facts: ItemFacts, status: string): string {
  return writeEvent(`response.image_generation_call.${status}`, writePartPosition(section, facts));
}

/** The response once it is complete. */
function writeFinishedResponse(
  request: ResponsesRequest,
  facts: ItemFacts,
  sections: readonly Section[],
  { reason }: Finish,
) {
  const incomplete = incompleteReasons[reason];
  const usage = facts.usage();
  return {
    ...writeResponse(request, facts),
    status: incomplete === undefined ? 'completed' : 'incomplete',
    incomplete_details: incomplete === undefined ? null : { reason: incomplete },
    output: sections.map((section) => writeItem(section, facts)),
    output_text: joinSections(sections, 'text'),
    ...(usage && { usage: writeUsage(usage) }),
  };
}

/** The response without output. */
function writeResponse(request: ResponsesRequest, { id, createdAt, model }: ReplyFacts) {
  return {
    id,
    object: 'response',
    access_programs: null,
    created_at: toUnixSeconds(createdAt.getTime()),
    background: false,
    error: null,
    incomplete_details: null,
    instructions: request.instructions ?? null,
    max_output_tokens: request.max_output_tokens ?? null,
    model,
    output: [],
    output_text: '',
    parallel_tool_calls: request.parallel_tool_calls ?? true,
    previous_response_id: null,
    reasoning: { effort: request.reasoning?.effort ?? null, summary: request.reasoning?.summary ?? null },
    service_tier: 'default',
    store: false,
    temperature: request.temperature ?? 1,
    text: { format: request.text?.format ?? { type: 'text' } },
    tool_choice: request.tool_choice ?? 'auto',
    tools: request.tools ?? [],
    top_p: request.top_p ?? 1,
    truncation: request.truncation ?? 'disabled',
    ...(request.user != null && { user: request.user }),
    metadata: request.metadata ?? {},
  };
}

/** The reason for an incomplete response; absent for complete responses. */
const incompleteReasons: Readonly<Partial<Record<FinishReason, string>>> = {
  length: 'max_output_tokens',
  'content-filter': 'content_filter',
};

function writeUsage({
  inputTokens = 0,
  outputTokens = 0,
  totalTokens = inputTokens + outputTokens,
  cachedTokens = 0,
  cacheWriteTokens = 0,
  reasoningTokens = 0,
}: Usage) {
  return {
    input_tokens: inputTokens,
    input_tokens_details: { cached_tokens: cachedTokens, cache_write_tokens: cacheWriteTokens },
    output_tokens: outputTokens,
    output_tokens_details: { reasoning_tokens: reasoningTokens },
    total_tokens: totalTokens,
  };
}
