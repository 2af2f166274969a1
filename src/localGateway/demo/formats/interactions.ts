import { isObject, type JsonObject } from '../../../base/json.ts';
import { decodeInteractions } from '../../../wire/apis/interactions/encode.ts';
import {
  type Interaction,
  type InteractionContent,
  type InteractionEvent,
  type InteractionStep,
  type InteractionsRequest,
  interactionsRequest,
} from '../../../wire/apis/interactions/request.ts';
import { errorEvent } from '../../http/errorFormat.ts';
import { eventStream, serverSentEvent } from '../../http/serverSentEvent.ts';
import { type Draft, signatureOf } from '../draft.ts';
import type { Picture } from '../picture.ts';
import { messagesOf, refuseKept, unsupported } from '../prompt.ts';
import {
  argumentsText,
  callId,
  type DemoQuestion,
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
import { interactionsTools } from './tools.ts';

/** How the demo speaks interactions. */
export const interactionsDemo = demoFormat(interactionsRequest, understand);

function understand(request: InteractionsRequest, { servedModel: model }: DemoQuestion): UnderstoodRequest {
  const { generation_config: config, store } = request;
  const formats = [request.response_format ?? []].flat();
  refuseKept(request, {
    background: 'interaction to be read later; leave it out',
    previous_interaction_id: 'earlier interaction; send the conversation in input',
    continuation_token: 'earlier interaction; send the conversation in input',
  });
  const others = formats.some(({ type }) => type !== 'text' && type !== 'image');
  if (others) throw unsupported('response_format.type', 'a demo model writes text and draws images');
  const { schema } = formats.find((format) => format.schema) ?? {};
  const keeps = store !== false;
  return {
    prompt: {
      model,
      messages: messagesOf(() => decodeInteractions(request)),
      choices: 1,
      maxTokens: config?.max_output_tokens ?? Infinity,
      stop: config?.stop_sequences ?? [],
      json: formats.some(({ mime_type }) => mime_type === 'application/json'),
      schema: isObject(schema) ? schema : undefined,
      thinking: config?.thinking_summaries !== 'none',
      tools: interactionsTools(request),
      picture: formats.some(({ type }) => type === 'image'),
    },
    streamed: request.stream === true,
    whole: (reply) => ({
      ...finished(reply, keeps),
      steps: sectionsOf(reply.drafts[0]).map((section) => stepOf(section, reply)),
    }),
    stream: (reply) => events(reply, keeps),
  };
}

function events(reply: Reply, keeps: boolean): StreamWriter {
  let count = 0;
  const event = (data: InteractionEvent) => {
    count += 1;
    return serverSentEvent({ event_id: `${reply.id}-${count}`, ...data }, data.event_type);
  };
  const delta = (index: number, content: InteractionContent) =>
    event({ event_type: 'step.delta', index, delta: content });

  const writeSteps = inSections({
    start(section) {
      const { kind, index } = section;
      const begun = event({ event_type: 'step.start', index, step: emptyStep(section, reply) });
      return kind === 'picture' ? begun + delta(index, imageOf(section.picture)) : begun;
    },
    add: ({ kind, index }, text) => delta(index, deltaOf(kind, text)),
    stop({ kind, index }) {
      const signature = signatureOf(reply.drafts[0]);
      const proof = kind === 'reasoning' ? delta(index, { type: 'thought_signature', signature }) : '';
      return proof + event({ event_type: 'step.stop', index });
    },
  });

  return {
    contentType: eventStream,
    opening: () =>
      event({
        event_type: 'interaction.created',
        interaction: { ...headOf(reply, keeps), status: 'in_progress' },
      }),
    piece: writeSteps,
    ending() {
      const interaction = finished(reply, keeps);
      return `${event({ event_type: 'interaction.completed', interaction })}data: [DONE]\n\n`;
    },
    brokenOff: (error) => errorEvent(error, 'interactions', reply.requestId),
  };
}

function emptyStep(section: Section, reply: Reply): InteractionStep {
  if (section.kind === 'call') return callStep(section.call, reply, {});
  return { type: section.kind === 'reasoning' ? 'thought' : 'model_output' };
}

function callStep(call: PlacedCall, reply: Reply, args: JsonObject): InteractionStep {
  return { type: 'function_call', id: callId(reply, call), name: call.name, arguments: args };
}

function imageOf({ mimeType, data }: Picture): InteractionContent {
  return { type: 'image', mime_type: mimeType, data };
}

function deltaOf(kind: Section['kind'], text: string): InteractionContent {
  if (kind === 'reasoning') return { type: 'thought_summary', content: { type: 'text', text } };
  return kind === 'call' ? { type: 'arguments_delta', arguments: text } : { type: 'text', text };
}

const endWords: Readonly<Record<Draft['finish'], Interaction['status']>> = {
  stop: 'completed',
  length: 'incomplete',
  'tool-calls': 'requires_action',
};

function finished(reply: Reply, keeps: boolean): Interaction {
  const { reasoning, content } = outputTokens(reply);
  return {
    ...headOf(reply, keeps),
    status: endWords[reply.drafts[0].finish],
    updated: new Date().toISOString(),
    usage: {
      total_input_tokens: reply.promptTokens,
      total_output_tokens: content,
      ...(reasoning > 0 && { total_thought_tokens: reasoning }),
      total_tokens: reply.promptTokens + reasoning + content,
    },
  };
}

/** @param keeps an interaction that is not kept gets no id */
function headOf({ id, createdAt, model }: Reply, keeps: boolean) {
  const created = createdAt.toISOString();
  return {
    ...(keeps && { id: `v1_demo_${id}` }),
    object: 'interaction',
    created,
    updated: created,
    model,
  } as const;
}

function stepOf(section: Section, reply: Reply): InteractionStep {
  const [draft] = reply.drafts;
  switch (section.kind) {
    case 'reasoning': {
      const summary = [{ type: 'text', text: draft.reasoning.join('') }];
      return { type: 'thought', signature: signatureOf(draft), summary };
    }
    case 'content':
      return { type: 'model_output', content: [{ type: 'text', text: draft.content.join('') }] };
    case 'picture':
      return { type: 'model_output', content: [imageOf(section.picture)] };
    case 'call':
      return callStep(section.call, reply, JSON.parse(argumentsText(section.call)) as JsonObject);
  }
}
