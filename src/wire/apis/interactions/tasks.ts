import { writeServerSentEvent } from '../../stream/sse.ts';
import {
  idAtTop,
  readPromptText,
  resolveResultUrl,
  type ServedTask,
  type ServedTaskStatus,
  type TaskRecordFormat,
} from '../taskRecord/taskRecordFormat.ts';
import type { Interaction, InteractionContent, InteractionEvent, InteractionStep } from './schema.ts';

/** Interactions in the background as tasks of the local gateway. */
export const interactionTasks: TaskRecordFormat = {
  ...idAtTop,
  type: 'interaction',
  label: 'interaction',
  continuesRequestField: 'previous_interaction_id',
  eventMember: 'interaction',
  readPrompt: ({ input }) => readPromptText(input),
  hasContentRoute: false,
  write: (task, { address }) => writeInteraction(task, { content: listLinkedContent(task, address) }),
};

/** Client libraries have no status for a task that has not started. */
const statusWords: Record<ServedTaskStatus, Interaction['status']> = {
  queued: 'in_progress',
  running: 'in_progress',
  completed: 'completed',
  failed: 'failed',
  cancelled: 'cancelled',
  unknown: 'failed',
};

/** An interaction for a task, without its results. */
export function writeInteractionHead(task: ServedTask): Interaction {
  const { id, model, status, createdAt, startedAt, finishedAt } = task;
  return {
    id,
    object: 'interaction',
    status: statusWords[status],
    created: new Date(createdAt).toISOString(),
    updated: new Date(finishedAt ?? startedAt ?? createdAt).toISOString(),
    model,
  };
}

/**
 * A task as an interaction: with its video if it has completed, or with the reason of its failure.
 *
 * @param options.content the results of a completed task
 * @param options.echoesInput whether to include the request as a step
 */
export function writeInteraction(
  task: ServedTask,
  {
    content,
    echoesInput = false,
  }: { readonly content: readonly InteractionContent[]; readonly echoesInput?: boolean },
): Interaction {
  const { status, finishedAt, failure, prompt } = task;
  const inputStep: InteractionStep = { type: 'user_input', content: [{ type: 'text', text: prompt }] };
  const input = echoesInput ? [inputStep] : [];
  const head = writeInteractionHead(task);
  if (finishedAt === undefined && status !== 'unknown')
    return input.length > 0 ? { ...head, steps: input } : head;
  const output: InteractionStep = { type: 'model_output', content: [...content] };
  return {
    ...head,
    ...(failure && { errors: [{ code: failure.code, message: failure.message }] }),
    steps: [...input, ...(status === 'completed' && content.length > 0 ? [output] : [])],
  };
}

/** The results of a task, as links to their addresses. */
export function listLinkedContent({ results }: ServedTask, address: string): readonly InteractionContent[] {
  return results.map(({ url, mimeType = 'video/mp4' }) => ({
    type: 'video',
    mime_type: mimeType,
    uri: resolveResultUrl(url, address),
  }));
}

/**
 * The events of an interaction in the background: the start immediately, the steps and the end once it is done.
 * The events are the same each time, so that a caller can continue after the last event that it received.
 *
 * @param lastEventId the id of the last event that the caller has
 * @throws the reason if `done` rejects, because the caller disconnected
 */
export async function* streamInteractionEvents(
  started: Interaction,
  done: Promise<Interaction>,
  lastEventId: unknown,
): AsyncGenerator<string> {
  // If the caller disconnects early, nothing else handles the rejection.
  done.catch(() => {});
  const lastNumber = readEventNumber(started.id, lastEventId) ?? 0;
  let count = 0;
  const writeEvent = (data: InteractionEvent) => {
    count += 1;
    return count > lastNumber
      ? writeServerSentEvent({ event_id: `${started.id}-${count}`, ...data }, data.event_type)
      : '';
  };
  yield writeEvent({ event_type: 'interaction.created', interaction: { ...started, status: 'in_progress' } });
  const { steps = [], ...interaction } = await done;
  for (const [index, { type, content = [] }] of steps.entries()) {
    yield writeEvent({ event_type: 'step.start', index, step: { type } });
    for (const delta of content) yield writeEvent({ event_type: 'step.delta', index, delta });
    yield writeEvent({ event_type: 'step.stop', index });
  }
  yield writeEvent({ event_type: 'interaction.completed', interaction });
  yield 'data: [DONE]\n\n';
}

/** Whether an event id belongs to the events of this interaction. */
export function isOwnEvent(id: string, eventId: unknown): boolean {
  return readEventNumber(id, eventId) !== undefined;
}

/** The position of an event, from 1; undefined if the id does not belong to an event of this interaction. */
function readEventNumber(id: string | undefined, eventId: unknown): number | undefined {
  const digits = new RegExp(`^${id}-(\\d{1,6})$`).exec(String(eventId))?.[1];
  return digits === undefined ? undefined : Number(digits);
}
