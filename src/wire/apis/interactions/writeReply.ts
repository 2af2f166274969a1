import type { FinishReason, Usage } from '../../chatEvent.ts';
import type { Finish, Section, SectionStep } from '../../stream/sections.ts';
import { eventStreamType, writeServerSentEvent } from '../../stream/sse.ts';
import {
  type ReplyFacts,
  type ReplyForm,
  readCallArguments,
  type StreamWriter,
} from '../shared/replyForm.ts';
import { interactions } from './format.ts';
import type { Interaction, InteractionContent, InteractionEvent, InteractionStep } from './schema.ts';

/** @param isStored whether the interaction is stored. Only stored interactions have an id. */
export function createInteractionsReplies(isStored: boolean): ReplyForm {
  return {
    signsCalls: false,
    writeBody: (facts, [{ sections, finish }]) => ({
      ...writeFinishedInteraction(facts, finish, isStored),
      steps: sections.map(writeStep),
    }),
    createWriter: (facts) => createStreamWriter(facts, isStored),
  };
}

function createStreamWriter(facts: ReplyFacts, isStored: boolean): StreamWriter {
  let count = 0;
  const writeEvent = (data: InteractionEvent) => {
    count += 1;
    return writeServerSentEvent({ event_id: `${facts.id}-${count}`, ...data }, data.event_type);
  };
  return {
    contentType: eventStreamType,
    open: () =>
      writeEvent({
        event_type: 'interaction.created',
        interaction: { ...writeHead(facts, isStored), status: 'in_progress' },
      }),
    writeStep: (step) => writeStepEvents(step).map(writeEvent).join(''),
    end([finish = { reason: 'other' }]) {
      const interaction = writeFinishedInteraction(facts, finish, isStored);
      return `${writeEvent({ event_type: 'interaction.completed', interaction })}data: [DONE]\n\n`;
    },
    fail(error) {
      const { name, data } = interactions.error.event(error);
      return writeServerSentEvent(data, name);
    },
  };
}

function writeStepEvents(step: SectionStep): readonly InteractionEvent[] {
  const { section } = step;
  const { head, index, signature } = section;
  const createDeltaEvent = (content: InteractionContent): InteractionEvent => ({
    event_type: 'step.delta',
    index,
    delta: content,
  });
  switch (step.type) {
    case 'open': {
      const picture = writePicture(section);
      const start = { event_type: 'step.start', index, step: writeEmptyStep(section) } as const;
      return picture ? [start, createDeltaEvent(picture)] : [start];
    }
    case 'add':
      return [createDeltaEvent(writeDelta(head.kind, step.text))];
    case 'close': {
      // Throws for arguments that are not an object.
      if (head.kind === 'call') readCallArguments(head.name, section);
      const isSigned = head.kind === 'reasoning' && signature !== undefined;
      const signatures = isSigned ? [createDeltaEvent({ type: 'thought_signature', signature })] : [];
      return [...signatures, { event_type: 'step.stop', index }];
    }
    // The format requires the position of each citation, which is not known.
    case 'cite':
      return [];
  }
}

function writeEmptyStep({ head }: Section): InteractionStep {
  if (head.kind === 'call') return { type: 'function_call', id: head.id, name: head.name, arguments: {} };
  return { type: head.kind === 'reasoning' ? 'thought' : 'model_output' };
}

function writeStep(section: Section): InteractionStep {
  const { head, text, signature } = section;
  if (head.kind === 'call')
    return { ...writeEmptyStep(section), arguments: readCallArguments(head.name, section) };
  if (head.kind === 'reasoning') {
    const summary = [{ type: 'text', text }];
    return { ...writeEmptyStep(section), ...(signature !== undefined && { signature }), summary };
  }
  return { ...writeEmptyStep(section), content: [writePicture(section) ?? { type: 'text', text }] };
}

function writePicture({ head }: Section): InteractionContent | undefined {
  if (head.kind === 'media') return { type: 'image', mime_type: head.mimeType, data: head.data };
  return head.kind === 'link' ? { type: 'image', mime_type: head.mimeType, uri: head.url } : undefined;
}

function writeDelta(kind: Section['head']['kind'], text: string): InteractionContent {
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

function writeFinishedInteraction(facts: ReplyFacts, { reason }: Finish, isStored: boolean): Interaction {
  const usage = facts.usage();
  return {
    ...writeHead(facts, isStored),
    status: endWords[reason],
    updated: new Date().toISOString(),
    ...(usage && { usage: writeUsage(usage) }),
  };
}

function writeHead({ id, createdAt, model }: ReplyFacts, isStored: boolean) {
  const created = createdAt.toISOString();
  return { ...(isStored && { id }), object: 'interaction', created, updated: created, model } as const;
}

/** The output count does not include the reasoning. */
function writeUsage({
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
