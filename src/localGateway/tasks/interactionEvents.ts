import type { Interaction, InteractionEvent } from '../../wire/apis/interactions/request.ts';
import { serverSentEvent } from '../serverSentEvent.ts';

/**
 * The events of an interaction in the background: its start at once, its steps and its end when it is done.
 * They are the same each time, so that a caller can continue after the last one.
 *
 * @param after the id of the last event that the caller has
 * @throws the signal's reason when it is aborted
 */
export async function* interactionEvents(
  begun: Interaction,
  done: Promise<Interaction>,
  after: unknown,
): AsyncGenerator<string> {
  // A caller that leaves early does not wait for it.
  done.catch(() => {});
  const seen = placeOf(begun.id, after) ?? 0;
  let count = 0;
  const event = (data: InteractionEvent) => {
    count += 1;
    return count > seen
      ? serverSentEvent({ event_id: `${begun.id}-${count}`, ...data }, data.event_type)
      : '';
  };
  yield event({ event_type: 'interaction.created', interaction: { ...begun, status: 'in_progress' } });
  const { steps = [], ...interaction } = await done;
  for (const [index, { type, content = [] }] of steps.entries()) {
    yield event({ event_type: 'step.start', index, step: { type } });
    for (const delta of content) yield event({ event_type: 'step.delta', index, delta });
    yield event({ event_type: 'step.stop', index });
  }
  yield event({ event_type: 'interaction.completed', interaction });
  yield 'data: [DONE]\n\n';
}

/** Whether an event id is one of these events. */
export function isOwnEvent(id: string, eventId: unknown): boolean {
  return placeOf(id, eventId) !== undefined;
}

/** The place of one of these events, from 1. */
function placeOf(id: string | undefined, eventId: unknown): number | undefined {
  const place = new RegExp(`^${id}-(\\d{1,6})$`).exec(String(eventId))?.[1];
  return place === undefined ? undefined : Number(place);
}
