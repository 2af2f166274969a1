/** The content type of a stream of events. */
export const eventStream = 'text/event-stream; charset=utf-8';

/** @param name the event's type, which some formats write before the data */
export function serverSentEvent(data: object, name?: string): string {
  return `${name === undefined ? '' : `event: ${name}\n`}data: ${JSON.stringify(data)}\n\n`;
}
