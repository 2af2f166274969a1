import type { IncomingHttpHeaders } from 'node:http';
import type { UpstreamCaller, UpstreamReply, UpstreamTasks } from '../upstreams/upstream.ts';
import { eventBlocks } from './eventBlocks.ts';
import type { EventLinks } from './eventLinks.ts';
import { ownEvents } from './ownEvents.ts';
import type { RemoteTask } from './remoteTask.ts';
import { readRecord } from './upstreamRecord.ts';

/**
 * Asks an upstream for the events of a task, which come with this gateway's ids and addresses of results.
 *
 * @param caller whose query says from which event on
 * @param links the addresses of results for the caller
 * @returns the upstream's refusal as it came; undefined where it tells no events
 * @throws {HttpError} as `send` of an upstream
 */
export async function taskStream(
  tasks: UpstreamTasks,
  task: RemoteTask & { readonly upstreamId: string },
  caller: UpstreamCaller,
  links: EventLinks,
): Promise<UpstreamReply | undefined> {
  const headers = withoutEncodings(caller.headers);
  const reply = await tasks.read({ ...caller, headers, task: task.upstreamId });
  if (reply.status >= 300) return reply;
  if (isEventStream(reply)) return streamReply(reply, ownEvents(eventBlocks(reply.body), task, links));
  await readRecord(reply);
  return undefined;
}

export function isEventStream({ headers }: Pick<UpstreamReply, 'headers'>): boolean {
  return headers['content-type']?.startsWith('text/event-stream') === true;
}

/** The reply with another body, whose length is not known. */
export function streamReply(
  { status, headers }: Pick<UpstreamReply, 'status' | 'headers'>,
  body: UpstreamReply['body'],
): UpstreamReply {
  const { 'content-length': _, ...others } = headers;
  return { status, headers: others, body };
}

/** The headers of a caller without those that let a reply be compressed, so that it can be read here. */
export function withoutEncodings(headers: IncomingHttpHeaders): IncomingHttpHeaders {
  const { 'accept-encoding': _, ...others } = headers;
  return others;
}
