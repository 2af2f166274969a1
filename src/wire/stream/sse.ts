import { createParser } from 'eventsource-parser';

/** The most characters of data in one event. */
export const maxEventLength = 8 * 1024 * 1024;

/** The parser also counts the name of the field, but the limit applies only to the data. */
const maxFieldNameLength = 16;

export interface ServerSentEvent {
  readonly event?: string | undefined;
  readonly data: string;
}

/**
 * Reads server-sent events by the WHATWG rules, in linear time and bounded memory. It ignores comments, ids
 * and retry times.
 */
export class SseReader {
  readonly #feed: (text: string) => void;
  #hasOverflowed = false;

  constructor(onEvent: (event: ServerSentEvent) => void) {
    const parser = createParser({
      maxBufferSize: maxEventLength + maxFieldNameLength,
      onEvent: (event) => {
        if (event.data.length > maxEventLength) this.#hasOverflowed = true;
        else if (!this.#hasOverflowed) onEvent(event);
      },
      onError: ({ type }) => {
        if (type === 'max-buffer-size-exceeded') this.#hasOverflowed = true;
      },
    });
    this.#feed = parser.feed;
  }

  /** Whether an event exceeded the limit. Later text is ignored. */
  get hasOverflowed(): boolean {
    return this.#hasOverflowed;
  }

  read(text: string): void {
    if (!this.#hasOverflowed) this.#feed(text);
  }

  /** Dispatches a last event without its blank line, which browsers drop. */
  flush(): void {
    this.read('\n\n');
  }
}

/** The data without the field name that some relays write twice (`data: data: {…}`). JSON never begins with it. */
export function dropFieldNames(data: string): string {
  let rest = data;
  while (rest.startsWith('data:')) rest = rest.slice('data:'.length).trimStart();
  return rest;
}

/** The content type of a stream of events. */
export const eventStreamType = 'text/event-stream; charset=utf-8';

/** @param name the event's type, which some formats write before the data */
export function writeServerSentEvent(data: object, name?: string): string {
  return `${name === undefined ? '' : `event: ${name}\n`}data: ${JSON.stringify(data)}\n\n`;
}
