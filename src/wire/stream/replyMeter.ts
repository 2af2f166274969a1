import type { ChatEvent } from '../chatEvent.ts';
import { type FailureDetails, tooLargeReply } from '../errorMapping.ts';
import { explain } from '../explanations/explanation.ts';

/** The most characters of text, reasoning, arguments and media in one reply. */
export const maxReplyLength = 32 * 1024 * 1024;

/** The most calls of one choice, far more than models make. */
export const maxCalls = 4_096;

/** Counts the content and the calls of one reply, whose size would otherwise be up to the gateway. */
export class ReplyMeter {
  #length = 0;

  /**
   * Counts the events from position `from` on.
   *
   * @returns the failure once the reply is too long, or calls too many tools
   */
  measure(events: readonly ChatEvent[], from: number): FailureDetails | undefined {
    for (let at = from; at < events.length; at++) {
      const event = events[at];
      if (event?.type === 'toolCall' && event.index >= maxCalls)
        return tooLargeReply(explain('too-many-calls', { count: maxCalls }));
      this.#length += lengthOf(event);
    }
    if (this.#length <= maxReplyLength) return undefined;
    return tooLargeReply(explain('answer-too-long', { maxMebi: maxReplyLength >> 20 }));
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
