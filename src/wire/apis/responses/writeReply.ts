import type { FinishReason, Usage } from '../../chatEvent.ts';
import type { Finish, Section, Step } from '../../stream/sections.ts';
import { eventStream, serverSentEvent } from '../../stream/sse.ts';
import { CustomInputReader, customInput } from '../format/customTools.ts';
import {
  type ReplyFacts,
  type ReplyForm,
  type StreamWriter,
  secondsOf,
  textOf,
} from '../format/replyForm.ts';
import type { ResponsesRequest } from './request.ts';
import { offeredTools, ToolNames } from './tools.ts';
import {
  addedEvent,
  citedEvent,
  emptyItem,
  type ItemFacts,
  itemOf,
  partOf,
  partPlace,
  type SectionEvent,
  textEvents,
  writtenText,
} from './writeItems.ts';

/** @param request is repeated in the response, as the format wants it */
export function responsesReplies(request: ResponsesRequest): ReplyForm {
  const names = new ToolNames(offeredTools(request));
  return {
    signsCalls: false,
    blockedCode: failureCode,
    whole: (facts, [{ sections, finish }]) =>
      finishedResponse(request, { ...facts, names }, sections, finish),
    stream: (facts) => events(request, { ...facts, names }),
  };
}

function events(request: ResponsesRequest, facts: ItemFacts): StreamWriter {
  let sequence_number = 0;
  const event: SectionEvent = (type, data) =>
    serverSentEvent({ type, sequence_number: sequence_number++, ...data }, type);
  const status = (word: string, more: object = {}) =>
    event(`response.${word}`, { response: { ...responseOf(request, facts), status: word, ...more } });
  const sections: Section[] = [];
  let open: Section | undefined;
  /** The texts of custom tools, by their sections. */
  const inputs = new Map<Section, CustomInputReader>();
  return {
    contentType: eventStream,
    opening: () => status('created', inProgress) + status('in_progress'),
    step(step) {
      const { type, section } = step;
      if (type === 'close') sections.push(section);
      if (type !== 'cite') open = type === 'close' ? undefined : section;
      // What comes late is told with the whole response.
      if (type === 'cite') return section === open ? citedEvent(event, section, step.citation, facts) : '';
      if (isCustomCall(section, facts)) {
        const input = inputs.get(section) ?? new CustomInputReader();
        inputs.set(section, input);
        return inputEvents(event, step, input, facts) + itemEvents(event, step, facts);
      }
      return itemEvents(event, step, facts);
    },
    ending([finish = { reason: 'other' }]: readonly Finish[]) {
      const response = finishedResponse(request, facts, sections, finish);
      return event(`response.${response.status}`, { response });
    },
    brokenOff: ({ message }) => {
      const begun = open ? [{ ...itemOf(open, facts), status: 'incomplete' }] : [];
      const output = [...sections.map((section) => itemOf(section, facts)), ...begun];
      const code = output.length > 0 ? 'server_error' : failureCode;
      return status('failed', { error: { code, message }, output });
    },
  };
}

/** The one code of the format after which client libraries do not retry a reply without output. */
const failureCode = 'invalid_prompt';

const inProgress = { status: 'in_progress' };

function itemEvents(event: SectionEvent, step: Exclude<Step, { type: 'cite' }>, facts: ItemFacts): string {
  const { section } = step;
  const output_index = section.index;
  switch (step.type) {
    case 'open': {
      const item = { ...emptyItem(section, facts), ...inProgress };
      return event('response.output_item.added', { output_index, item }) + opened(event, section, facts);
    }
    case 'add':
      return addedEvent(event, section, step.text, facts);
    case 'close':
      return (
        closed(event, section, facts) +
        event('response.output_item.done', { output_index, item: itemOf(section, facts) })
      );
  }
}

function isCustomCall({ head }: Section, { names }: ItemFacts): boolean {
  return head.kind === 'call' && names.kindOf(head.name) === 'custom';
}

/** What is said of the text of a custom tool, before what is said of its item. */
function inputEvents(event: SectionEvent, step: Step, input: CustomInputReader, facts: ItemFacts): string {
  const { section } = step;
  const place = partPlace(section, facts);
  const delta =
    step.type === 'add' ? input.add(step.text) : step.type === 'close' ? input.end(section.text) : '';
  const told = delta === '' ? '' : event('response.custom_tool_call_input.delta', { ...place, delta });
  if (step.type !== 'close') return told;
  return told + event('response.custom_tool_call_input.done', { ...place, input: customInput(section.text) });
}

function opened(event: SectionEvent, section: Section, facts: ItemFacts): string {
  const { kind } = section.head;
  if (kind === 'call') return '';
  if (kind === 'media')
    return drawing(event, section, facts, 'in_progress') + drawing(event, section, facts, 'generating');
  const part = kind === 'link' ? partOf({ kind: 'text' }, '') : partOf(section.head, '');
  const added = event(`${textEvents[kind].part}.added`, { ...partPlace(section, facts), part });
  return kind === 'link' ? added + addedEvent(event, section, writtenText(section), facts) : added;
}

function closed(event: SectionEvent, section: Section, facts: ItemFacts): string {
  const { head } = section;
  const place = partPlace(section, facts);
  if (head.kind === 'media') return drawing(event, section, facts, 'completed');
  if (head.kind === 'call') return closedCall(event, head.name, section, facts);
  const part = partOf(head, section.text, section.citations);
  return (
    event(`${textEvents[head.kind].text}.done`, { ...place, ...doneText(section) }) +
    event(`${textEvents[head.kind].part}.done`, { ...place, part })
  );
}

function closedCall(event: SectionEvent, name: string, section: Section, facts: ItemFacts): string {
  const place = partPlace(section, facts);
  switch (facts.names.kindOf(name)) {
    case 'custom':
    case 'search':
      return '';
    default: {
      const told = { name: facts.names.split(name).name, arguments: section.text };
      return event('response.function_call_arguments.done', { ...place, ...told });
    }
  }
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

function drawing(event: SectionEvent, section: Section, facts: ItemFacts, word: string): string {
  return event(`response.image_generation_call.${word}`, partPlace(section, facts));
}

/** The response when all of it is written. */
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
    output_text: textOf(sections, 'text'),
    ...(usage && { usage: usageOf(usage) }),
  };
}

/** The response object before anything is written. */
function responseOf(request: ResponsesRequest, { id, createdAt, model }: ReplyFacts) {
  return {
    id,
    object: 'response',
    access_programs: null,
    created_at: secondsOf(createdAt),
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

/** Why a response is incomplete; absent for one that is complete. */
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
