import { isObject, type JsonObject, parseExactJson } from '../../base/json.ts';
import { replaceValues } from '../json/jsonEdit.ts';
import { type Span, scanObject } from '../json/jsonFields.ts';
import type { EventLinks } from './eventLinks.ts';
import type { RemoteTask } from './remoteTask.ts';
import { taskForms } from './taskForms.ts';

/** The task of a stream. */
type StreamedTask = Pick<RemoteTask, 'id' | 'upstreamId' | 'earlierId' | 'format'>;

/** The events of an upstream's stream about a task, with this gateway's ids and addresses of results. */
export async function* ownEvents(
  events: AsyncIterable<Buffer>,
  task: StreamedTask,
  links?: EventLinks,
): AsyncGenerator<Uint8Array> {
  for await (const event of events) {
    const own = ownEvent(event, task);
    yield links ? links.relinked(own) : own;
  }
}

/** The record in an event of a stream about a task; undefined where the event holds none. */
export function recordInEvent(event: Buffer, { format }: Pick<RemoteTask, 'format'>): JsonObject | undefined {
  const place = recordPlace(event, format);
  const record = place && parseExactJson(event.subarray(place.start, place.end).toString());
  return isObject(record) ? record : undefined;
}

/** All bytes but the ids stay as they are. */
function ownEvent(event: Buffer, { id, upstreamId, earlierId, format }: StreamedTask): Uint8Array {
  const place = recordPlace(event, format);
  if (!place) return event;
  const { earlierField } = taskForms[format];
  let record: Uint8Array = event.subarray(place.start, place.end);
  record = withValue(record, 'id', id, (value) => String(value) === upstreamId);
  if (earlierField !== undefined && earlierId !== undefined)
    record = withValue(record, earlierField, earlierId, (value) => typeof value === 'string');
  return Buffer.concat([event.subarray(0, place.start), record, event.subarray(place.end)]);
}

/** Where the record is in an event whose data is one line. */
function recordPlace(event: Buffer, format: RemoteTask['format']): Span | undefined {
  const { eventMember: member } = taskForms[format];
  // Almost all events are pieces of text.
  if (member === undefined || !event.includes(`"${member}"`)) return undefined;
  const line = /(?:^|[\r\n])data: ?([^\r\n]*)/d.exec(event.toString('latin1'));
  const [start, end] = line?.indices?.[1] ?? [0, 0];
  const found = scanObject(event.subarray(start, end), [member])?.fields.get(member)?.at(-1);
  return found && { start: start + found.start, end: start + found.end };
}

function withValue(
  record: Uint8Array,
  name: string,
  value: string,
  isWanted: (now: unknown) => boolean,
): Uint8Array {
  const places = scanObject(record, [name])?.fields.get(name) ?? [];
  const last = places.at(-1);
  if (!last || !isWanted(JSON.parse(Buffer.from(record.subarray(last.start, last.end)).toString())))
    return record;
  return replaceValues(record, places, value);
}
