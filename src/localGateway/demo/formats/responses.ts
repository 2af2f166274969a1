import { decodeResponses } from '../../../wire/apis/responses/encode.ts';
import { type ResponsesRequest, responsesRequest } from '../../../wire/apis/responses/request.ts';
import { eventStream, serverSentEvent } from '../../serverSentEvent.ts';
import { messagesOf, refuseKept, schemaOf } from '../prompt.ts';
import {
  argumentsText,
  demoFormat,
  inSections,
  outputTokens,
  type PlacedCall,
  type Reply,
  type Section,
  type StreamWriter,
  sectionsOf,
  type UnderstoodRequest,
} from './demoFormat.ts';
import { emptyItem, itemId, itemOf, partOf, type TextSection, textOf } from './responsesItems.ts';
import { responsesTools } from './tools.ts';

/** How the demo speaks responses. */
export const responsesDemo = demoFormat(responsesRequest, understand);

function understand(request: ResponsesRequest): UnderstoodRequest {
  const format = request.text?.format;
  const schema = schemaOf(format?.type === 'json_schema', format?.schema, 'text.format.schema');
  refuseKept(request, {
    background: 'response to be read later; leave it out',
    previous_response_id: 'earlier response; send the conversation in input',
    conversation: 'conversation; send it in input',
    prompt: 'template; send its text in input',
  });
  const { tool_choice: choice } = request;
  return {
    prompt: {
      model: request.model,
      messages: messagesOf(() => decodeResponses(request)),
      choices: 1,
      maxTokens: request.max_output_tokens ?? Infinity,
      stop: [],
      json: isJson(request),
      schema,
      thinking: request.reasoning?.effort !== 'none',
      tools: responsesTools(request),
      picture: typeof choice === 'object' && choice?.type === 'image_generation',
    },
    streamed: request.stream === true,
    whole: (reply) => finished(request, reply),
    stream: (reply) => events(request, reply),
  };
}

function isJson({ text }: ResponsesRequest): boolean {
  return text?.format?.type === 'json_object';
}

type WriteEvent = (type: string, data: object) => string;

function events(request: ResponsesRequest, reply: Reply): StreamWriter {
  let sequence_number = 0;
  const event: WriteEvent = (type, data) =>
    serverSentEvent({ type, sequence_number: sequence_number++, ...data }, type);
  const status = (word: string, more: object = {}) =>
    event(`response.${word}`, { response: { ...responseOf(request, reply), status: word, ...more } });
  const inProgress = { status: 'in_progress' };

  const writeItems = inSections({
    start(section) {
      const { index: output_index } = section;
      const item = { ...emptyItem(section, reply, request), ...inProgress };
      return event('response.output_item.added', { output_index, item }) + opened(event, section, reply);
    },
    add: (section, delta) => added(event, section, delta, reply),
    stop(section) {
      const item = itemOf(section, reply, request);
      const done = { output_index: section.index, item };
      return closed(event, section, reply) + event('response.output_item.done', done);
    },
  });

  return {
    contentType: eventStream,
    opening: () => status('created', inProgress) + status('in_progress'),
    piece: writeItems,
    ending() {
      const response = finished(request, reply);
      return event(`response.${response.status}`, { response });
    },
    brokenOff: ({ message }) => status('failed', { error: { code: 'server_error', message } }),
  };
}

/** How the names of the events for an item's part, and for its text, begin. */
const names = {
  reasoning: { part: 'response.reasoning_summary_part', text: 'response.reasoning_summary_text' },
  content: { part: 'response.content_part', text: 'response.output_text' },
} as const;

function opened(event: WriteEvent, section: Section, reply: Reply): string {
  switch (section.kind) {
    case 'call':
      return '';
    case 'picture':
      return drawing(event, section, reply, 'in_progress') + drawing(event, section, reply, 'generating');
    default:
      return event(`${names[section.kind].part}.added`, {
        ...placeOf(section, reply),
        part: partOf(section.kind, ''),
      });
  }
}

function added(event: WriteEvent, section: Section, delta: string, reply: Reply): string {
  switch (section.kind) {
    case 'call':
      return event('response.function_call_arguments.delta', { ...itemPlace(section, reply), delta });
    case 'picture':
      return '';
    default:
      return event(`${names[section.kind].text}.delta`, {
        ...placeOf(section, reply),
        delta,
        ...logprobsOf(section),
      });
  }
}

function closed(event: WriteEvent, section: Section, reply: Reply): string {
  switch (section.kind) {
    case 'call':
      return event('response.function_call_arguments.done', {
        ...itemPlace(section, reply),
        ...argumentsOf(section.call),
      });
    case 'picture':
      return drawing(event, section, reply, 'completed');
    default: {
      const text = textOf(section.kind, reply);
      const place = placeOf(section, reply);
      return (
        event(`${names[section.kind].text}.done`, { ...place, text, ...logprobsOf(section) }) +
        event(`${names[section.kind].part}.done`, { ...place, part: partOf(section.kind, text) })
      );
    }
  }
}

function argumentsOf(call: PlacedCall) {
  return { name: call.name, arguments: argumentsText(call) };
}

function drawing(event: WriteEvent, section: Section, reply: Reply, word: string): string {
  return event(`response.image_generation_call.${word}`, itemPlace(section, reply));
}

function itemPlace(section: Section, reply: Reply) {
  return { item_id: itemId(section, reply), output_index: section.index };
}

function placeOf(section: TextSection, reply: Reply): object {
  const within = section.kind === 'reasoning' ? { summary_index: 0 } : { content_index: 0 };
  return { ...itemPlace(section, reply), ...within };
}

function logprobsOf({ kind }: TextSection): object {
  return kind === 'content' ? { logprobs: [] } : {};
}

function finished(request: ResponsesRequest, reply: Reply) {
  const [draft] = reply.drafts;
  const isCut = draft.finish === 'length';
  return {
    ...responseOf(request, reply),
    status: isCut ? 'incomplete' : 'completed',
    incomplete_details: isCut ? { reason: 'max_output_tokens' } : null,
    output: sectionsOf(draft).map((section) => itemOf(section, reply, request)),
    output_text: draft.content.join(''),
    usage: usageOf(reply),
  };
}

/** The response object before anything is written. */
function responseOf(request: ResponsesRequest, { id, createdAt, model }: Reply) {
  return {
    id: `resp_demo_${id}`,
    object: 'response',
    created_at: Math.floor(createdAt.getTime() / 1000),
    background: false,
    error: null,
    incomplete_details: null,
    instructions: request.instructions ?? null,
    max_output_tokens: request.max_output_tokens ?? null,
    model,
    output: [],
    parallel_tool_calls: request.parallel_tool_calls ?? true,
    previous_response_id: null,
    reasoning: { effort: request.reasoning?.effort ?? null, summary: request.reasoning?.summary ?? null },
    service_tier: 'default',
    store: false,
    temperature: request.temperature ?? 1,
    text: { format: { type: isJson(request) ? 'json_object' : 'text' } },
    tool_choice: request.tool_choice ?? 'auto',
    tools: request.tools ?? [],
    top_p: request.top_p ?? 1,
    truncation: request.truncation ?? 'disabled',
    usage: null,
    user: request.user ?? null,
    metadata: request.metadata ?? {},
  };
}

function usageOf(reply: Reply) {
  const { reasoning, content } = outputTokens(reply);
  return {
    input_tokens: reply.promptTokens,
    input_tokens_details: { cached_tokens: 0 },
    output_tokens: reasoning + content,
    output_tokens_details: { reasoning_tokens: reasoning },
    total_tokens: reply.promptTokens + reasoning + content,
  };
}
