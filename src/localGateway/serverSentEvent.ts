/** The kind of a body that is a stream of events. */
export const eventStream = 'text/event-stream; charset=utf-8';

/** @param name what some shapes write before the data, for the kind of the event */
export function serverSentEvent(data: object, name?: string): string {
  return `${name === undefined ? '' : `event: ${name}\n`}data: ${JSON.stringify(data)}\n\n`;
}
