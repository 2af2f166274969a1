import type { MessagesRequest } from '../../../wire/shapes/messages.ts';
import { decodeMessages } from '../../../wire/shapes/messagesEncode.ts';
import { errorEvent } from '../../errorForm.ts';
import { eventStream, serverSentEvent } from '../../serverSentEvent.ts';
import { type Draft, signatureOf } from '../draft.ts';
import { messagesOf } from '../prompt.ts';
import {
  type DemoShape,
  inSections,
  outputTokens,
  type Reply,
  type Section,
  type StreamWriter,
} from './shape.ts';

export function messages(request: MessagesRequest): DemoShape {
  return {
    prompt: {
      model: request.model,
      messages: messagesOf(() => decodeMessages(request)),
      choices: 1,
      mostTokens: request.max_tokens,
      stop: request.stop_sequences ?? [],
      json: false,
      thinking: request.thinking?.type !== 'disabled',
    },
    streamed: request.stream === true,
    whole,
    stream: events,
  };
}

function whole(reply: Reply): object {
  const [draft] = reply.drafts;
  const { reasoning, content } = draft;
  return {
    ...headOf(reply),
    content: [
      ...(reasoning.length > 0
        ? [{ type: 'thinking', thinking: reasoning.join(''), signature: signatureOf(draft) }]
        : []),
      ...(content.length > 0 ? [{ type: 'text', text: content.join('') }] : []),
    ],
    ...endOf(draft),
    usage: usageOf(reply),
  };
}

function events(reply: Reply): StreamWriter {
  const usage = usageOf(reply);
  const writeBlocks = inSections({
    start: ({ kind, index }) => event('content_block_start', { index, content_block: emptyBlock[kind] }),
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

const emptyBlock = {
  reasoning: { type: 'thinking', thinking: '', signature: '' },
  content: { type: 'text', text: '' },
} as const;

function deltaOf({ kind }: Section, text: string): object {
  return kind === 'reasoning' ? { type: 'thinking_delta', thinking: text } : { type: 'text_delta', text };
}

/** Proof of the reasoning comes last in its block. */
function signatureDelta(block: Section, { drafts: [draft] }: Reply): string {
  if (block.kind === 'content') return '';
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
  const reason = stopped === undefined ? 'end_turn' : 'stop_sequence';
  return { stop_reason: finish === 'length' ? 'max_tokens' : reason, stop_sequence: stopped ?? null };
}

function usageOf(reply: Reply) {
  const { reasoning, content } = outputTokens(reply);
  return {
    input_tokens: reply.promptTokens,
    output_tokens: reasoning + content,
    ...(reasoning > 0 && { output_tokens_details: { thinking_tokens: reasoning } }),
  };
}
