import { createParser } from 'eventsource-parser';

/** Most characters of data one event may hold. */
export const maxEventLength = 8 * 1024 * 1024;

/** Room for the field name in front of the data, so that the limit is one of data alone. */
const FIELD_ALLOWANCE = 16;

export interface ServerSentEvent {
  readonly event?: string | undefined;
  readonly data: string;
}

/**
 * Server-sent events by the WHATWG rules, in linear time and bounded memory. Comments, ids and retry
 * times are passed over: whatever reaches `onEvent` is data.
 */
export class SseReader {
  readonly #feed: (text: string) => void;
  #overflowed = false;

  constructor(onEvent: (event: ServerSentEvent) => void) {
    const parser = createParser({
      maxBufferSize: maxEventLength + FIELD_ALLOWANCE,
      onEvent: (event) => {
        if (event.data.length > maxEventLength) this.#overflowed = true;
        else if (!this.#overflowed) onEvent(event);
      },
      onError: ({ type }) => {
        if (type === 'max-buffer-size-exceeded') this.#overflowed = true;
      },
    });
    this.#feed = parser.feed;
  }

  /** Whether an event was larger than the limit. Nothing is read after it. */
  get overflowed(): boolean {
    return this.#overflowed;
  }

  read(text: string): void {
    if (!this.#overflowed) this.#feed(text);
  }

  /** Dispatches a last event that lacks its blank line, which browsers would drop. */
  flush(): void {
    this.read('\n\n');
  }
}

/**
 * The data without the field name that some relays write twice (`data: data: {…}`). JSON never begins with it.
 */
export function unprefixed(data: string): string {
  let rest = data;
  while (rest.startsWith('data:')) rest = rest.slice('data:'.length).trimStart();
  return rest;
}
