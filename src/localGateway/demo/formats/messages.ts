import { decodeMessages } from '../../../wire/apis/messages/encode.ts';
import { type MessagesRequest, messagesRequest } from '../../../wire/apis/messages/request.ts';
import { errorEvent } from '../../errorFormat.ts';
import { eventStream, serverSentEvent } from '../../serverSentEvent.ts';
import { type Draft, signatureOf } from '../draft.ts';
import { messagesOf, schemaOf } from '../prompt.ts';
import {
  argumentsText,
  callId,
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
import { messagesTools } from './tools.ts';

/** How the demo speaks messages. */
export const messagesDemo = demoFormat(messagesRequest, understand);

function understand(request: MessagesRequest): UnderstoodRequest {
  const format = request.output_config?.format;
  const schema = schemaOf(format?.type === 'json_schema', format?.schema, 'output_config.format.schema');
  return {
    prompt: {
      model: request.model,
      messages: messagesOf(() => decodeMessages(request)),
      choices: 1,
      maxTokens: request.max_tokens,
      stop: request.stop_sequences ?? [],
      json: schema !== undefined,
      schema,
      thinking: request.thinking?.type !== 'disabled',
      tools: messagesTools(request),
    },
    streamed: request.stream === true,
    whole,
    stream: events,
  };
}

function whole(reply: Reply): object {
  const [draft] = reply.drafts;
  return {
    ...headOf(reply),
    content: sectionsOf(draft).map((section) => blockOf(section, reply)),
    ...endOf(draft),
    usage: usageOf(reply),
  };
}

function blockOf(section: Section, reply: Reply): object {
  const [draft] = reply.drafts;
  switch (section.kind) {
    case 'reasoning':
      return { type: 'thinking', thinking: draft.reasoning.join(''), signature: signatureOf(draft) };
    case 'call':
      return toolUse(section.call, reply, JSON.parse(argumentsText(section.call)));
    default:
      return { type: 'text', text: draft.content.join('') };
  }
}

function toolUse(call: PlacedCall, reply: Reply, input: unknown): object {
  return { type: 'tool_use', id: callId(reply, call), name: call.name, input };
}

function events(reply: Reply): StreamWriter {
  const usage = usageOf(reply);
  const writeBlocks = inSections({
    start: (section) =>
      event('content_block_start', { index: section.index, content_block: emptyBlock(section, reply) }),
    add: (block, text) => blockDelta(block, deltaOf(block, text)),
    stop: (block) => signatureDelta(block, reply) + event('content_block_stop', { index: block.index }),
  });
  return {
    contentType: eventStream,
    opening() {
      const end = { stop_reason: null, stop_sequence: null };
      const message = { ...headOf(reply), content: [], ...end, usage: { ...usage, output_tokens: 1 } };
      return event('message_start', { message }) + event('ping', {});
    },
    piece(piece) {
      const blocks = writeBlocks(piece);
      return piece.type === 'end'
        ? blocks + event('message_delta', { delta: endOf(piece.draft), usage })
        : blocks;
    },
    ending: () => event('message_stop', {}),
    brokenOff: (error) => errorEvent(error, 'messages', reply.requestId),
  };
}

function emptyBlock(section: Section, reply: Reply): object {
  if (section.kind === 'call') return toolUse(section.call, reply, {});
  return section.kind === 'reasoning'
    ? { type: 'thinking', thinking: '', signature: '' }
    : { type: 'text', text: '' };
}

function deltaOf({ kind }: Section, text: string): object {
  if (kind === 'call') return { type: 'input_json_delta', partial_json: text };
  return kind === 'reasoning' ? { type: 'thinking_delta', thinking: text } : { type: 'text_delta', text };
}

/** The signature of the reasoning comes last in its block. */
function signatureDelta(block: Section, { drafts: [draft] }: Reply): string {
  if (block.kind !== 'reasoning') return '';
  return blockDelta(block, { type: 'signature_delta', signature: signatureOf(draft) });
}

function blockDelta({ index }: Section, delta: object): string {
  return event('content_block_delta', { index, delta });
}

function event(type: string, data: object): string {
  return serverSentEvent({ type, ...data }, type);
}

function headOf({ id, model }: Reply) {
  return { id: `msg_demo_${id}`, type: 'message', role: 'assistant', model };
}

function endOf({ finish, stopped }: Draft) {
  return {
    stop_reason: stopped === undefined ? stopWords[finish] : 'stop_sequence',
    stop_sequence: stopped ?? null,
  };
}

const stopWords: Readonly<Record<Draft['finish'], string>> = {
  stop: 'end_turn',
  length: 'max_tokens',
  'tool-calls': 'tool_use',
};

function usageOf(reply: Reply) {
  const { reasoning, content } = outputTokens(reply);
  return {
    input_tokens: reply.promptTokens,
    output_tokens: reasoning + content,
    ...(reasoning > 0 && { output_tokens_details: { thinking_tokens: reasoning } }),
  };
}
