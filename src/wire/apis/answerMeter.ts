import type { ChatEvent } from '../chatEvent.ts';
import { type FailureDetails, tooLargeReply } from '../errorMapping.ts';

/** Most characters of text, reasoning, arguments and media in one reply. */
export const maxAnswerLength = 32 * 1024 * 1024;

/** Counts what one reply says, so that no reply fills the memory of who keeps it. */
export class AnswerMeter {
  #length = 0;

  /** Counts the events from position `from` on. Returns what is wrong once the reply is too long. */
  measure(events: readonly ChatEvent[], from: number): FailureDetails | undefined {
    for (let at = from; at < events.length; at++) this.#length += lengthOf(events[at]);
    if (this.#length <= maxAnswerLength) return undefined;
    return tooLargeReply(`The answer is longer than ${maxAnswerLength >> 20} Mi characters`);
  }
}

function lengthOf(event: ChatEvent | undefined): number {
  switch (event?.type) {
    case 'text':
    case 'reasoning':
    case 'refusal':
      return event.text.length;
    case 'toolCall':
      return event.arguments?.length ?? 0;
    case 'media':
      return event.data.length;
    default:
      return 0;
  }
}
