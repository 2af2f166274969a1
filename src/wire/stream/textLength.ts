import type { ChatEvent } from '../chatEvent.ts';

/** The length that a picture or a file counts as. */
const assumedMediaLength = 2_000;

/** Measures the text that an event adds to a reply, in UTF-16 units: words, reasoning and tool calls. */
export function measureReplyText(event: ChatEvent): number {
  switch (event.type) {
    case 'text':
    case 'reasoning':
    case 'refusal':
      return event.text.length;
    case 'toolCall':
      return (event.arguments?.length ?? 0) + (event.name?.length ?? 0);
    case 'media':
    case 'mediaLink':
      return assumedMediaLength;
    default:
      return 0;
  }
}
