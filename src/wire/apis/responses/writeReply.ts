import type { FinishReason, Usage } from '../../chatEvent.ts';
import type { Finish, Section, SectionCitation, SectionStep } from '../../stream/sections.ts';
import { eventStream, serverSentEvent } from '../../stream/sse.ts';
import { CustomInputReader, customInput } from '../shared/customTools.ts';
import { unixSeconds } from '../shared/messageParts.ts';
import { type ReplyFacts, type ReplyForm, type StreamWriter, sectionText } from '../shared/replyForm.ts';
import type { ResponsesRequest } from './schema.ts';
import { offeredTools, ToolNames } from './tools.ts';
import {
  annotationOf,
  emptyItem,
  type ItemFacts,
  itemId,
  itemOf,
  partOf,
  writtenText,
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
export function responsesReplies(request: ResponsesRequest): ReplyForm {
  const names = new ToolNames(offeredTools(request));
  return {
    signsCalls: false,
    blockedCode: failureCode,
    body: (facts, [{ sections, finish }]) => finishedResponse(request, { ...facts, names }, sections, finish),
    stream: (facts) => streamWriter(request, { ...facts, names }),
  };
}

function streamWriter(request: ResponsesRequest, facts: ItemFacts): StreamWriter {
  let sequence_number = 0;
  const event: WriteEvent = (type, data) =>
    serverSentEvent({ type, sequence_number: sequence_number++, ...data }, type);
  const statusEvent = (status: string, more: object = {}) =>
    event(`response.${status}`, { response: { ...responseOf(request, facts), status, ...more } });
  const sections: Section[] = [];
  let open: Section | undefined;
  /** The readers for the texts of custom tools, by section. */
  const inputs = new Map<Section, CustomInputReader>();
  return {
    contentType: eventStream,
    opening: () => statusEvent('created', inProgress) + statusEvent('in_progress'),
    step(step) {
      const { type, section } = step;
      // Late sources are only in the final response.
      if (type === 'cite') return section === open ? citationEvent(event, section, step.citation, facts) : '';
      if (type === 'close') sections.push(section);
      open = type === 'close' ? undefined : section;
      if (!isCustomCall(section, facts)) return itemEvents(event, step, facts);
      const input = inputs.get(section) ?? new CustomInputReader();
      inputs.set(section, input);
      return inputEvents(event, step, input, facts) + itemEvents(event, step, facts);
    },
    ending([finish = { reason: 'other' }]: readonly Finish[]) {
      const response = finishedResponse(request, facts, sections, finish);
      return event(`response.${response.status}`, { response });
    },
    failure: ({ message }) => {
      const incompleteItems = open ? [{ ...itemOf(open, facts), status: 'incomplete' }] : [];
      const output = [...sections.map((section) => itemOf(section, facts)), ...incompleteItems];
      const code = output.length > 0 ? 'server_error' : failureCode;
      return statusEvent('failed', { error: { code, message }, output });
    },
  };
}

/** Client libraries retry a failed reply without output, except with this code. */
const failureCode = 'invalid_prompt';

const inProgress = { status: 'in_progress' };

function itemEvents(
  event: WriteEvent,
  step: Exclude<SectionStep, { type: 'cite' }>,
  facts: ItemFacts,
): string {
  const { section } = step;
  const output_index = section.index;
  switch (step.type) {
    case 'open': {
      const item = { ...emptyItem(section, facts), ...inProgress };
      return event('response.output_item.added', { output_index, item }) + openEvents(event, section, facts);
    }
    case 'add':
      return deltaEvent(event, section, step.text, facts);
    case 'close':
      return (
        closeEvents(event, section, facts) +
        event('response.output_item.done', { output_index, item: itemOf(section, facts) })
      );
  }
}

function isCustomCall({ head }: Section, { names }: ItemFacts): boolean {
  return head.kind === 'call' && names.kindOf(head.name) === 'custom';
}

/** The events for the text of a custom tool, which precede the events for its item. */
function inputEvents(
  event: WriteEvent,
  step: SectionStep,
  input: CustomInputReader,
  facts: ItemFacts,
): string {
  const { section } = step;
  const position = partPosition(section, facts);
  const delta =
    step.type === 'add' ? input.add(step.text) : step.type === 'close' ? input.end(section.text) : '';
  const inputDelta =
    delta === '' ? '' : event('response.custom_tool_call_input.delta', { ...position, delta });
  if (step.type !== 'close') return inputDelta;
  return (
    inputDelta +
    event('response.custom_tool_call_input.done', { ...position, input: customInput(section.text) })
  );
}

/** The event for the last source of an open section. */
function citationEvent(
  event: WriteEvent,
  section: Section,
  citation: SectionCitation,
  facts: ItemFacts,
): string {
  return event('response.output_text.annotation.added', {
    ...partPosition(section, facts),
    annotation_index: section.citations.length - 1,
    annotation: annotationOf(citation),
  });
}

/** The event for a piece of text or arguments. */
function deltaEvent(event: WriteEvent, section: Section, delta: string, facts: ItemFacts): string {
  const position = partPosition(section, facts);
  const { head } = section;
  const { kind } = head;
  if (kind === 'call') {
    // Custom tools have other events, and a search is written once its arguments are complete.
    const isFunction = facts.names.kindOf(head.name) === 'function';
    return isFunction ? event('response.function_call_arguments.delta', { ...position, delta }) : '';
  }
  if (kind === 'media') return '';
  const more = kind === 'text' || kind === 'link' ? { logprobs: [] } : {};
  return event(`${textEvents[kind].text}.delta`, { ...position, delta, ...more });
}

/** The position of a section's part in the response. */
function partPosition(section: Section, facts: ItemFacts): object {
  const position = { item_id: itemId(section, facts), output_index: section.index };
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

function openEvents(event: WriteEvent, section: Section, facts: ItemFacts): string {
  const { kind } = section.head;
  if (kind === 'call') return '';
  if (kind === 'media')
    return imageEvent(event, section, facts, 'in_progress') + imageEvent(event, section, facts, 'generating');
  const part = kind === 'link' ? partOf({ kind: 'text' }, '') : partOf(section.head, '');
  const added = event(`${textEvents[kind].part}.added`, { ...partPosition(section, facts), part });
  return kind === 'link' ? added + deltaEvent(event, section, writtenText(section), facts) : added;
}

function closeEvents(event: WriteEvent, section: Section, facts: ItemFacts): string {
  const { head } = section;
  const position = partPosition(section, facts);
  if (head.kind === 'media') return imageEvent(event, section, facts, 'completed');
  if (head.kind === 'call') {
    if (facts.names.kindOf(head.name) !== 'function') return '';
    const call = { name: facts.names.split(head.name).name, arguments: section.text };
    return event('response.function_call_arguments.done', { ...position, ...call });
  }
  const part = partOf(head, section.text, section.citations);
  return (
    event(`${textEvents[head.kind].text}.done`, { ...position, ...doneText(section) }) +
    event(`${textEvents[head.kind].part}.done`, { ...position, part })
  );
}

function doneText(section: Section): object {
  const text = writtenText(section);
  switch (section.head.kind) {
    case 'refusal':
      return { refusal: text };
    case 'reasoning':
      return { text };
    default:
      return { text, logprobs: [] };
  }
}

function imageEvent(event: WriteEvent, section: Section, facts: ItemFacts, status: string): string {
  return event(`response.image_generation_call.${status}`, partPosition(section, facts));
}

/** The response once it is complete. */
function finishedResponse(
  request: ResponsesRequest,
  facts: ItemFacts,
  sections: readonly Section[],
  { reason }: Finish,
) {
  const incomplete = incompleteReasons[reason];
  const usage = facts.usage();
  return {
    ...responseOf(request, facts),
    status: incomplete === undefined ? 'completed' : 'incomplete',
    incomplete_details: incomplete === undefined ? null : { reason: incomplete },
    output: sections.map((section) => itemOf(section, facts)),
    output_text: sectionText(sections, 'text'),
    ...(usage && { usage: usageOf(usage) }),
  };
}

/** The response without output. */
function responseOf(request: ResponsesRequest, { id, createdAt, model }: ReplyFacts) {
  return {
    id,
    object: 'response',
    access_programs: null,
    created_at: unixSeconds(createdAt.getTime()),
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

function usageOf({
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
