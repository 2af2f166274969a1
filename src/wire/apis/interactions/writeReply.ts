import type { FinishReason, Usage } from '../../chatEvent.ts';
import type { Finish, Section, SectionStep } from '../../stream/sections.ts';
import { eventStream, serverSentEvent } from '../../stream/sse.ts';
import { callArguments, type ReplyFacts, type ReplyForm, type StreamWriter } from '../shared/replyForm.ts';
import { interactions } from './format.ts';
import type { Interaction, InteractionContent, InteractionEvent, InteractionStep } from './schema.ts';

/** @param isStored whether the interaction is stored. Only stored interactions have an id. */
export function interactionsReplies(isStored: boolean): ReplyForm {
  return {
    signsCalls: false,
    body: (facts, [{ sections, finish }]) => ({
      ...finishedInteraction(facts, finish, isStored),
      steps: sections.map(stepOf),
    }),
    stream: (facts) => streamWriter(facts, isStored),
  };
}

function streamWriter(facts: ReplyFacts, isStored: boolean): StreamWriter {
  let count = 0;
  const event = (data: InteractionEvent) => {
    count += 1;
    return serverSentEvent({ event_id: `${facts.id}-${count}`, ...data }, data.event_type);
  };
  return {
    contentType: eventStream,
    opening: () =>
      event({
        event_type: 'interaction.created',
        interaction: { ...headOf(facts, isStored), status: 'in_progress' },
      }),
    step: (step) => stepEvents(step).map(event).join(''),
    ending([finish = { reason: 'other' }]) {
      const interaction = finishedInteraction(facts, finish, isStored);
      return `${event({ event_type: 'interaction.completed', interaction })}data: [DONE]\n\n`;
    },
    failure(error) {
      const { name, data } = interactions.error.event(error);
      return serverSentEvent(data, name);
    },
  };
}

function stepEvents(step: SectionStep): readonly InteractionEvent[] {
  const { section } = step;
  const { head, index, signature } = section;
  const delta = (content: InteractionContent): InteractionEvent => ({
    event_type: 'step.delta',
    index,
    delta: content,
  });
  switch (step.type) {
    case 'open': {
      const picture = pictureOf(section);
      const start = { event_type: 'step.start', index, step: emptyStep(section) } as const;
      return picture ? [start, delta(picture)] : [start];
    }
    case 'add':
      return [delta(deltaOf(head.kind, step.text))];
    case 'close': {
      if (head.kind === 'call') callArguments(head.name, section);
      const isSigned = head.kind === 'reasoning' && signature !== undefined;
      const signatures = isSigned ? [delta({ type: 'thought_signature', signature })] : [];
      return [...signatures, { event_type: 'step.stop', index }];
    }
    // The format requires the position of each citation, which is not known.
    case 'cite':
      return [];
  }
}

function emptyStep({ head }: Section): InteractionStep {
  if (head.kind === 'call') return { type: 'function_call', id: head.id, name: head.name, arguments: {} };
  return { type: head.kind === 'reasoning' ? 'thought' : 'model_output' };
}

function stepOf(section: Section): InteractionStep {
  const { head, text, signature } = section;
  if (head.kind === 'call') return { ...emptyStep(section), arguments: callArguments(head.name, section) };
  if (head.kind === 'reasoning') {
    const summary = [{ type: 'text', text }];
    return { ...emptyStep(section), ...(signature !== undefined && { signature }), summary };
  }
  return { ...emptyStep(section), content: [pictureOf(section) ?? { type: 'text', text }] };
}

function pictureOf({ head }: Section): InteractionContent | undefined {
  if (head.kind === 'media') return { type: 'image', mime_type: head.mimeType, data: head.data };
  return head.kind === 'link' ? { type: 'image', mime_type: head.mimeType, uri: head.url } : undefined;
}

function deltaOf(kind: Section['head']['kind'], text: string): InteractionContent {
  if (kind === 'reasoning') return { type: 'thought_summary', content: { type: 'text', text } };
  return kind === 'call' ? { type: 'arguments_delta', arguments: text } : { type: 'text', text };
}

const endWords: Readonly<Record<FinishReason, Interaction['status']>> = {
  stop: 'completed',
  length: 'incomplete',
  'tool-calls': 'requires_action',
  'content-filter': 'incomplete',
  error: 'failed',
  other: 'completed',
};

function finishedInteraction(facts: ReplyFacts, { reason }: Finish, isStored: boolean): Interaction {
  const usage = facts.usage();
  return {
    ...headOf(facts, isStored),
    status: endWords[reason],
    updated: new Date().toISOString(),
    ...(usage && { usage: usageOf(usage) }),
  };
}

function headOf({ id, createdAt, model }: ReplyFacts, isStored: boolean) {
  const created = createdAt.toISOString();
  return { ...(isStored && { id }), object: 'interaction', created, updated: created, model } as const;
}

/** The output count does not include the reasoning. */
function usageOf({
  inputTokens = 0,
  outputTokens = 0,
  totalTokens = inputTokens + outputTokens,
  cachedTokens,
  reasoningTokens = 0,
}: Usage): Interaction['usage'] {
  return {
    total_input_tokens: inputTokens,
    total_output_tokens: Math.max(0, outputTokens - reasoningTokens),
    ...(reasoningTokens > 0 && { total_thought_tokens: reasoningTokens }),
    ...(cachedTokens && { total_cached_tokens: cachedTokens }),
    total_tokens: totalTokens,
  };
}
