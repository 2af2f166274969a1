import type {
  Interaction,
  InteractionContent,
  InteractionEvent,
  InteractionStep,
  InteractionsRequest,
} from '../../../wire/shapes/interactions.ts';
import { decodeInteractions } from '../../../wire/shapes/interactionsEncode.ts';
import { errorEvent } from '../../errorForm.ts';
import { eventStream, serverSentEvent } from '../../serverSentEvent.ts';
import { signatureOf } from '../draft.ts';
import { messagesOf, refuseKept, refuseSchema, unsupported } from '../prompt.ts';
import { type DemoShape, inSections, outputTokens, type Reply, type StreamWriter } from './shape.ts';

export function interactions(model: string, request: InteractionsRequest): DemoShape {
  const { generation_config: config, store } = request;
  const formats = [request.response_format ?? []].flat();
  refuseKept(request, {
    background: 'interaction to be read later; leave it out',
    previous_interaction_id: 'earlier interaction; send the conversation in input',
    continuation_token: 'earlier interaction; send the conversation in input',
  });
  const others = formats.some(({ type }) => type !== 'text');
  if (others) throw unsupported('response_format.type', 'a demo model writes text alone');
  const schema = formats.some((format) => format.schema);
  refuseSchema(schema, 'response_format.schema', 'send mime_type alone');
  const keeps = store !== false;
  return {
    prompt: {
      model,
      messages: messagesOf(() => decodeInteractions(request)),
      choices: 1,
      mostTokens: config?.max_output_tokens ?? Infinity,
      stop: config?.stop_sequences ?? [],
      json: formats.some(({ mime_type }) => mime_type === 'application/json'),
      thinking: config?.thinking_summaries !== 'none',
    },
    streamed: request.stream === true,
    whole: (reply) => ({ ...finished(reply, keeps), steps: stepsOf(reply) }),
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
    start({ kind, index }) {
      const type = kind === 'reasoning' ? 'thought' : 'model_output';
      return event({ event_type: 'step.start', index, step: { type } });
    },
    add: ({ kind, index }, text) =>
      delta(
        index,
        kind === 'reasoning'
          ? { type: 'thought_summary', content: { type: 'text', text } }
          : { type: 'text', text },
      ),
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

function finished(reply: Reply, keeps: boolean): Interaction {
  const { reasoning, content } = outputTokens(reply);
  return {
    ...headOf(reply, keeps),
    status: reply.drafts[0].finish === 'length' ? 'incomplete' : 'completed',
    updated: new Date().toISOString(),
    usage: {
      total_input_tokens: reply.promptTokens,
      total_output_tokens: content,
      ...(reasoning > 0 && { total_thought_tokens: reasoning }),
      total_tokens: reply.promptTokens + reasoning + content,
    },
  };
}

/** @param keeps what is not to be kept is given no id */
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

function stepsOf({ drafts: [draft] }: Reply): InteractionStep[] {
  const { reasoning, content } = draft;
  const summary = [{ type: 'text', text: reasoning.join('') }];
  const said = [{ type: 'text', text: content.join('') }];
  return [
    ...(reasoning.length > 0 ? [{ type: 'thought', signature: signatureOf(draft), summary }] : []),
    ...(content.length > 0 ? [{ type: 'model_output', content: said }] : []),
  ];
}
