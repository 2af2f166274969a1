import type { ResponsesRequest } from '../../../wire/shapes/responses.ts';
import { decodeResponses } from '../../../wire/shapes/responsesEncode.ts';
import { eventStream, serverSentEvent } from '../../serverSentEvent.ts';
import { signatureOf } from '../draft.ts';
import { messagesOf, refuseKept, refuseSchema } from '../prompt.ts';
import {
  type DemoShape,
  inSections,
  outputTokens,
  type Reply,
  type Section,
  type StreamWriter,
} from './shape.ts';

export function responses(request: ResponsesRequest): DemoShape {
  refuseSchema(request.text?.format?.type === 'json_schema', 'text.format.type', 'send text or json_object');
  refuseKept(request, {
    background: 'response to be read later; leave it out',
    previous_response_id: 'earlier response; send the conversation in input',
    conversation: 'conversation; send it in input',
    prompt: 'template; send its text in input',
  });
  return {
    prompt: {
      model: request.model,
      messages: messagesOf(() => conversationOf(request)),
      choices: 1,
      mostTokens: request.max_output_tokens ?? Infinity,
      stop: [],
      json: isJson(request),
      thinking: request.reasoning?.effort !== 'none',
    },
    streamed: request.stream === true,
    whole: (reply) => finished(request, reply),
    stream: (reply) => events(request, reply),
  };
}

function isJson({ text }: ResponsesRequest): boolean {
  return text?.format?.type === 'json_object';
}

function conversationOf(request: ResponsesRequest) {
  const { instructions } = request;
  const said = decodeResponses(request);
  if (instructions == null) return said;
  return [{ role: 'system' as const, parts: [{ type: 'text' as const, text: instructions }] }, ...said];
}

function events(request: ResponsesRequest, reply: Reply): StreamWriter {
  let sequence_number = 0;
  const event = (type: string, data: object) =>
    serverSentEvent({ type, sequence_number: sequence_number++, ...data }, type);
  const status = (word: string, more: object = {}) =>
    event(`response.${word}`, { response: { ...responseOf(request, reply), status: word, ...more } });
  const inProgress = { status: 'in_progress' };

  const writeItems = inSections({
    start({ kind, index }) {
      const item = itemOf(kind, reply, request, []);
      return (
        event('response.output_item.added', { output_index: index, item: { ...item, ...inProgress } }) +
        event(`${names[kind].part}.added`, { ...placeOf(kind, index, reply), part: partOf(kind, '') })
      );
    },
    add: ({ kind, index }, delta) =>
      event(`${names[kind].text}.delta`, { ...placeOf(kind, index, reply), delta, ...logprobsOf(kind) }),
    stop({ kind, index }) {
      const text = reply.drafts[0][kind].join('');
      const place = placeOf(kind, index, reply);
      const part = partOf(kind, text);
      return (
        event(`${names[kind].text}.done`, { ...place, text, ...logprobsOf(kind) }) +
        event(`${names[kind].part}.done`, { ...place, part }) +
        event('response.output_item.done', {
          output_index: index,
          item: itemOf(kind, reply, request, [part]),
        })
      );
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

type Kind = Section['kind'];

/** What the events of an item's one part, and of its text, begin with. */
const names = {
  reasoning: { part: 'response.reasoning_summary_part', text: 'response.reasoning_summary_text' },
  content: { part: 'response.content_part', text: 'response.output_text' },
} as const;

function placeOf(kind: Kind, output_index: number, reply: Reply): object {
  const within = kind === 'reasoning' ? { summary_index: 0 } : { content_index: 0 };
  return { item_id: itemId(kind, reply), output_index, ...within };
}

function logprobsOf(kind: Kind): object {
  return kind === 'content' ? { logprobs: [] } : {};
}

function partOf(kind: Kind, text: string): object {
  return kind === 'reasoning'
    ? { type: 'summary_text', text }
    : { type: 'output_text', text, annotations: [], logprobs: [] };
}

function itemOf(kind: Kind, reply: Reply, { include }: ResponsesRequest, parts: readonly object[]): object {
  const id = itemId(kind, reply);
  if (kind === 'content')
    return { id, type: 'message', status: 'completed', role: 'assistant', content: parts };
  const proof = include?.includes('reasoning.encrypted_content') === true;
  return {
    id,
    type: 'reasoning',
    summary: parts,
    ...(proof && { encrypted_content: signatureOf(reply.drafts[0]) }),
  };
}

function itemId(kind: Kind, { id }: Reply): string {
  return `${kind === 'reasoning' ? 'rs' : 'msg'}_demo_${id}`;
}

function finished(request: ResponsesRequest, reply: Reply) {
  const [draft] = reply.drafts;
  const kinds = (['reasoning', 'content'] as const).filter((kind) => draft[kind].length > 0);
  const isCut = draft.finish === 'length';
  return {
    ...responseOf(request, reply),
    status: isCut ? 'incomplete' : 'completed',
    incomplete_details: isCut ? { reason: 'max_output_tokens' } : null,
    output: kinds.map((kind) => itemOf(kind, reply, request, [partOf(kind, draft[kind].join(''))])),
    output_text: draft.content.join(''),
    usage: usageOf(reply),
  };
}

/** What a response says of itself before anything is written. */
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
    tool_choice: 'none',
    tools: [],
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
